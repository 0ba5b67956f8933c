package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.paymentroutes.support.Refused.refused;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Payments;
import org.paymentroutes.support.Refused;

/** What people may decide about a payment, and what follows from it, by plain SQL. */
class DecisionTest extends OneProviderTest implements BooksHold {

    private static String text(String sql, Object... parameters) {
        return database.jdbc().queryForObject(sql, String.class, parameters);
    }

    private static String lastPosting(UUID id) {
        return text("select event || ' ' || debit_account || '<-' || credit_account from ledger_posting where payment_id = ?"
                + " order by posting_id desc limit 1", id);
    }

    private static UUID conflict(String state, String evidence) {
        UUID id = payments.in(state);
        payments.record(Payments.with(Payments.query(id, 1, evidence), "reason", "the provider says " + evidence));
        return id;
    }

    private static String whyNot(UUID id, String kind) {
        return text("select coalesce(why_not, 'allowed') from review_case c, decisions_allowed(c.case_id) a where c.payment_id = ? and a.kind = ?"
                + " order by c.case_id desc limit 1", id, kind);
    }

    @Test
    void twoPeopleConfirmASuccess() {
        UUID id = payments.in("REVIEW");
        long caseId = decisions.caseOf(id);
        long decision = decisions.proposed(caseId, "CONFIRM_SUCCEEDED", "{\"providerPaymentId\":\"P-%s\"}".formatted(id));
        assertThat(payments.state(id)).isEqualTo("REVIEW RECEIPT_MISSING");
        decisions.approved(decision, "bob");

        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
        assertThat(payments.value(id, "provider_payment_id", String.class)).isEqualTo("P-" + id);
        assertThat(payments.value(id, "actor", String.class)).isEqualTo("ann and bob");
        assertThat(lastPosting(id)).isEqualTo("PaymentConfirmed in_doubt_out<-provider_clearing");
        assertThat(text("select source || ' ' || verdict || ' ' || decision_id from evidence where payment_id = ? order by evidence_id desc limit 1", id))
                .isEqualTo("DECISION SUCCEEDED " + decision);
        assertThat(text("select closed_by from review_case where case_id = ?", caseId)).isEqualTo("ann and bob");
        assertThat(text("select to_state from event_outbox join transition using (transition_id) where payment_id = ?"
                + " order by version desc limit 1", id)).isEqualTo("SUCCEEDED");
    }

    @Test
    void aSuccessOfAnotherAmountIsConfirmedWithItsAdjustment() {
        UUID id = payments.in("REVIEW");
        decisions.decided(id, "CONFIRM_SUCCEEDED", """
                {"providerPaymentId":"P-%s","lines":[{"debit":"provider_clearing","credit":"suspense","amountMinor":100}]}""".formatted(id));
        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
        assertThat(text("select fact || ' ' || amount_minor from ledger_posting where payment_id = ? and event = 'ReconciliationAdjusted'", id))
                .matches("decision:\\d+ 100");
    }

    @Test
    void twoPeopleConfirmAFailure() {
        UUID id = payments.in("REVIEW");
        decisions.decided(id, "CONFIRM_FAILED", "{}");
        assertThat(payments.state(id)).isEqualTo("FAILED");
        assertThat(lastPosting(id)).isEqualTo("PaymentFailed in_doubt_out<-requested");
    }

    @Test
    void nobodyCallsAPaymentFailedWhileItsRequestMayStillArrive() {
        UUID id = payments.inReviewEarly();
        assertThat(whyNot(id, "CONFIRM_FAILED")).startsWith("the last request may still arrive until ");
        refused("PR022", () -> decisions.proposed(decisions.caseOf(id), "CONFIRM_FAILED", "{}"));
        payments.record(Payments.query(id, 1, "NOT_FOUND"));
        refused("PR022", () -> decisions.proposed(decisions.caseOf(id), "CONFIRM_FAILED", "{}"));
        decisions.leaseOver(id);
        decisions.decided(id, "CONFIRM_FAILED", "{}");
        assertThat(payments.state(id)).isEqualTo("FAILED");
    }

