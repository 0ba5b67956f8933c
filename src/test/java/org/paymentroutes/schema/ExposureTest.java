package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.NamedSql;
import org.paymentroutes.support.AtOnce;
import org.paymentroutes.support.Payments;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;

/** When money in doubt stops the claiming, when it resumes, and what goes on meanwhile. */
class ExposureTest extends OwnProviderTest {

    private String name;

    @BeforeEach
    void namesItsProvider() {
        name = payments.provider();
    }

    @Test
    void theCountStopsTheClaimAtOnceAndTheTickKeepsItStoppedUntilItHasClearlyFallen() {
        limit(10, "{}");
        List<UUID> doubtful = unknown(9);
        payments.accepted();
        assertThat(payments.claim(1)).hasSize(1);
        doubtful.addAll(unknown(1));
        payments.accepted();
        assertThat(payments.claim(5)).as("before anybody noticed").isEmpty();
        tick();
        assertThat(actions()).containsExactly("STOPPED");
        assertThat(alerts()).isEqualTo(1);

        resolve(doubtful.remove(0));
        tick();
        assertThat(payments.claim(5)).as("9 of 10 is not clearly below").isEmpty();
        resolve(doubtful.remove(0));
        tick();
        assertThat(actions()).containsExactly("STOPPED", "RELEASED");
        assertThat(alerts()).isZero();
        assertThat(payments.claim(5)).hasSize(1);
    }

    @Test
    void noStatementOfAnotherKindClaimsOverTheLimit() {
        String claim = "with claimed as (update payment p set state = 'SUBMITTING', reason = 'route', actor = 'route', attempts = attempts + 1,"
                + " first_sent_at = clock_timestamp(), due_at = clock_timestamp() + interval '1 second' where p.payment_id = any (?::uuid[])"
                + " returning p.*) insert into attempt (payment_id, attempt_no, provider_key, worker, lease_until)"
                + " select payment_id, attempts, provider_key, actor, due_at from claimed";
        limit(2, "{}");
        List<UUID> doubtful = unknown(2);
        UUID waiting = payments.accepted();
        Payments other = new Payments(database, name + "-other");
        UUID elsewhere = other.accepted();
        refused("PR025", () -> database.jdbc().update(claim, "{" + waiting + "}"));
        refused("PR025", () -> database.jdbc().update(claim, "{" + waiting + "," + elsewhere + "}"));
        assertThat(database.jdbc().update(claim, "{" + elsewhere + "}")).isEqualTo(1);
        resolve(doubtful.get(0));
        assertThat(database.jdbc().update(claim, "{" + waiting + "}")).isEqualTo(1);
    }

    @Test
    void theAmountStopsItAndOnlyThisProvider() {
        limit(null, "{\"EUR\": \"10.00\"}");
        unknown(1);
        payments.accepted();
        assertThat(payments.claim(1)).as("5.00 of 10.00").hasSize(1);
        unknown(1);
        payments.accepted("CHARGE", 100, "USD", UUID.randomUUID().toString());
        assertThat(payments.claim(1)).as("10.00 of 10.00, and it is the provider that is stopped").isEmpty();
        Payments other = new Payments(database, name + "-other");
        other.accepted();
        assertThat(other.claim(1)).hasSize(1);
    }

    @Test
    void aReviewThatMayHavePaidCountsAndOneThatDidNotDoesNot() {
        limit(1, "{}");
        UUID late = payments.accepted();
        database.jdbc().update("update payment set state = 'REVIEW', category = 'NOT_EXECUTED', reason = 'late' where payment_id = ?", late);
        payments.accepted();
        assertThat(payments.claim(1)).hasSize(1);
        payments.in("REVIEW");
        payments.accepted();
        assertThat(payments.claim(1)).isEmpty();
    }

    @Test
    void anAttemptWhoseWorkerIsGoneCountsBeforeItIsCalledUnknown() {
        limit(1, "{}");
        payments.due(payments.in("SUBMITTING"));
        payments.accepted();
        assertThat(payments.claim(1)).isEmpty();
    }

    @Test
    void whatIsStoppedIsAskedAboutAndResolvedAndNotGivenUp() {
        limit(1, "{}");
        UUID doubtful = unknown(1).get(0);
        UUID waiting = payments.accepted();
        tick();
        payments.contract("send_time_limit_ms", 1L);
        database.withoutRules(jdbc -> jdbc.update("update payment set accepted_at = now() - interval '1 day' where payment_id = ?", waiting));
        database.run("give-up", Map.of("node", "node"));
        assertThat(payments.state(waiting)).isEqualTo("PENDING");
        payments.due(doubtful);
        assertThat(payments.claimQueries(5)).extracting(row -> row.get("payment_id")).containsExactly(doubtful.toString());
        payments.record(Payments.query(doubtful, 1, "SUCCEEDED"));
        assertThat(payments.state(doubtful)).isEqualTo("SUCCEEDED");
    }

