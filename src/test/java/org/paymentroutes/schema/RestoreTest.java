package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Payments.answer;
import static org.paymentroutes.support.Payments.query;
import static org.paymentroutes.support.Payments.with;
import static org.paymentroutes.support.Refused.refused;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Books;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.Payments;

/** After a restore from a backup nothing that is not final is believed, and nothing is sent before it was asked about. */
class RestoreTest extends OneProviderTest {

    private static void distrust() {
        database.transaction().executeWithoutResult(status -> {
            for (String statement : List.of("restore-pending", "restore-unknown")) {
                database.named().update(Database.jdbcText(statement), Map.of("node", "restored"));
            }
        });
    }

    @Test
    void whatIsNotFinalBecomesUnknownAndNothingCanBeClaimed() {
        UUID waitsForItsSecondAttempt = payments.in("SUBMITTING");
        payments.record(answer(waitsForItsSecondAttempt, 1, "NOT_EXECUTED"));
        List<UUID> open = Stream.concat(Stream.of("PENDING", "SUBMITTING", "PROCESSING", "UNKNOWN").map(payments::in),
                Stream.of(waitsForItsSecondAttempt)).toList();
        List<UUID> kept = Stream.of("SUCCEEDED", "FAILED", "REVIEW").map(payments::in).toList();

        distrust();

        assertThat(open).extracting(payments::state).containsOnly("UNKNOWN");
        assertThat(kept).extracting(payments::state).containsExactly("SUCCEEDED", "FAILED", "REVIEW RECEIPT_MISSING");
        open.forEach(payments::due);
        assertThat(payments.claim(100)).isEmpty();
        Books.hold(database.jdbc(), "after a restore");

        distrust();
        assertThat(open).extracting(payments::state).containsOnly("UNKNOWN");
        assertThat(payments.value(open.get(0), "attempts", Integer.class)).isEqualTo(1);

        payments.record(query(open.get(0), 1, "SUCCEEDED"));
        assertThat(payments.state(open.get(0))).isEqualTo("SUCCEEDED");
    }

    @Test
    void automationSendsNothingAgainOfWhichAttemptsMayBeMissing() {
        payments.operation("PAYOUT", "same_key = true, key_lifetime_ms = 86400000, key_margin_ms = 3600000, resend_max = 3,"
                + " retry_codes = '{NO_FUNDS}', retry_max = 2, retry_delay_ms = 0");
        UUID unknown = payments.in("UNKNOWN");
        UUID refusedOnce = payments.in("SUBMITTING");
        payments.record(with(answer(refusedOnce, 1, "REJECTED"), "code", "NO_FUNDS"));

        distrust();
        database.run("resend", Map.of("node", "node"));

        assertThat(List.of(unknown, refusedOnce)).extracting(payments::state).containsExactly("UNKNOWN", "FAILED");
        refused("PR005", () -> payments.permit(unknown, 2, "SAME_KEY", null));

        UUID later = payments.in("SUBMITTING");
        payments.record(with(answer(later, 1, "REJECTED"), "code", "NO_FUNDS"));
        database.run("resend", Map.of("node", "node"));
        assertThat(payments.state(later)).as("what is sent after the restore has its rights").isEqualTo("PENDING");
    }

    @Test
    void whatWaitsToBeSentIsNoObstacle() {
        Payments restored = new Payments(database, "restored");
        restored.operation("PAYOUT", SAME_KEY);
        restored.contract("can_query", false);
        UUID outlivedItsKey = restored.in("UNKNOWN");
        database.jdbc().update("update payment set resend_at = clock_timestamp() where payment_id = ?", outlivedItsKey);
        database.run("resend", Map.of("node", "node"));
        assertThat(restored.state(outlivedItsKey)).isEqualTo("PENDING");
        database.withoutRules(rules -> rules.update("update payment set first_sent_at = first_sent_at - interval '2 days' where payment_id = ?",
                outlivedItsKey));
        UUID paid = restored.succeeded("CHARGE", 100, "EUR");
        UUID refund = restored.refund(paid, 60, "EUR", "refund that waits for people");
        restored.reversal(paid, "CHARGEBACK", 100);

        distrust();

        assertThat(List.of(outlivedItsKey, refund)).extracting(restored::state).containsOnly("UNKNOWN");
    }
}