    @Test
    void twoPeopleAllowAResendUnderTheSameKey() {
        UUID id = payments.inReviewEarly();
        assertThat(whyNot(id, "ALLOW_RESEND")).startsWith("the last request may still arrive until ");
        refused("PR022", () -> decisions.proposed(decisions.caseOf(id), "ALLOW_RESEND", "{}"));
        decisions.leaseOver(id);
        decisions.decided(id, "ALLOW_RESEND", "{}");
        assertThat(payments.state(id)).isEqualTo("PENDING");
        assertThat(text("select kind || ' ' || granted_by from resend_permit where payment_id = ? and for_attempt = 2", id))
                .isEqualTo("TWO_PEOPLE ann and bob");
        payments.claimed(id);
        payments.record(Payments.answer(id, 2, "SUCCEEDED"));
        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
    }

    @Test
    void aPaymentThatWasNeverSentMayBeSentAndHasItsTimeAgain() {
        UUID id = payments.accepted();
        payments.contract("send_time_limit_ms", 1);
        try {
            database.jdbc().queryForList("select pg_sleep(0.005)");
            database.run("give-up", Map.of("node", "node"));
            assertThat(payments.state(id)).isEqualTo("REVIEW NOT_EXECUTED");
        }
        finally {
            payments.contract("send_time_limit_ms", 3_600_000);
        }
        assertThat(whyNot(id, "CONFIRM_SUCCEEDED")).isEqualTo("it was never sent");
        decisions.decided(id, "ALLOW_RESEND", "{}");
        database.run("give-up", Map.of("node", "node"));
        assertThat(payments.state(id)).isEqualTo("PENDING");
        payments.claimed(id);
        payments.record(Payments.answer(id, 1, "NOT_EXECUTED"));
        assertThat(payments.state(id)).isEqualTo("PENDING");
    }

    @Test
    void aResendThatPeopleAllowedAndThatIsNotSentInTimeComesBackAsInDoubt() {
        UUID id = payments.in("REVIEW");
        decisions.leaseOver(id);
        decisions.decided(id, "ALLOW_RESEND", "{}");
        payments.contract("send_time_limit_ms", 1);
        try {
            database.jdbc().queryForList("select pg_sleep(0.005)");
            database.run("give-up", Map.of("node", "node"));
        }
        finally {
            payments.contract("send_time_limit_ms", 3_600_000);
        }
        assertThat(payments.state(id)).isEqualTo("REVIEW RECEIPT_MISSING");
        decisions.decided(id, "ALLOW_RESEND", "{}");
        assertThat(payments.state(id)).isEqualTo("PENDING");
    }

    @Test
    void aConflictOverAFailedPaymentIsClosedWithAnAdjustment() {
        UUID id = conflict("FAILED", "SUCCEEDED");
        assertThat(whyNot(id, "CONFIRM_SUCCEEDED")).isEqualTo("the payment is FAILED, and a final state is not overwritten");
        assertThat(text("select preview -> 0 ->> 'debit' from decisions_allowed(?) where kind = 'CLOSE_WITH_ADJUSTMENT'", decisions.caseOf(id)))
                .isEqualTo("requested");
        decisions.decided(id, "CLOSE_WITH_ADJUSTMENT", """
                {"lines":[{"debit":"requested","credit":"provider_clearing","amountMinor":500}]}""");
        assertThat(payments.state(id)).isEqualTo("FAILED");
        assertThat(lastPosting(id)).isEqualTo("ReconciliationAdjusted requested<-provider_clearing");
        assertThat(text("select closed_by from review_case where payment_id = ?", id)).isEqualTo("ann and bob");
    }

    @Test
    void oneWaitsWithoutASecondPersonAndTheCaseStaysOpen() {
        UUID id = payments.in("REVIEW");
        long decision = decisions.proposed(decisions.caseOf(id), "KEEP_WAITING", until("1 day"));
        assertThat(text("select (effective_at is not null)::text from decision where decision_id = ?", decision)).isEqualTo("true");
        assertThat(payments.state(id)).isEqualTo("REVIEW RECEIPT_MISSING");
        refused("PR021", () -> decisions.approved(decision, "bob"));
    }

    @Test
    void oneHandsBackToAutomation() {
        UUID id = payments.in("REVIEW");
        decisions.proposed(decisions.caseOf(id), "KEEP_WAITING", until("1 day").replace("}", ",\"handBack\":true}"));
        assertThat(payments.state(id)).isEqualTo("UNKNOWN");
        assertThat(payments.value(id, "inconclusive", Integer.class)).isZero();
        assertThat(text("select task from outbox where payment_id = ?", id)).isEqualTo("QUERY");
    }

