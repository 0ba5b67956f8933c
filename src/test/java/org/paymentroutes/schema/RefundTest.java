package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.AtOnce;
import org.paymentroutes.support.Payments;
import org.paymentroutes.support.Refused;
import org.postgresql.util.PSQLException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Refunds are never more than what is left of their payment, also with plain SQL and many at a time. */
class RefundTest extends OneProviderTest implements BooksHold {

    private static UUID refund(UUID payment, long amount) {
        return payments.refund(payment, amount, "EUR", UUID.randomUUID().toString());
    }

    @Test
    void takesOfThePaymentAsSoonAsItExistsAndUntilItFails() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        UUID first = refund(paid, 600);
        assertThat(payments.givenBack(paid)).isEqualTo(600);
        refused("PR010", () -> refund(paid, 401));
        payments.claimed(first);
        payments.record(Payments.answer(first, 1, "REJECTED"));
        assertThat(payments.givenBack(paid)).isZero();
        UUID second = refund(paid, 1000);
        payments.claimed(second);
        payments.record(Payments.answer(second, 1, "AMBIGUOUS"));
        assertThat(payments.state(second)).isEqualTo("UNKNOWN");
        refused("PR010", () -> refund(paid, 1));
        payments.record(Payments.query(second, 1, "SUCCEEDED"));
        assertThat(payments.givenBack(paid)).isEqualTo(1000);
        refused("PR010", () -> refund(paid, 1));
    }

    @Test
    void namesWhatIsLeft() {
        UUID paid = payments.succeeded("PAYOUT", 1000, "EUR");
        refund(paid, 300);
        PSQLException refusal = Refused.refusal(org.assertj.core.api.Assertions.catchThrowable(() -> refund(paid, 701)));
        assertThat(refusal.getServerErrorMessage().getDetail()).contains("\"leftMinor\" : 700");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PENDING", "SUBMITTING", "PROCESSING", "UNKNOWN", "FAILED", "REVIEW"})
    void isOnlyOfAPaymentThatSucceeded(String state) {
        UUID payment = payments.in(state);
        refused("PR010", () -> refund(payment, 1));
    }

    @Test
    void isNotOfAPaymentThatPeopleLookAt() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        payments.record(Payments.query(paid, 1, "REJECTED"));
        assertThat(payments.state(paid)).isEqualTo("SUCCEEDED");
        refused("PR010", () -> refund(paid, 1));
        decisions.decided(paid, "CLOSE_WITH_ADJUSTMENT", "{\"lines\": []}");
        refund(paid, 1);
    }

    @Test
    void isOfAPaymentByTheSameProviderInTheSameCurrencyAndOfNoRefund() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        refused("PR010", () -> payments.refund(paid, 1, "USD", "other currency"));
        Payments other = new Payments(database, "other");
        refused("PR010", () -> other.refund(paid, 1, "EUR", "other provider"));
        UUID refund = refund(paid, 10);
        payments.claimed(refund);
        payments.record(Payments.answer(refund, 1, "SUCCEEDED"));
        refused("PR010", () -> refund(refund, 1));
        other.contract("can_refund", false);
        UUID final_ = other.succeeded("CHARGE", 10, "EUR");
        refused("PR010", () -> other.refund(final_, 1, "EUR", "no refunds there"));
    }

    @Test
    void namesItsPaymentForEver() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        UUID refund = refund(paid, 10);
        refused("PR003", () -> database.jdbc().update("update payment set refund_of = ? where payment_id = ?",
                payments.succeeded("CHARGE", 5000, "EUR"), refund));
        refused("a_refund_names_its_payment", () -> payments.accept(UUID.randomUUID(), "caller", "k-1", "REFUND", 5, "EUR", "r-1"));
        refused("a_refund_names_its_payment", () -> payments.accept(UUID.randomUUID(), "caller", "k-2", "CHARGE", 5, "EUR", "r-2", paid.toString()));
    }

    @Test
    void noStatementWritesWhatIsGivenBack() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        refund(paid, 1000);
        refused("PR002", () -> database.jdbc().update("update payment set given_back_minor = 0 where payment_id = ?", paid));
        refused("PR002", () -> database.jdbc().update("update payment set reversal_waits = true where payment_id = ?", paid));
    }

    @Test
    void aRepeatedRequestTakesNothing() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        UUID id = UUID.randomUUID();
        assertThat(payments.accept(id, "caller", "again-" + id, "REFUND", 1000, "EUR", "again", paid.toString()))
                .containsEntry("result", "CREATED");
        assertThat(payments.accept(UUID.randomUUID(), "caller", "again-" + id, "REFUND", 1000, "EUR", "again", paid.toString()))
                .containsEntry("result", "REPLAYED");
        assertThat(payments.givenBack(paid)).isEqualTo(1000);
        payments.claimed(id);
        payments.record(Payments.answer(id, 1, "SUCCEEDED"));
        assertThat(payments.accept(UUID.randomUUID(), "caller", "again-" + id, "REFUND", 1000, "EUR", "again", paid.toString()))
                .containsEntry("result", "REPLAYED");
        assertThat(payments.givenBack(paid)).isEqualTo(1000);
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
    void twentyAtATimeAreNeverMoreThanThePayment(int isolation) throws Exception {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(database.jdbc().getDataSource()));
        transaction.setIsolationLevel(isolation);
        List<Callable<Boolean>> refunds = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            refunds.add(() -> {
                try {
                    transaction.executeWithoutResult(status -> refund(paid, 300));
                    return true;
                }
                catch (DataAccessException e) {
                    assertThat(Refused.refusal(e).getSQLState()).isIn("PR010", "40001");
                    return false;
                }
            });
        }
        long accepted = AtOnce.all(10, refunds).stream().filter(done -> done).count();
        assertThat(payments.givenBack(paid)).isEqualTo(accepted * 300).isLessThanOrEqualTo(1000);
        if (isolation == Connection.TRANSACTION_READ_COMMITTED) {
            assertThat(accepted).isEqualTo(3);
        }
    }

    @Test
    void isClaimedWithWhatTheProviderKnowsOfItsPayment() {
        Payments claiming = new Payments(database, "claiming");
        UUID paid = claiming.accepted("CHARGE", 500, "EUR", "paid");
        claiming.claimed(paid);
        claiming.record(Payments.with(Payments.answer(paid, 1, "SUCCEEDED"), "provider_payment_id", "PSP-1"));
        UUID refund = claiming.refund(paid, 200, "EUR", "refund");
        assertThat(claiming.claim(5)).singleElement().satisfies(row -> assertThat(row).containsEntry("payment_id", refund.toString())
                .containsEntry("operation", "REFUND").containsEntry("refunded_id", "PSP-1")
                .containsEntry("refunded_key", paid.toString().replace("-", "")));
        claiming.record(Payments.answer(refund, 1, "AMBIGUOUS"));
        claiming.due(refund);
        assertThat(claiming.claimQueries(5)).singleElement().satisfies(row -> assertThat(row).containsEntry("refunded_id", "PSP-1"));
        UUID payout = claiming.accepted();
        assertThat(claiming.claim(5)).singleElement().satisfies(row -> assertThat(row).containsEntry("payment_id", payout.toString())
                .containsEntry("refunded_id", null));
    }

    @Test
    void thePartThatMovedStaysGivenBackWhenPeopleEndTheRefund() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        UUID part = refund(paid, 1000);
        payments.claimed(part);
        payments.record(Payments.with(Payments.answer(part, 1, "SUCCEEDED"), "amount_minor", 400));
        assertThat(payments.value(part, "confirmed_minor", Long.class)).isEqualTo(400);
        decisions.leaseOver(part);
        decisions.decided(part, "CONFIRM_FAILED", "{}");
        assertThat(payments.givenBack(paid)).isEqualTo(400);
        refused("PR010", () -> refund(paid, 601));
        refund(paid, 600);
    }

    @Test
    void isNotSentWhilePeopleLookAtWhatCameBackOfItsPayment() {
        Payments charged = new Payments(database, "charged");
        UUID paid = charged.succeeded("CHARGE", 1000, "EUR");
        UUID refund = charged.refund(paid, 600, "EUR", "waits");
        UUID other = charged.refund(charged.succeeded("CHARGE", 10, "EUR"), 10, "EUR", "goes");
        // The payer takes all of it back before the refund was sent: both together would be more than was paid.
        charged.reversal(paid, "CHARGEBACK", 1000);
        assertThat(charged.claim(5)).singleElement().satisfies(row -> assertThat(row).containsEntry("payment_id", other.toString()));
        refused("PR006", () -> charged.claimed(refund));
        // Closing the conflict does not make room for it.
        decisions.decided(paid, "CLOSE_WITH_ADJUSTMENT",
                "{\"lines\": [{\"debit\": \"reversed\", \"credit\": \"provider_clearing\", \"amountMinor\": 1000}]}");
        assertThat(charged.claim(5)).isEmpty();
        refused("PR006", () -> charged.claimed(refund));
    }

    @Test
    void isNotSentWhileItsPaymentMayNotHaveSucceeded() {
        Payments doubted = new Payments(database, "doubted");
        UUID paid = doubted.succeeded("CHARGE", 1000, "EUR");
        UUID refund = doubted.refund(paid, 600, "EUR", "doubted");
        doubted.record(Payments.query(paid, 1, "REJECTED"));
        assertThat(doubted.claim(5)).isEmpty();
        decisions.decided(paid, "CLOSE_WITH_ADJUSTMENT", "{\"lines\": []}");
        assertThat(doubted.claim(5)).singleElement().satisfies(row -> assertThat(row).containsEntry("payment_id", refund.toString()));
    }

    @Test
    void aFailedRefundThatTurnsOutMadeCountsAgain() {
        Payments late = new Payments(database, "late");
        UUID paid = late.succeeded("CHARGE", 1000, "EUR");
        UUID made = late.refund(paid, 600, "EUR", "made");
        late.claimed(made);
        late.record(Payments.answer(made, 1, "REJECTED"));
        UUID waiting = late.refund(paid, 500, "EUR", "waiting");
        late.record(Payments.told(made, "WEBHOOK", "SUCCEEDED", "late success"));
        assertThat(late.state(made)).isEqualTo("FAILED");
        refused("PR010", () -> late.refund(paid, 100, "EUR", "one more"));
        assertThat(late.claim(5)).isEmpty();
        refused("PR006", () -> late.claimed(waiting));
        decisions.decided(made, "CLOSE_WITH_ADJUSTMENT",
                "{\"lines\": [{\"debit\": \"requested\", \"credit\": \"provider_clearing\", \"amountMinor\": 600}]}");
        refused("PR010", () -> late.refund(paid, 100, "EUR", "one more"));
        assertThat(late.claim(5)).isEmpty();
        late.move(waiting, "FAILED", null);
        refused("PR010", () -> late.refund(paid, 401, "EUR", "the rest and more"));
        UUID rest = late.refund(paid, 400, "EUR", "the rest");
        assertThat(late.claim(5)).singleElement().satisfies(row -> assertThat(row).containsEntry("payment_id", rest.toString()));
    }
}
