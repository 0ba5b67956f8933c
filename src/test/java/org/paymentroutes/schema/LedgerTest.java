package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Books;
import org.paymentroutes.support.Payments;

/** The books balance because nothing else can be written. */
class LedgerTest extends OneProviderTest {

    private static void post(String event, String fact, String debit, String credit, long amount) {
        database.jdbc().update("insert into ledger_posting (event, fact, debit_account, credit_account, amount_minor, currency, reason, actor)"
                + " values (?, ?, ?, ?, ?, 'EUR', 'r', 'r')", event, fact, debit, credit, amount);
    }

    @Test
    void thereIsNoOneSidedEntry() {
        refused("23502", () -> post("SettlementBooked", "f-1", "bank", null, 5));
        refused("23502", () -> post("SettlementBooked", "f-1", null, "bank", 5));
        refused("ledger_posting_check", () -> post("SettlementBooked", "f-1", "bank", "bank", 5));
        refused("55000", () -> database.jdbc().update("insert into ledger_entry (fact) values ('one-sided')"));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void anAmountIsPositive(long amount) {
        refused("ledger_posting_amount_minor_check", () -> post("SettlementBooked", "f-2", "bank", "provider_clearing", amount));
    }

    @Test
    void aFactIsPostedOnce() {
        database.withoutRules(jdbc -> post("SettlementBooked", "line-1", "bank", "provider_clearing", 5));
        refused("fact_is_posted_once", () -> database.withoutRules(jdbc -> post("SettlementBooked", "line-1", "bank", "provider_clearing", 5)));
        assertThat(database.jdbc().queryForObject("select sum(balance_minor) from ledger_balance", Long.class)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PaymentConfirmed", "PaymentFailed", "PaymentInDoubt", "RefundConfirmed"})
    void whatBecameOfAPaymentIsPostedByTheRulesOnly(String event) {
        refused("PR002", () -> post(event, "f-3", "provider_clearing", "receivable", 5));
    }

    @Test
    void noStatementTakesTheFactOfAPaymentOrTouchesWhatIsInDoubt() {
        UUID id = payments.in("SUBMITTING");
        refused("PR002", () -> post("ReconciliationAdjusted", id + ":3", "bank", "suspense", 5));
        refused("PR002", () -> post("ReconciliationAdjusted", "f-4", "bank", "in_doubt_in", 5));
        refused("PR002", () -> post("ReconciliationAdjusted", "f-4", "in_doubt_out", "bank", 5));
        payments.record(Payments.answer(id, 1, "SUCCEEDED"));
        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"CHARGE", "PAYOUT", "REFUND"})
    void theAmountOfAPaymentStandsWhereItsStateSays(String operation) {
        UUID id = payments.accepted(operation, 700, "JPY", operation);
        Books.hold(database.jdbc(), "accepted");
        payments.claimed(id);
        payments.record(Payments.answer(id, 1, "AMBIGUOUS"));
        Books.hold(database.jdbc(), "in doubt");
        payments.record(Payments.query(id, 1, "ACCEPTED"));
        Books.hold(database.jdbc(), "doubt lifted");
        payments.record(Payments.query(id, 1, "SUCCEEDED"));
        Books.hold(database.jdbc(), "confirmed");
        assertThat(database.jdbc().queryForList("select event from ledger_posting where payment_id = ? order by posting_id", String.class, id))
                .containsExactlyElementsOf(java.util.stream.Stream.of("Requested", "InDoubt", "DoubtLifted", "Confirmed")
                        .map(e -> (operation.equals("REFUND") ? "Refund" : "Payment") + e).toList());
    }

    @Test
    void aReviewThatBecomesAConflictPostsItsDoubt() {
        UUID id = payments.in("UNKNOWN");
        payments.contract("send_time_limit_ms", 1);
        payments.record(Payments.answer(id, 1, "NOT_EXECUTED"));
        payments.contract("send_time_limit_ms", 3600000);
        assertThat(payments.state(id)).isEqualTo("REVIEW NOT_EXECUTED");
        payments.record(Payments.with(Payments.query(id, 1, "SUCCEEDED"), "mismatch", "amount"));
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
        Books.hold(database.jdbc(), "conflict");
    }
}
