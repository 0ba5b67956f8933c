package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Books;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.Payments;
import org.paymentroutes.support.Refused;
import org.postgresql.util.PSQLException;
import org.springframework.dao.DataAccessException;

/** Random histories, of the real statements and of statements that a wrong route might run: the books hold at every moment. */
class RandomHistoriesTest {

    private static final List<String> STATES =
            List.of("PENDING", "SUBMITTING", "PROCESSING", "UNKNOWN", "SUCCEEDED", "FAILED", "REVIEW");
    private static final List<String> VERDICTS =
            List.of("SUCCEEDED", "REJECTED", "ACCEPTED", "NOT_EXECUTED", "AMBIGUOUS", "NOT_FOUND", "UNREACHABLE");
    private static final Set<String> REFUSALS = Set.of("PR003", "PR004", "PR005", "PR006", "PR007", "PR008", "PR010", "transition_is_legal",
            "never_more_back_than_paid",
            "payment_has_its_attempt", "second_attempt_needs_permit", "resend_permit_pkey", "evidence_answer_once",
            "evidence_payment_id_attempt_no_fkey", "resend_permit_for_attempt_check");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 7, 42, 1001, 20240229, 987654321})
    void theBooksHoldAtEveryMoment(long seed) {
        try (Database database = Database.create()) {
            Payments payments = new Payments(database, "acme");
            payments.contract("backoff_base_ms", 1);
            payments.contract("backoff_cap_ms", 1);
            for (String operation : List.of("CHARGE", "PAYOUT", "REFUND")) {
                payments.operation(operation, "same_key = true, key_lifetime_ms = 86400000, key_margin_ms = 0, resend_max = 2,"
                        + " at_least_once_up_to = '{\"EUR\": 500}', at_least_once_acceptance = 'duplicates are accepted here',"
                        + " retry_codes = '{AGAIN}', retry_max = 2, retry_delay_ms = 0");
            }
            Random random = new Random(seed);
            List<UUID> ids = new ArrayList<>();
            int refused = 0;
            for (int step = 0; step < 250; step++) {
                String moment = "seed " + seed + ", step " + step;
                try {
                    moment += ": " + one(random, database, payments, ids);
                }
                catch (DataAccessException e) {
                    PSQLException cause = Refused.refusal(e);
                    assertThat((Throwable) cause).as(moment).isNotNull();
                    assertThat(REFUSALS).as(moment + ": " + cause.getMessage()).contains(Refused.by(cause));
                    refused++;
                }
                Books.hold(database.jdbc(), moment);
            }
            assertThat(refused).as("seed %d tries what must be refused", seed).isPositive();
            assertThat(database.jdbc().queryForObject("select count(distinct to_state) from transition", Integer.class)).isEqualTo(7);
        }
    }

    private static String one(Random random, Database database, Payments payments, List<UUID> ids) {
        if (ids.size() < 4 || random.nextInt(8) == 0) {
            String operation = List.of("CHARGE", "PAYOUT", "REFUND").get(random.nextInt(3));
            ids.add(payments.accepted(operation, 1 + random.nextInt(1000), random.nextBoolean() ? "EUR" : "JPY", UUID.randomUUID().toString()));
            return "accept";
        }
        UUID id = ids.get(random.nextInt(ids.size()));
        int attempts = payments.value(id, "attempts", Integer.class);
        String verdict = VERDICTS.get(random.nextInt(VERDICTS.size()));
        switch (random.nextInt(14)) {
            case 0, 1 -> {
                payments.claim(1 + random.nextInt(3));
                return "claim";
            }
            case 2, 3 -> {
                payments.record(answerWithField(random, Payments.answer(id, Math.max(1, attempts - random.nextInt(2)),
                        VERDICTS.get(random.nextInt(5)))));
                return "answer";
            }
            case 4 -> {
                payments.record(answerWithField(random, Payments.query(id, Math.max(1, attempts), verdict)));
                return "query";
            }
            case 5 -> {
                payments.due(id);
                database.run("expire-leases", java.util.Map.of("node", "node"));
                return "expire";
            }
            case 6 -> {
                payments.due(id);
                payments.contract("can_query", random.nextBoolean());
                database.run("give-up", java.util.Map.of("node", "node"));
                payments.claimQueries(2);
                return "give up";
            }
            case 12 -> {
                database.jdbc().update("update payment set resend_at = clock_timestamp() where payment_id = ?", id);
                database.run("resend", java.util.Map.of("node", "node"));
                return "resend";
            }
            case 13 -> {
                java.util.Map<String, Object> row = answerWithField(random, Payments.told(id, random.nextBoolean() ? "WEBHOOK" : "SETTLEMENT", verdict,
                        "fact " + random.nextInt(1000)));
                payments.record(random.nextInt(4) == 0 ? Payments.with(row, "amount_minor", 1) : row);
                return "told " + verdict;
            }
            case 7 -> {
                payments.permit(id, attempts + 1, random.nextBoolean() ? "NOT_EXECUTED" : "TWO_PEOPLE", lastEvidence(database, id));
                return "permit";
            }
            case 10 -> {
                ids.add(payments.refund(id, 1 + random.nextInt(500), payments.value(id, "currency", String.class), UUID.randomUUID().toString()));
                return "refund";
            }
            case 11 -> {
                String kind = List.of("RETURN", "CHARGEBACK", "CHARGEBACK_REVERSED", "REFUND_FAILED").get(random.nextInt(4));
                String source = random.nextBoolean() ? "WEBHOOK" : "SETTLEMENT";
                database.jdbc().update("insert into reversal (payment_id, kind, amount_minor, currency, fact, source, reason, actor)"
                        + " select payment_id, ?, ?, currency, ?, ?, 'told', 'test' from payment where payment_id = ?", kind,
                        1 + random.nextInt(300), UUID.randomUUID().toString(), source, id);
                return "reversal " + kind;
            }
            case 8 -> {
                payments.evidence(id, random.nextBoolean() && attempts > 0 ? (Integer) attempts : null, "WEBHOOK", verdict,
                        random.nextInt(4) == 0 ? "amount" : null);
                return "evidence " + verdict;
            }
            default -> {
                String state = STATES.get(random.nextInt(STATES.size()));
                payments.move(id, state, lastEvidence(database, id));
                return "move to " + state;
            }
        }
    }

    private static java.util.Map<String, Object> answerWithField(Random random, java.util.Map<String, Object> row) {
        row.put("code", random.nextBoolean() ? "AGAIN" : null);
        return random.nextInt(10) == 0 ? Payments.with(row, "mismatch", "amount")
                : random.nextInt(3) == 0 ? Payments.with(row, "provider_payment_id", "P-" + random.nextInt(6)) : row;
    }

    private static Long lastEvidence(Database database, UUID id) {
        return database.jdbc().queryForObject("select max(evidence_id) from evidence where payment_id = ?", Long.class, id);
    }
}