    @Test
    void whatIsStoppedIsNotReadAtEachPoll() {
        limit(1, "{}");
        unknown(1);
        database.jdbc().update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,"
                + " amount_minor, currency) select gen_random_uuid(), 'c', ? || i, 'f', ? || i, 'PAYOUT', ?, 'main', 5, 'EUR'"
                + " from generate_series(1, 20000) i", name, name, name);
        database.jdbc().execute("analyze payment, outbox");
        String plan = String.join("\n", new NamedParameterJdbcTemplate(database.jdbc()).queryForList(
                "explain (analyze, buffers off, timing off) " + Database.jdbcText("claim"),
                Map.of("provider", name, "claimable", 16, "node", "node"), String.class));
        assertThat(plan).containsPattern("Index Scan using payment_in_doubt|Bitmap Index Scan on payment_in_doubt")
                .doesNotContainPattern("rows=20000 loops=1").doesNotContainPattern("Rows Removed by Filter: \\d{3,}");
    }

    @Test
    void anOperatorRaisesTheLimitForATime() {
        limit(2, "{}");
        unknown(2);
        payments.accepted();
        tick();
        assertThat(payments.claim(1)).isEmpty();
        List<Map<String, Object>> answer = operator(false, "anna", "the provider confirmed them", 30, 100);
        assertThat((String) answer.get(0).get("exposure")).contains("\"currency\" : \"EUR\"");
        tick();
        assertThat(actions()).containsExactly("STOPPED", "RESUMED", "OVERRIDDEN", "RELEASED");
        assertThat(payments.claim(1)).hasSize(1);
        database.withoutRules(jdbc -> jdbc.update("update provider_stop_history set until_at = now() - interval '1 minute'"
                + " where until_at is not null and provider = ?", name));
        payments.accepted();
        assertThat(payments.claim(1)).as("the time is over").isEmpty();
        tick();
        assertThat(actions()).endsWith("RELEASED", "STOPPED");
    }

    @Test
    void nobodyRaisesItForLongerThanADayOrWithoutAReason() {
        refused("override_ends_within_a_day", () -> operator(false, "anna", "because", 1441, 100));
        refused("stop_has_a_reason", () -> operator(false, "anna", "", 10, 100));
        refused("PR001", () -> database.jdbc().update("delete from provider_stop_history"));
    }

    @Test
    void everyStopAndGoOfPeopleIsKept() {
        operator(true, "anna", "maintenance", 0, 100);
        payments.accepted();
        assertThat(payments.claim(1)).isEmpty();
        operator(false, "bert", "", 0, 100);
        assertThat(payments.claim(1)).hasSize(1);
        assertThat(database.jdbc().queryForList("select concat_ws(' ', action, actor, reason) from provider_stop_history where provider = ?"
                + " order by history_id", String.class, name)).containsExactly("PAUSED anna maintenance", "RESUMED bert ");
    }

    @Test
    void nodesThatLookAtOnceStopItOnce() throws Exception {
        limit(3, "{}");
        unknown(3);
        AtOnce.onEach(6, () -> database.run("exposure-stops", Map.of("node", "node")));
        assertThat(actions()).containsExactly("STOPPED");
    }

    @Test
    void whatIsOnTheWireIsAllThatExceedsIt() {
        limit(5, "{}");
        for (int i = 0; i < 40; i++) {
            payments.accepted();
        }
        int workers = 8;
        List<Map<String, Object>> claimed = payments.claim(workers);
        for (int round = 0; round < 10; round++) {
            for (Map<String, Object> row : claimed) {
                payments.record(Payments.answer(UUID.fromString((String) row.get("payment_id")), 1, "AMBIGUOUS"));
            }
            claimed = payments.claim(workers);
        }
        assertThat(database.jdbc().queryForObject("select count(*) from payment where provider = ? and state = 'UNKNOWN'", Integer.class, name))
                .isBetween(5, 5 + workers - 1);
    }

    private void limit(Integer count, String amounts) {
        String sql = NamedSql.load("register-exposure");
        MapSqlParameterSource parameters = new MapSqlParameterSource("name", name)
                .addValue("maxCount", count).addValue("maxAmounts", amounts).addValue("resumePercent", 80);
        new NamedParameterJdbcTemplate(database.jdbc()).update(sql, parameters);
    }

    private List<UUID> unknown(int count) {
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(payments.in("UNKNOWN"));
        }
        return ids;
    }

    private void resolve(UUID id) {
        payments.record(Payments.query(id, 1, "SUCCEEDED"));
    }

    private static void tick() {
        database.run("exposure-stops", Map.of("node", "node"));
    }

    private List<Map<String, Object>> operator(boolean pause, String actor, String reason, int minutes, int raise) {
        return database.run("pause-provider", Map.of("name", name, "paused", pause, "actor", actor, "reason", reason,
                "overrideMinutes", minutes, "raisePercent", raise));
    }

    private List<String> actions() {
        return database.jdbc().queryForList("select action from provider_stop_history where provider = ? order by history_id", String.class, name);
    }

    private int alerts() {
        return database.jdbc().queryForObject("select count(*) from alert where kind = 'EXPOSURE' and cleared_at is null and subject = ?",
                Integer.class, name + "/EUR");
    }
}
