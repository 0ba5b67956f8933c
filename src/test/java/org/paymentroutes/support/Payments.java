package org.paymentroutes.support;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;

/** Payments of one provider in a database, moved by the real statements of the application. */
public final class Payments {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Database database;
    private final JdbcTemplate jdbc;
    private final String provider;

    /** Makes a provider known whose leases, limits and pauses are long enough not to end during a test. */
    public Payments(Database database, String provider) {
        this.database = database;
        this.jdbc = database.jdbc();
        this.provider = provider;
        jdbc.update("insert into provider (name, account, can_query, can_refund, lease_ms, quiet_ms, query_delays_ms, inconclusive_max, time_limit_ms,"
                + " send_time_limit_ms, backoff_base_ms, backoff_cap_ms, review_query_ms, retry_after_cap_ms, contract_digest)"
                + " values (?, 'main', true, true, 60000, 120000, '{120000,300000,900000}', 3, 1800000, 3600000, 1000, 60000, 3600000, 600000, 'd')",
                provider);
    }

    /** @return the name of the provider */
    public String provider() {
        return provider;
    }

    /** Sets one option of the provider's contract, in SQL. */
    public void contract(String option, Object value) {
        jdbc.update("update provider set " + option + " = ? where name = ?", value, provider);
    }

    /** Sets what may be done again in an operation, in SQL: {@code same_key = true, resend_max = 3}. */
    public void operation(String operation, String options) {
        // One transaction: what is not sealed at its end is refused.
        jdbc.execute("insert into provider_operation (provider, operation) values ('%1$s', '%2$s') on conflict do nothing;"
                .formatted(provider, operation) + "update provider_operation set " + options + " where provider = '%1$s' and operation = '%2$s';"
                .formatted(provider, operation) + seal());
    }

    /** Takes away what may be sent again, as a contract without it does. */
    public void noOperations() {
        jdbc.execute("delete from provider_operation where provider = '" + provider + "';" + seal());
    }

    private String seal() {
        return "update provider set operations_digest = operations_digest(name) where name = '" + provider + "'";
    }

    /** @return a new payment in state PENDING */
    public UUID accepted() {
        return accepted("PAYOUT", 500, "EUR", UUID.randomUUID().toString());
    }

    /** @return a new payment in state PENDING */
    public UUID accepted(String operation, long amountMinor, String currency, String reference) {
        return operation.equals("REFUND")
                ? refund(succeeded("CHARGE", amountMinor, currency), amountMinor, currency, reference)
                : accepted(operation, amountMinor, currency, reference, "");
    }

    /** @return a new payment in state SUCCEEDED */
    public UUID succeeded(String operation, long amountMinor, String currency) {
        UUID id = accepted(operation, amountMinor, currency, UUID.randomUUID().toString());
        claimed(id);
        record(answer(id, 1, "SUCCEEDED"));
        return id;
    }

    /** @return a new refund of this payment, in state PENDING */
    public UUID refund(UUID payment, long amountMinor, String currency, String reference) {
        return accepted("REFUND", amountMinor, currency, reference, payment.toString());
    }

    private UUID accepted(String operation, long amountMinor, String currency, String reference, String refundOf) {
        UUID id = UUID.randomUUID();
        Map<String, Object> row = accept(id, "caller", id.toString(), operation, amountMinor, currency, reference, refundOf);
        if (!"CREATED".equals(row.get("result"))) {
            throw new IllegalStateException("not accepted: " + row);
        }
        return id;
    }

    /** Tells of a reversal of a final payment in euro, as a webhook would. */
    public void reversal(UUID payment, String kind, long amountMinor) {
        jdbc.update("insert into reversal (payment_id, kind, amount_minor, currency, provider_reversal_id, fact, source, reason, actor)"
                + " values (?, ?, ?, 'EUR', ?, ?, 'WEBHOOK', 'told', 'test')", payment, kind, amountMinor, UUID.randomUUID().toString(),
                UUID.randomUUID().toString());
    }

    /** @return what accept.sql answers */
    public Map<String, Object> accept(UUID id, String caller, String key, String operation, long amountMinor, String currency,
                                      String reference) {
        return accept(id, caller, key, operation, amountMinor, currency, reference, "");
    }