    private static String until(String interval) {
        return text("select json_build_object('until', clock_timestamp() + ?::interval)::text", interval);
    }

    @ParameterizedTest
    @ValueSource(strings = {"CONFIRM_SUCCEEDED", "CONFIRM_FAILED", "ALLOW_RESEND", "CLOSE_WITH_ADJUSTMENT"})
    void theSecondPersonIsAnother(String kind) {
        UUID id = kind.equals("CLOSE_WITH_ADJUSTMENT") ? conflict("FAILED", "SUCCEEDED") : payments.in("REVIEW");
        decisions.leaseOver(id);
        long decision = decisions.proposed(decisions.caseOf(id), kind, switch (kind) {
            case "CONFIRM_SUCCEEDED" -> "{\"providerPaymentId\":\"%s\"}".formatted(id);
            case "CLOSE_WITH_ADJUSTMENT" -> "{\"lines\":[]}";
            default -> "{}";
        });
        refused("second_person_is_another", () -> decisions.approved(decision, "ann"));
        decisions.approved(decision, "bob");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"CONFIRM_SUCCEEDED | {} | details.providerPaymentId", "CONFIRM_SUCCEEDED | {\"providerPaymentId\":7} | details.providerPaymentId",
        "CONFIRM_SUCCEEDED | {\"providerPaymentId\":\"\"} | details.providerPaymentId", "CONFIRM_SUCCEEDED | {\"id\":\"P\"} | details.id",
        "CONFIRM_SUCCEEDED | {\"providerPaymentId\":\"P-taken\"} | details.providerPaymentId",
        "CONFIRM_SUCCEEDED | {\"providerPaymentId\":\"P\",\"lines\":7} | details.lines",
        "CONFIRM_FAILED | {\"x\":1} | details.x", "ALLOW_RESEND | {\"x\":1} | details.x",
        "KEEP_WAITING | {} | details.until", "KEEP_WAITING | {\"until\":\"tomorrow or so\"} | details.until",
        "KEEP_WAITING | {\"until\":\"2020-01-01T00:00:00Z\"} | details.until", "KEEP_WAITING | {\"until\":\"2999-01-01T00:00:00Z\"} | details.until",
        "KEEP_WAITING | {\"until\":\"infinity\"} | details.until", "BOOK_ANYWAY | {} | kind"})
    void aDecisionSaysWhatItsKindNeeds(String kind, String details, String field) {
        UUID taken = payments.in("SUBMITTING");
        payments.record(Payments.with(Payments.answer(taken, 1, "SUCCEEDED"), "provider_payment_id", "P-taken"));
        UUID id = payments.in("REVIEW");
        decisions.leaseOver(id);
        Throwable failure = catchThrowable(() -> decisions.proposed(decisions.caseOf(id), kind, details));
        assertThat((Throwable) Refused.refusal(failure)).isNotNull();
        assertThat(Refused.refusal(failure).getSQLState()).as(failure.getMessage()).isEqualTo("PR023");
        assertThat(Refused.refusal(failure).getServerErrorMessage().getDetail()).contains("\"field\" : \"" + field + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"debit\":\"in_doubt_out\",\"credit\":\"bank\",\"amountMinor\":1}", "{\"debit\":\"bank\",\"credit\":\"in_doubt_in\",\"amountMinor\":1}",
        "{\"debit\":\"bank\",\"credit\":\"bank\",\"amountMinor\":1}", "{\"debit\":\"bank\",\"credit\":\"fees\",\"amountMinor\":0}",
        "{\"debit\":\"bank\",\"credit\":\"fees\",\"amountMinor\":-1}", "{\"debit\":\"bank\",\"credit\":\"fees\",\"amountMinor\":1.5}",
        "{\"debit\":\"bank\",\"credit\":\"fees\",\"amountMinor\":1e3}", "{\"debit\":\"bank\",\"credit\":\"fees\",\"amountMinor\":\"1\"}",
        "{\"debit\":\"bank\",\"credit\":\"fees\"}", "{\"debit\":\"mattress\",\"credit\":\"fees\",\"amountMinor\":1}",
        "{\"debit\":\"bank\",\"credit\":\"fees\",\"amountMinor\":1,\"currency\":\"USD\"}", "7"})
    void aLineOfAnAdjustmentIsAWholeOne(String line) {
        UUID id = conflict("FAILED", "SUCCEEDED");
        if (line.contains("1e3")) {
            // The same number as 1000.
            decisions.proposed(decisions.caseOf(id), "CLOSE_WITH_ADJUSTMENT", "{\"lines\":[" + line + "]}");
            return;
        }
        refused("PR023", () -> decisions.proposed(decisions.caseOf(id), "CLOSE_WITH_ADJUSTMENT", "{\"lines\":[" + line + "]}"));
    }

    @Test
    void onlyWhatTheEvidenceAllowsIsOffered() {
        UUID review = payments.in("REVIEW");
        assertThat(whyNot(review, "CLOSE_WITH_ADJUSTMENT")).isEqualTo("the payment is REVIEW: say first what became of it");
        assertThat(whyNot(review, "CONFIRM_SUCCEEDED")).isEqualTo("allowed");
        UUID paid = payments.in("REVIEW");
        decisions.leaseOver(paid);
        payments.evidence(paid, null, "WEBHOOK", "SUCCEEDED", null);
        assertThat(whyNot(paid, "CONFIRM_FAILED")).isEqualTo("the newest proof on record says that the money moved");
        assertThat(whyNot(paid, "ALLOW_RESEND")).isEqualTo("evidence says that the money moved or is moving");
        payments.evidence(paid, null, "QUERY", "REJECTED", null);
        assertThat(whyNot(paid, "CONFIRM_FAILED")).isEqualTo("allowed");
        assertThat(whyNot(paid, "ALLOW_RESEND")).isEqualTo("evidence says that the money moved or is moving");
        assertThat(text("select supports -> 0 ->> 'verdict' from decisions_allowed(?) where kind = 'CONFIRM_SUCCEEDED'", decisions.caseOf(paid)))
                .isEqualTo("SUCCEEDED");
        assertThat(database.jdbc().queryForList("select kind from decisions_allowed(?) where money_sent_again", String.class, decisions.caseOf(paid)))
                .containsExactly("ALLOW_RESEND");
    }

    @Test
    void whatEarlierAttemptsProvedIsNotConfirmedAsASuccess() {
        UUID id = payments.in("SUBMITTING");
        payments.record(Payments.answer(id, 1, "NOT_EXECUTED"));
        database.jdbc().update("update payment set state = 'REVIEW', category = 'NOT_EXECUTED', reason = 'late', evidence_id = null where payment_id = ?", id);
        assertThat(whyNot(id, "CONFIRM_SUCCEEDED")).isEqualTo("every attempt provably did not execute");
    }

    @Test
    void aPaymentIsNotSentWhileAnEarlierOneForItsReferenceMayHaveBeenMade() {
        UUID first = payments.accepted("PAYOUT", 5, "EUR", "invoice-70");
        payments.claimed(first);
        payments.record(Payments.answer(first, 1, "REJECTED"));
        UUID second = payments.accepted("PAYOUT", 5, "EUR", "invoice-70");
        payments.record(Payments.query(first, 1, "SUCCEEDED"));
        assertThat(whyNot(second, "ALLOW_RESEND")).isEqualTo("payment " + first + " may have been made for the same reference");
        decisions.decided(second, "CONFIRM_FAILED", "{}");
        assertThat(payments.state(second)).isEqualTo("FAILED");
    }

    @Test
    void aSecondProposalWaitsForTheFirst() {
        UUID id = payments.in("REVIEW");
        long first = decisions.proposed(decisions.caseOf(id), "CONFIRM_FAILED", "{}");
        refused("PR021", () -> decisions.proposed(decisions.caseOf(id), "CONFIRM_FAILED", "{}"));
        refused("PR021", () -> decisions.proposed(decisions.caseOf(id), "KEEP_WAITING", until("1 day"), "bob"));
        decisions.refused(first, "bob");
        refused("PR021", () -> decisions.approved(first, "bob"));
        refused("PR021", () -> decisions.refused(first, "bob"));
        decisions.decided(id, "CONFIRM_FAILED", "{}");
        assertThat(payments.state(id)).isEqualTo("FAILED");
    }

    @Test
    void aClosedCaseIsNotDecidedAgain() {
        UUID id = payments.in("REVIEW");
        long caseId = decisions.caseOf(id);
        long decision = decisions.proposed(caseId, "CONFIRM_FAILED", "{}");
        payments.record(Payments.query(id, 1, "SUCCEEDED"));
        Throwable late = catchThrowable(() -> decisions.approved(decision, "bob"));
        assertThat(Refused.by(Refused.refusal(late))).isEqualTo("PR020");
        assertThat(Refused.refusal(late).getServerErrorMessage().getDetail()).contains("\"closedBy\": \"node\"", "\"paymentState\": \"SUCCEEDED\"");
        refused("PR020", () -> decisions.refused(decision, "bob"));
        refused("PR020", () -> decisions.proposed(caseId, "CONFIRM_FAILED", "{}"));
        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
    }

    @Test
    void evidenceThatCameAfterTheProposalCounts() {
        UUID id = payments.in("REVIEW");
        decisions.leaseOver(id);
        long decision = decisions.proposed(decisions.caseOf(id), "ALLOW_RESEND", "{}");
        payments.record(Payments.query(id, 1, "ACCEPTED"));
        refused("PR022", () -> decisions.approved(decision, "bob"));
        assertThat(payments.state(id)).startsWith("REVIEW");
    }

    @Test
    void noStatementGoesAroundTheTwoPeople() {
        UUID id = payments.in("REVIEW");
        long caseId = decisions.caseOf(id);
        decisions.leaseOver(id);
        var jdbc = database.jdbc();
        refused("PR001", () -> jdbc.update("insert into decision (case_id, kind, reason, proposed_by, approved_by, approved_at, effective_at)"
                + " values (?, 'CONFIRM_FAILED', 'because', 'ann', 'bob', now(), now())", caseId));
        long decision = decisions.proposed(caseId, "ALLOW_RESEND", "{}");
        refused("PR002", () -> jdbc.update("update decision set effective_at = now() where decision_id = ?", decision));
        refused("PR001", () -> jdbc.update("update decision set proposed_by = 'carl' where decision_id = ?", decision));
        refused("PR001", () -> jdbc.update("update decision set kind = 'CONFIRM_FAILED', approved_by = 'bob' where decision_id = ?", decision));
        refused("PR001", () -> jdbc.update("delete from decision"));
        refused("PR001", () -> jdbc.update("update decision_kind set two_people = false"));
        refused("PR002", () -> jdbc.update("insert into evidence (payment_id, source, verdict, reason, recorded_by, decision_id)"
                + " values (?, 'DECISION', 'NOT_EXECUTED', 'r', 'ann', ?)", id, decision));
        refused("PR005", () -> payments.permit(id, 2, "TWO_PEOPLE", null));
        refused("decision_is_named", () -> jdbc.update("insert into evidence (payment_id, source, verdict, reason, recorded_by, decision_id)"
                + " values (?, 'QUERY', 'NOT_EXECUTED', 'r', 'ann', ?)", id, decision));
        refused("PR006", () -> payments.move(id, "PENDING", null));
        decisions.approved(decision, "bob");
        refused("PR021", () -> jdbc.update("update decision set approved_by = 'carl' where decision_id = ?", decision));
        assertThat(payments.state(id)).isEqualTo("PENDING");
    }

    @Test
    void ofTwoApproversAtOnceOneDecides() throws Exception {
        UUID id = payments.in("REVIEW");
        decisions.leaseOver(id);
        long decision = decisions.proposed(decisions.caseOf(id), "ALLOW_RESEND", "{}");
        assertThat(together(() -> decisions.approved(decision, "bob"), () -> decisions.approved(decision, "eve"))).containsOnlyOnce("done")
                .containsOnlyOnce("PR021");
        assertThat(text("select count(*) from resend_permit where payment_id = ?", id)).isEqualTo("1");
        assertThat(payments.state(id)).isEqualTo("PENDING");
    }

    @Test
    void ofTwoProposersAtOnceOneProposes() throws Exception {
        UUID id = payments.in("REVIEW");
        long caseId = decisions.caseOf(id);
        assertThat(together(() -> decisions.proposed(caseId, "CONFIRM_FAILED", "{}"), () -> decisions.proposed(caseId, "CONFIRM_FAILED", "{}")))
                .containsOnlyOnce("done").containsOnlyOnce("PR021");
    }

    @Test
    void aWebhookThatComesMeanwhileAndADecisionHaveOneEffect() throws Exception {
        UUID id = payments.in("REVIEW");
        decisions.leaseOver(id);
        long decision = decisions.proposed(decisions.caseOf(id), "ALLOW_RESEND", "{}");
        List<String> ends = together(() -> decisions.approved(decision, "bob"),
                () -> payments.record(Payments.with(Payments.query(id, 1, "SUCCEEDED"), "source", "WEBHOOK")));
        if (ends.get(0).equals("done")) {
            // The decision was first; the success stops what was going to be sent.
            assertThat(payments.state(id)).isIn("REVIEW STATE_CONFLICT", "SUCCEEDED");
        }
        else {
            assertThat(ends.get(0)).isEqualTo("PR020");
            assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
        }
        assertThat(ends.get(1)).isEqualTo("done");
    }

    /** @return how each ended: done, or by what it was refused */
    private static List<String> together(Runnable one, Runnable two) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<CompletableFuture<String>> runs = List.of(one, two).stream().map(work -> CompletableFuture.supplyAsync(() -> {
            try {
                start.await();
                work.run();
                return "done";
            }
            catch (Exception e) {
                return Refused.refusal(e) == null ? e.toString() : Refused.by(Refused.refusal(e));
            }
        })).toList();
        start.countDown();
        return List.of(runs.get(0).get(20, TimeUnit.SECONDS), runs.get(1).get(20, TimeUnit.SECONDS));
    }

    @Test
    void whatWasToldAfterTheProposalIsNotApprovedUnseen() {
        UUID accepted = payments.in("REVIEW");
        long failed = decisions.proposed(decisions.caseOf(accepted), "CONFIRM_FAILED", "{}");
        payments.record(Payments.query(accepted, 1, "ACCEPTED"));
        assertThat(payments.state(accepted)).isEqualTo("REVIEW RECEIPT_MISSING");
        assertThat(catchThrowable(() -> decisions.approved(failed, "bob")))
                .hasMessageContaining("since it was proposed, QUERY says ACCEPTED");
        decisions.refused(failed, "bob");
        long again = decisions.proposed(decisions.caseOf(accepted), "CONFIRM_FAILED", "{}");
        payments.record(Payments.query(accepted, 1, "ACCEPTED"));
        decisions.approved(again, "bob");
        assertThat(payments.state(accepted)).as("what is told again is nothing new").isEqualTo("FAILED");

        UUID refusedLater = payments.in("REVIEW");
        payments.record(Payments.with(Payments.query(refusedLater, 1, "SUCCEEDED"), "amount_minor", 7));
        long succeeded = decisions.proposed(decisions.caseOf(refusedLater), "CONFIRM_SUCCEEDED", "{\"providerPaymentId\":\"P-%s\"}".formatted(refusedLater));
        payments.record(Payments.query(refusedLater, 1, "REJECTED"));
        refused("PR022", () -> decisions.approved(succeeded, "bob"));
    }

    @Test
    void aConflictIsNotClosedOverOneThatCameAfterTheProposal() {
        UUID made = conflict("FAILED", "SUCCEEDED");
        long close = decisions.proposed(decisions.caseOf(made), "CLOSE_WITH_ADJUSTMENT", "{\"lines\": []}");
        payments.record(Payments.with(Payments.told(made, "WEBHOOK", "SUCCEEDED", "once more"), "provider_payment_id", "SECOND"));
        refused("PR022", () -> decisions.approved(close, "bob"));
        assertThat(decisions.caseOf(made)).isPositive();

        UUID charged = payments.succeeded("CHARGE", 100, "EUR");
        payments.record(Payments.query(charged, 1, "REJECTED"));
        long wrong = decisions.proposed(decisions.caseOf(charged), "CLOSE_WITH_ADJUSTMENT", "{\"lines\": []}");
        payments.reversal(charged, "CHARGEBACK", 101);
        assertThat(catchThrowable(() -> decisions.approved(wrong, "bob")))
                .hasMessageContaining("CHARGEBACK that is not booked");
        decisions.refused(wrong, "bob");
        decisions.decided(charged, "CLOSE_WITH_ADJUSTMENT", "{\"lines\": []}");
    }
}
