package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Payments.answer;
import static org.paymentroutes.support.Payments.query;
import static org.paymentroutes.support.Payments.told;
import static org.paymentroutes.support.Payments.with;
import static org.paymentroutes.support.Refused.refused;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The statement that records answers: what is kept, what is applied, and what it does to its neighbours. */
class RecordEvidenceTest extends OneProviderTest implements BooksHold {

    @BeforeAll
    static void allowResendsUnderTheSameKey() {
        payments.operation("PAYOUT", SAME_KEY);
    }

    private static int kept(UUID id, String source) {
        return database.jdbc().queryForObject("select count(*) from evidence where payment_id = ? and source = ?", Integer.class, id, source);
    }

    private static double wait(UUID id) {
        return payments.value(id, "extract(epoch from due_at - clock_timestamp())", Double.class);
    }

    @Test
    void aBadRowFailsTheWholeBatchAndLeavesNothingBehind() {
        List<UUID> ids = List.of(payments.in("SUBMITTING"), payments.in("SUBMITTING"), payments.in("SUBMITTING"));
        refused("evidence_verdict_check", () -> payments.record(answer(ids.get(0), 1, "SUCCEEDED"), answer(ids.get(1), 1, "PERHAPS"),
                answer(ids.get(2), 1, "REJECTED")));
        refused("evidence_payment_id_attempt_no_fkey", () -> payments.record(answer(ids.get(0), 1, "SUCCEEDED"), answer(ids.get(1), 7, "SUCCEEDED")));
        refused("evidence_answer_check", () -> payments.record(answer(ids.get(0), 1, "SUCCEEDED"),
                with(answer(ids.get(1), 1, "SUCCEEDED"), "answer", "x".repeat(16385))));
        refused("PR007", () -> payments.record(answer(ids.get(0), 1, "SUCCEEDED"), with(answer(ids.get(1), 1, "AMBIGUOUS"), "next", "FAILED")));
        assertThat(ids).allSatisfy(id -> {
            assertThat(payments.state(id)).isEqualTo("SUBMITTING");
            assertThat(kept(id, "ANSWER")).isZero();
        });
        payments.record(answer(ids.get(0), 1, "SUCCEEDED"));
        payments.record(answer(ids.get(2), 1, "REJECTED"));
        assertThat(ids).extracting(payments::state).containsExactly("SUCCEEDED", "SUBMITTING", "FAILED");
    }