    /** @return what accept.sql answers for a refund of a payment */
    public Map<String, Object> accept(UUID id, String caller, String key, String operation, long amountMinor, String currency,
                                      String reference, String refundOf) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("paymentId", id.toString());
        row.put("caller", caller);
        row.put("requestKey", key);
        row.put("fingerprint", operation + amountMinor + currency + reference);
        row.put("sourceReference", reference);
        row.put("operation", operation);
        row.put("provider", provider);
        row.put("account", "main");
        row.put("amountMinor", amountMinor);
        row.put("currency", currency);
        row.put("instruction", "{}");
        row.put("refundOf", refundOf);
        row.put("actor", "test");
        return database.run("accept", row).get(0);
    }

    /** @return what claim.sql claimed */
    public List<Map<String, Object>> claim(int claimable) {
        return database.run("claim", Map.of("provider", provider, "claimable", claimable, "node", "node"));
    }

    /** @return what claim-queries.sql took */
    public List<Map<String, Object>> claimQueries(int limit) {
        return database.run("claim-queries", Map.of("provider", provider, "limit", limit));
    }

    /** Makes it due now, as time would. */
    public void due(UUID id) {
        jdbc.update("update payment set due_at = least(due_at, clock_timestamp() - interval '1 millisecond') where payment_id = ?", id);
    }

    /** Claims this payment only, by hand. */
    public void claimed(UUID id) {
        jdbc.update("with c as (update payment set state = 'SUBMITTING', category = null, reason = 'claimed', actor = 'node', evidence_id = null,"
                + " attempts = attempts + 1, first_sent_at = coalesce(first_sent_at, clock_timestamp()),"
                + " due_at = clock_timestamp() + interval '1 minute' where payment_id = ? returning *)"
                + " insert into attempt (payment_id, attempt_no, provider_key, worker, lease_until)"
                + " select payment_id, attempts, provider_key, actor, due_at from c", id);
    }

    /** @return a new payment, in this state by a legal way; REVIEW is RECEIPT_MISSING */
    public UUID in(String state) {
        UUID id = accepted();
        if (!state.equals("PENDING")) {
            claimed(id);
        }
        switch (state) {
            case "SUCCEEDED" -> record(answer(id, 1, "SUCCEEDED"));
            case "FAILED" -> record(answer(id, 1, "REJECTED"));
            case "PROCESSING" -> record(answer(id, 1, "ACCEPTED"));
            case "UNKNOWN" -> unknownByLease(id);
            case "REVIEW" -> {
                unknownByLease(id);
                late(id);
                new Decisions(database).leaseOver(id);
            }
            default -> { }
        }
        return id;
    }

    /** @return the id of a payment that is in REVIEW while its request may still arrive */
    public UUID inReviewEarly() {
        UUID id = in("UNKNOWN");
        late(id);
        return id;
    }

    private void late(UUID id) {
        jdbc.update("update payment set state = 'REVIEW', category = 'RECEIPT_MISSING', reason = 'late' where payment_id = ?", id);
    }

    private void unknownByLease(UUID id) {
        due(id);
        database.run("expire-leases", Map.of("node", "node"));
    }

    /** @return a row for record-evidence.sql: the answer of an attempt */
    public static Map<String, Object> answer(UUID id, int attempt, String verdict) {
        return row(id, attempt, "ANSWER", verdict);
    }

    /** @return a row for record-evidence.sql: the answer of a query */
    public static Map<String, Object> query(UUID id, int attempt, String verdict) {
        return row(id, attempt, "QUERY", verdict);
    }

    /** @return a row for record-evidence.sql: what a webhook or a settlement line tells, under the name of this fact */
    public static Map<String, Object> told(UUID id, String source, String verdict, String fact) {
        return with(row(id, null, source, verdict), "fact", fact);
    }

    private static Map<String, Object> row(UUID id, Integer attempt, String source, String verdict) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("payment_id", id.toString());
        row.put("attempt_no", attempt);
        row.put("source", source);
        row.put("verdict", verdict);
        row.put("reason", source + " says " + verdict);
        row.put("recorded_by", "node");
        row.put("next", switch (verdict) {
            case "SUCCEEDED" -> "SUCCEEDED";
            case "REJECTED" -> "FAILED";
            case "ACCEPTED" -> "PROCESSING";
            case "NOT_EXECUTED" -> "PENDING";
            default -> "UNKNOWN";
        });
        return row;
    }

    /** @return the row with one more field */
    public static Map<String, Object> with(Map<String, Object> row, String field, Object value) {
        row.put(field, value);
        return row;
    }

    /** @return what record-evidence.sql answers for these rows in one statement */
    @SafeVarargs
    public final List<Map<String, Object>> record(Map<String, Object>... rows) {
        try {
            return database.run("record-evidence", Map.of("body", JSON.writeValueAsString(rows)));
        }
        catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** @return the id of new evidence, written by plain SQL */
    public long evidence(UUID id, Integer attempt, String source, String verdict, String mismatch) {
        return jdbc.queryForObject("insert into evidence (payment_id, attempt_no, source, verdict, mismatch, reason, recorded_by)"
                + " values (?, ?, ?, ?, ?, 'by hand', 'route') returning evidence_id", Long.class, id, attempt, source, verdict, mismatch);
    }

    /** Grants a permit by plain SQL. */
    public void permit(UUID id, int attempt, String kind, Long evidence) {
        jdbc.update("insert into resend_permit (payment_id, for_attempt, kind, evidence_id, granted_by, reason)"
                + " values (?, ?, ?, ?, 'route', 'by hand')", id, attempt, kind, evidence);
    }

    /** Changes the state by plain SQL, naming this evidence (null for none). */
    public void move(UUID id, String state, Long evidence) {
        jdbc.update("update payment set state = ?, category = case when ? = 'REVIEW' then 'RECEIPT_MISSING' end, reason = 'by hand',"
                + " evidence_id = ?, generation = generation + (state = 'FAILED' and ? = 'PENDING')::int,"
                + " in_doubt = (? = 'PENDING' and state = 'UNKNOWN' and exists (select from resend_permit r where r.payment_id = payment.payment_id"
                + " and r.for_attempt = attempts + 1 and r.kind in ('SAME_KEY', 'AT_LEAST_ONCE')))"
                + " where payment_id = ?", state, state, evidence, state, state, id);
    }

    /** @return the state; of a REVIEW with its category, as {@code REVIEW STATE_CONFLICT} */
    public String state(UUID id) {
        return jdbc.queryForObject("select concat_ws(' ', state, category) from payment where payment_id = ?", String.class, id);
    }

    /** @return what refunds and reversals have taken of the payment, in minor units */
    public long givenBack(UUID id) {
        return value(id, "given_back_minor", Long.class);
    }

    /** @return one value of the payment, by an SQL expression */
    public <T> T value(UUID id, String expression, Class<T> type) {
        return jdbc.queryForObject("select " + expression + " from payment where payment_id = ?", type, id);
    }
}