    @Test
    void theSameAnswerTwiceChangesNothing() {
        UUID id = payments.in("SUBMITTING");
        assertThat(payments.record(answer(id, 1, "NOT_EXECUTED"), answer(id, 1, "NOT_EXECUTED"))).hasSize(1);
        payments.claimed(id);
        assertThat(payments.record(answer(id, 1, "NOT_EXECUTED"))).isEmpty();
        assertThat(payments.state(id)).isEqualTo("SUBMITTING");
        assertThat(kept(id, "ANSWER")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofSeveralAnswersInABatchTheOneThatProvesMostDecides(boolean successFirst) {
        UUID id = payments.in("UNKNOWN");
        if (successFirst) {
            payments.record(answer(id, 1, "SUCCEEDED"), query(id, 1, "NOT_FOUND"));
        }
        else {
            payments.record(query(id, 1, "NOT_FOUND"), answer(id, 1, "SUCCEEDED"));
        }
        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
    }

    @Test
    void aProviderPaymentIdTwiceInABatchBelongsToOnePayment() {
        UUID first = payments.in("SUBMITTING");
        UUID second = payments.in("SUBMITTING");
        payments.record(with(answer(first, 1, "SUCCEEDED"), "provider_payment_id", "P-2"),
                with(answer(second, 1, "SUCCEEDED"), "provider_payment_id", "P-2"),
                with(query(first, 1, "SUCCEEDED"), "provider_payment_id", "P-2"));
        assertThat(List.of(payments.state(first), payments.state(second)))
                .containsExactlyInAnyOrder("SUCCEEDED", "REVIEW STATE_CONFLICT");
    }

    @Test
    void aProviderPaymentIdOfAnotherPaymentIsKeptAndReviewed() {
        UUID first = payments.in("SUBMITTING");
        payments.record(with(answer(first, 1, "SUCCEEDED"), "provider_payment_id", "P-3"));
        UUID second = payments.in("SUBMITTING");
        payments.record(with(answer(second, 1, "SUCCEEDED"), "provider_payment_id", "P-3"));
        assertThat(payments.state(second)).isEqualTo("REVIEW STATE_CONFLICT");
        assertThat(database.jdbc().queryForObject("select mismatch || provider_payment_id from evidence where payment_id = ?", String.class, second))
                .isEqualTo("provider_payment_idP-3");
    }

    @Test
    void ofTwoTransactionsThatNameOneProviderPaymentIdOneOwnsIt() throws Exception {
        UUID first = payments.in("SUBMITTING");
        UUID second = payments.in("SUBMITTING");
        CompletableFuture<?> other = database.transaction().execute(status -> {
            payments.record(with(answer(first, 1, "SUCCEEDED"), "provider_payment_id", "P-4"));
            CompletableFuture<?> waiting = CompletableFuture.runAsync(() ->
                    payments.record(with(answer(second, 1, "SUCCEEDED"), "provider_payment_id", "P-4")));
            Awaitility.await().until(() -> database.jdbc().queryForObject(
                    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'", Integer.class) == 1);
            return waiting;
        });
        other.get(10, TimeUnit.SECONDS);
        assertThat(payments.state(first)).isEqualTo("SUCCEEDED");
        assertThat(payments.state(second)).isEqualTo("REVIEW STATE_CONFLICT");
    }

    @ParameterizedTest
    @CsvSource({"SUBMITTING,SUCCEEDED,SUCCEEDED", "SUBMITTING,REJECTED,FAILED", "SUBMITTING,ACCEPTED,PROCESSING", "SUBMITTING,NOT_EXECUTED,PENDING",
            "SUBMITTING,AMBIGUOUS,UNKNOWN", "UNKNOWN,SUCCEEDED,SUCCEEDED", "UNKNOWN,REJECTED,FAILED", "UNKNOWN,NOT_EXECUTED,PENDING",
            "UNKNOWN,AMBIGUOUS,UNKNOWN", "REVIEW,SUCCEEDED,SUCCEEDED", "REVIEW,REJECTED,FAILED", "REVIEW,NOT_EXECUTED,REVIEW RECEIPT_MISSING"})
    void theAnswerOfTheLastAttemptIsAppliedEvenWhenItIsLate(String state, String verdict, String expected) {
        UUID id = payments.in(state);
        payments.record(answer(id, 1, verdict));
        assertThat(payments.state(id)).isEqualTo(expected);
        assertThat(kept(id, "ANSWER")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SUCCEEDED", "REJECTED", "ACCEPTED", "AMBIGUOUS", "NOT_EXECUTED"})
    void theLateAnswerOfAnEarlierAttemptIsKeptAndNotApplied(String verdict) {
        UUID id = payments.in("UNKNOWN");
        database.withoutRules(jdbc -> payments.permit(id, 2, "SAME_KEY", null));
        payments.move(id, "PENDING", null);
        payments.claimed(id);
        payments.record(answer(id, 1, verdict));
        assertThat(payments.state(id)).isEqualTo("SUBMITTING");
        assertThat(kept(id, "ANSWER")).isEqualTo(1);
        assertThat(database.jdbc().queryForObject("select count(*) from review_case where payment_id = ? and closed_at is null", Integer.class, id))
                .isEqualTo(verdict.equals("SUCCEEDED") ? 1 : 0);
    }

    @ParameterizedTest
    @CsvSource({"SUCCEEDED,REJECTED", "FAILED,SUCCEEDED"})
    void aFinalStateIsNotOverwrittenButReviewed(String state, String verdict) {
        UUID id = payments.in(state);
        payments.record(query(id, 1, verdict));
        assertThat(payments.state(id)).isEqualTo(state);
        assertThat(database.jdbc().queryForObject("select category from review_case where payment_id = ? and closed_at is null", String.class, id))
                .isEqualTo("STATE_CONFLICT");
    }

    @Test
    void aQueryThatFindsSuccessBetweenTwoSendsStopsTheSecond() {
        UUID id = payments.in("UNKNOWN");
        payments.record(answer(id, 1, "NOT_EXECUTED"));
        assertThat(payments.state(id)).isEqualTo("PENDING");
        payments.record(query(id, 1, "SUCCEEDED"));
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
    }

    @Test
    void aRefusalAfterASuccessOnRecordIsAConflictAndNotFailed() {
        UUID id = payments.in("SUBMITTING");
        payments.record(answer(id, 1, "NOT_EXECUTED"));
        payments.claimed(id);
        payments.record(query(id, 1, "SUCCEEDED"));
        assertThat(payments.state(id)).as("the first attempt was said not to be executed").isEqualTo("REVIEW STATE_CONFLICT");
        payments.record(answer(id, 2, "REJECTED"));
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
    }

    @Test
    void notExecutedOverAnAcceptanceIsAConflictAndNotSentAgain() {
        UUID id = payments.in("UNKNOWN");
        payments.record(query(id, 1, "ACCEPTED"));
        payments.record(query(id, 1, "NOT_FOUND"));
        assertThat(payments.state(id)).as("silence takes nothing back").isEqualTo("PROCESSING");
        payments.record(answer(id, 1, "NOT_EXECUTED"));
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
    }

    @Test
    void notExecutedAfterAnAttemptInDoubtLeavesItUnknown() {
        UUID id = payments.in("UNKNOWN");
        database.withoutRules(jdbc -> payments.permit(id, 2, "SAME_KEY", null));
        payments.move(id, "PENDING", null);
        payments.claimed(id);
        payments.record(answer(id, 2, "NOT_EXECUTED"));
        assertThat(payments.state(id)).isEqualTo("UNKNOWN");
    }

    @Test
    void aQueryThatWasAskedBeforeTheLastSendDoesNotFailIt() {
        UUID id = payments.in("SUBMITTING");
        payments.record(answer(id, 1, "NOT_EXECUTED"));
        payments.claimed(id);
        payments.record(answer(id, 2, "AMBIGUOUS"));
        payments.record(query(id, 1, "REJECTED"));
        assertThat(payments.state(id)).isEqualTo("UNKNOWN");
        payments.record(query(id, 2, "REJECTED"));
        assertThat(payments.state(id)).isEqualTo("FAILED");
    }

    @Test
    void aResendWaitsWithinTheCapAndAsLongAsTheProviderAsks() {
        for (int i = 0; i < 20; i++) {
            UUID id = payments.in("SUBMITTING");
            payments.record(answer(id, 1, "NOT_EXECUTED"));
            assertThat(wait(id)).isBetween(-30.0, 1.0);
        }
        UUID asked = payments.in("SUBMITTING");
        payments.record(with(answer(asked, 1, "NOT_EXECUTED"), "retry_after_ms", 30_000));
        assertThat(wait(asked)).isBetween(15.0, 30.0);
        UUID tooLong = payments.in("SUBMITTING");
        payments.record(with(answer(tooLong, 1, "NOT_EXECUTED"), "retry_after_ms", 86_400_000));
        assertThat(wait(tooLong)).isBetween(570.0, 600.0);
        assertThat(database.jdbc().queryForObject("select kind from resend_permit where payment_id = ?", String.class, asked)).isEqualTo("NOT_EXECUTED");
    }

    @Test
    void whatCouldNotBeSentInTimeGoesToPeople() {
        UUID id = payments.in("SUBMITTING");
        payments.contract("send_time_limit_ms", 1);
        payments.record(answer(id, 1, "NOT_EXECUTED"));
        payments.contract("send_time_limit_ms", 3_600_000);
        assertThat(payments.state(id)).isEqualTo("REVIEW NOT_EXECUTED");
    }

    @ParameterizedTest
    @CsvSource({"UNKNOWN,SUCCEEDED,SUCCEEDED,0", "UNKNOWN,REJECTED,FAILED,0", "UNKNOWN,ACCEPTED,PROCESSING,0", "UNKNOWN,NOT_FOUND,UNKNOWN,1",
            "UNKNOWN,AMBIGUOUS,UNKNOWN,1", "UNKNOWN,UNREACHABLE,UNKNOWN,0", "PROCESSING,SUCCEEDED,SUCCEEDED,0", "PROCESSING,REJECTED,FAILED,0",
            "PROCESSING,NOT_FOUND,PROCESSING,1", "PROCESSING,AMBIGUOUS,PROCESSING,1", "PROCESSING,UNREACHABLE,PROCESSING,0",
            "REVIEW,SUCCEEDED,SUCCEEDED,0", "REVIEW,REJECTED,FAILED,0", "REVIEW,ACCEPTED,REVIEW RECEIPT_MISSING,0",
            "REVIEW,NOT_FOUND,REVIEW RECEIPT_MISSING,1"})
    void whatAQueryAnswerDoes(String state, String verdict, String expected, int inconclusive) {
        UUID id = payments.in(state);
        payments.record(query(id, 1, verdict));
        assertThat(payments.state(id)).isEqualTo(expected);
        assertThat(payments.value(id, "inconclusive", Integer.class)).isEqualTo(inconclusive);
    }

    @Test
    void threeInconclusiveAnswersAndTheTimeLimitAskPeople() {
        UUID id = payments.in("UNKNOWN");
        payments.record(query(id, 1, "NOT_FOUND"));
        payments.record(query(id, 1, "AMBIGUOUS"));
        payments.record(query(id, 1, "UNREACHABLE"));
        payments.record(query(id, 1, "NOT_FOUND"));
        assertThat(payments.state(id)).as("the time limit has not passed").isEqualTo("UNKNOWN");
        payments.contract("time_limit_ms", 1);
        payments.record(query(id, 1, "UNREACHABLE"));
        assertThat(payments.state(id)).isEqualTo("UNKNOWN");
        payments.record(query(id, 1, "NOT_FOUND"));
        payments.contract("time_limit_ms", 1_800_000);
        assertThat(payments.state(id)).isEqualTo("REVIEW RECEIPT_MISSING");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UNKNOWN", "PROCESSING", "REVIEW"})
    void anAnswerAboutAnotherPaymentIsAConflictThatNoQueryCloses(String state) {
        UUID id = payments.in(state);
        payments.record(with(query(id, 1, "SUCCEEDED"), "mismatch", "currency"));
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
        payments.record(query(id, 1, "SUCCEEDED"));
        payments.record(query(id, 1, "REJECTED"));
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
        assertThat(kept(id, "QUERY")).isEqualTo(3);
        assertThat(wait(id)).as("queries go on, slowly").isBetween(3500.0, 3600.0);
    }

    @Test
    void aFactIsKeptOnceHoweverOftenItIsTold() {
        UUID id = payments.in("UNKNOWN");
        payments.record(told(id, "WEBHOOK", "ACCEPTED", "event 1"), told(id, "WEBHOOK", "ACCEPTED", "event 1"), told(id, "WEBHOOK", "ACCEPTED", "event 2"),
                with(query(id, 1, "NOT_FOUND"), "fact", "query 1"), with(query(id, 1, "NOT_FOUND"), "fact", "query 2"));
        assertThat(payments.state(id)).isEqualTo("PROCESSING");
        assertThat(kept(id, "WEBHOOK")).isEqualTo(2);
        assertThat(payments.value(id, "queries", Integer.class)).isEqualTo(2);
        assertThat(payments.record(told(id, "WEBHOOK", "ACCEPTED", "event 1"), with(query(id, 1, "NOT_FOUND"), "fact", "query 1"))).isEmpty();
        assertThat(kept(id, "WEBHOOK") + kept(id, "QUERY")).isEqualTo(4);
        assertThat(payments.value(id, "queries", Integer.class)).isEqualTo(2);
    }

    @Test
    void aWebhookThatComesBeforeTheAnswerDecidesOnlyWhenItIsASuccess() {
        UUID paid = payments.in("SUBMITTING");
        payments.record(with(told(paid, "WEBHOOK", "SUCCEEDED", "event"), "provider_payment_id", "P-10"));
        assertThat(payments.state(paid)).isEqualTo("SUCCEEDED");
        payments.record(with(answer(paid, 1, "SUCCEEDED"), "provider_payment_id", "P-10"));
        assertThat(openCases(paid)).isZero();

        UUID refusedLater = payments.in("SUBMITTING");
        payments.record(told(refusedLater, "WEBHOOK", "SUCCEEDED", "event"));
        payments.record(answer(refusedLater, 1, "REJECTED"));
        assertThat(payments.state(refusedLater)).isEqualTo("SUCCEEDED");
        assertThat(openCases(refusedLater)).isEqualTo(1);

        UUID onTheWire = payments.in("SUBMITTING");
        payments.record(told(onTheWire, "WEBHOOK", "REJECTED", "event"));
        assertThat(payments.state(onTheWire)).isEqualTo("SUBMITTING");
        payments.record(answer(onTheWire, 1, "AMBIGUOUS"));
        assertThat(payments.state(onTheWire)).isEqualTo("FAILED");
    }

    @Test
    void whatWasToldWhileTheRequestWasOnTheWireDecidesAtTheEndOfTheLease() {
        UUID refused = payments.in("SUBMITTING");
        UUID accepted = payments.in("SUBMITTING");
        payments.record(told(refused, "WEBHOOK", "REJECTED", "event"), told(accepted, "WEBHOOK", "ACCEPTED", "event"));
        payments.due(refused);
        payments.due(accepted);
        database.run("expire-leases", Map.of("node", "node"));
        assertThat(List.of(payments.state(refused), payments.state(accepted))).containsExactly("FAILED", "PROCESSING");
    }

    @Test
    void aFactThatWaitsForALockIsSeenByTheAnswerBehindIt() throws Exception {
        UUID id = payments.in("SUBMITTING");
        CompletableFuture<?> answered = database.transaction().execute(status -> {
            payments.record(told(id, "WEBHOOK", "REJECTED", "event"));
            CompletableFuture<?> waiting = CompletableFuture.runAsync(() -> payments.record(answer(id, 1, "AMBIGUOUS")));
            Awaitility.await().until(() -> database.jdbc().queryForObject(
                    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'", Integer.class) == 1);
            return waiting;
        });
        answered.get(10, TimeUnit.SECONDS);
        assertThat(payments.state(id)).isEqualTo("FAILED");
    }

    @Test
    void aFactAboutAnEarlierKeySaysNothingOfThisOneUnlessItWasPaid() {
        UUID id = payments.in("FAILED");
        String key = payments.value(id, "provider_key", String.class);
        database.withoutRules(jdbc -> payments.permit(id, 2, "RETRY_AFTER_REJECTION", payments.value(id, "evidence_id", Long.class)));
        payments.move(id, "PENDING", null);
        payments.record(told(id, "WEBHOOK", "REJECTED", "before"));
        assertThat(payments.state(id)).as("it is not the new key that was refused").isEqualTo("PENDING");
        payments.claimed(id);
        payments.record(with(told(id, "WEBHOOK", "REJECTED", "late"), "provider_key", key), answer(id, 2, "AMBIGUOUS"));
        assertThat(payments.state(id)).isEqualTo("UNKNOWN");
        payments.record(with(told(id, "WEBHOOK", "SUCCEEDED", "later"), "provider_key", key));
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
    }

    @Test
    void whatIsToldUnaskedMovesNoSchedule() {
        UUID id = payments.in("PROCESSING");
        String due = payments.value(id, "due_at::text", String.class);
        payments.record(told(id, "WEBHOOK", "ACCEPTED", "event"), told(id, "SETTLEMENT", "AMBIGUOUS", "line"));
        assertThat(payments.value(id, "due_at::text", String.class)).isEqualTo(due);
        assertThat(payments.value(id, "queries + inconclusive", Integer.class)).isZero();
    }

    @Test
    void twoPaymentIdsThatBothSaySuccessAreADoublePay() {
        UUID id = payments.in("UNKNOWN");
        payments.record(with(query(id, 1, "SUCCEEDED"), "provider_payment_id", "P-20"));
        payments.record(with(told(id, "SETTLEMENT", "SUCCEEDED", "line"), "provider_payment_id", "P-21"));
        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
        assertThat(openCases(id)).isEqualTo(1);
        assertThat(alerts(id)).containsExactly("DOUBLE_PAY", "STATE_CONFLICT");
    }

    @Test
    void aSuccessOfAFailedPaymentIsAConflictAndNotYetADoublePay() {
        UUID id = payments.in("FAILED");
        payments.record(with(told(id, "WEBHOOK", "SUCCEEDED", "event"), "provider_payment_id", "P-30"));
        assertThat(payments.state(id)).isEqualTo("FAILED");
        assertThat(alerts(id)).containsExactly("STATE_CONFLICT");
    }

    @Test
    void aFactOfNoPaymentOfOursIsAnAlert() {
        UUID id = payments.in("UNKNOWN");
        UUID nobody = UUID.randomUUID();
        assertThat(payments.record(told(nobody, "WEBHOOK", "SUCCEEDED", "event"), query(id, 1, "SUCCEEDED"), told(nobody, "WEBHOOK", "REJECTED", "other")))
                .extracting(row -> row.get("provider")).containsExactlyInAnyOrder("acme", "unknown", "unknown");
        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
        assertThat(alerts(nobody)).containsExactly("ORPHAN_EVIDENCE");
    }

    @Test
    void aRefusalUnderTheIdOfAnotherPaymentFailsNothing() {
        UUID first = payments.in("SUBMITTING");
        payments.record(with(answer(first, 1, "SUCCEEDED"), "provider_payment_id", "P-40"));
        UUID second = payments.in("UNKNOWN");
        payments.record(with(query(second, 1, "REJECTED"), "provider_payment_id", "P-40"));
        assertThat(payments.state(second)).isEqualTo("REVIEW STATE_CONFLICT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SUBMITTING", "UNKNOWN", "PROCESSING", "REVIEW"})
    void aSmallerAmountIsAPartThatMovedAndTheRestIsForPeople(String state) {
        UUID id = payments.in(state);
        payments.record(with(with(told(id, "WEBHOOK", "SUCCEEDED", "event"), "amount_minor", 200), "provider_payment_id", "P-" + state));
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
        assertThat(held(id)).containsExactly("in_doubt_out -300", "provider_clearing -200", "requested 500");
        assertThat(database.run("payment-document", Map.of("paymentId", id.toString(), "caller", "")).get(0).get("document").toString())
                .contains("\"confirmedMinor\" : 200");
        refused("PR003", () -> database.jdbc().update("update payment set confirmed_minor = 100 where payment_id = ?", id));
        refused("PR007", () -> database.jdbc().update("update payment set confirmed_minor = 300 where payment_id = ?", id));
        refused("PR005", () -> payments.permit(id, 2, "SAME_KEY", null));
        decisions.decided(id, "CONFIRM_SUCCEEDED", "{\"providerPaymentId\": \"P-" + state + "\"}");
        assertThat(held(id)).containsExactly("provider_clearing -500", "requested 500");
    }

    @Test
    void whatIsLeftOfAPartIsReleasedWhenPeopleSayThatItFailed() {
        UUID id = payments.in("UNKNOWN");
        payments.record(with(query(id, 1, "SUCCEEDED"), "amount_minor", 200));
        decisions.leaseOver(id);
        decisions.decided(id, "CONFIRM_FAILED", "{}");
        assertThat(held(id)).containsExactly("provider_clearing -200", "requested 200");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 501, 1_000_000})
    void noOrALargerAmountIsAConflictOfTheWhole(long amount) {
        UUID id = payments.in("UNKNOWN");
        payments.record(with(query(id, 1, "SUCCEEDED"), "amount_minor", amount));
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
        assertThat(held(id)).containsExactly("in_doubt_out -500", "requested 500");
    }

    private static List<String> held(UUID id) {
        return database.jdbc().queryForList("select account || ' ' || sum(amount_minor) from ledger_entry where payment_id = ?"
                + " group by account having sum(amount_minor) <> 0 order by account", String.class, id);
    }

    private static int openCases(UUID id) {
        return database.jdbc().queryForObject("select count(*) from review_case where payment_id = ? and closed_at is null", Integer.class, id);
    }

    private static List<String> alerts(UUID id) {
        return database.jdbc().queryForList("select kind from alert where subject = ? and cleared_at is null order by kind", String.class, id.toString());
    }
}
