package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Payments;

/** What evidence proves, and what it does not. */
class ProofTest extends OneProviderTest implements BooksHold {

    @BeforeAll
    static void allowResendsUnderTheSameKey() {
        payments.operation("PAYOUT", SAME_KEY);
    }

    @ParameterizedTest
    @CsvSource({"SUBMITTING,SUCCEEDED", "SUBMITTING,FAILED", "SUBMITTING,PROCESSING", "UNKNOWN,SUCCEEDED", "UNKNOWN,FAILED",
            "UNKNOWN,PROCESSING", "PROCESSING,SUCCEEDED", "PROCESSING,FAILED", "REVIEW,SUCCEEDED", "REVIEW,FAILED"})
    void whatHappenedNeedsEvidenceThatSaysSo(String from, String to) {
        UUID id = payments.in(from);
        String proof = Map.of("SUCCEEDED", "SUCCEEDED", "FAILED", "REJECTED", "PROCESSING", "ACCEPTED").get(to);
        refused("PR007", () -> payments.move(id, to, null));
        refused("PR007", () -> payments.move(id, to, payments.evidence(payments.in("SUBMITTING"), null, "WEBHOOK", proof, null)));
        refused("PR007", () -> payments.move(id, to, payments.evidence(id, null, "QUERY", "NOT_FOUND", null)));
        refused("PR007", () -> payments.move(id, to, payments.evidence(id, null, "QUERY", "AMBIGUOUS", null)));
        for (String field : new String[] {"reference", "amount", "currency", "provider_payment_id"}) {
            refused("PR007", () -> payments.move(id, to, payments.evidence(id, null, "WEBHOOK", proof, field)));
        }
        if (from.equals("SUBMITTING") && to.equals("FAILED")) {
            refused("PR007", () -> payments.move(id, to, payments.evidence(id, null, "WEBHOOK", proof, null)));
            payments.evidence(id, 1, "ANSWER", "AMBIGUOUS", null);
        }
        payments.move(id, to, payments.evidence(id, null, "WEBHOOK", proof, null));
    }

    @Test
    void theEvidenceOfAnotherVerdictProvesNothing() {
        UUID id = payments.in("UNKNOWN");
        long rejected = payments.evidence(id, null, "WEBHOOK", "REJECTED", null);
        refused("PR007", () -> payments.move(id, "SUCCEEDED", rejected));
        long accepted = payments.evidence(id, null, "WEBHOOK", "ACCEPTED", null);
        refused("PR007", () -> payments.move(id, "FAILED", accepted));
    }

    @Test
    void aRejectionOfAnEarlierAttemptSaysNothingAboutTheLastOne() {
        UUID id = payments.in("UNKNOWN");
        database.withoutRules(jdbc -> payments.permit(id, 2, "SAME_KEY", null));
        long beforeTheResend = payments.evidence(id, null, "WEBHOOK", "REJECTED", null);
        payments.move(id, "PENDING", null);
        payments.claimed(id);
        long ofTheFirst = payments.evidence(id, 1, "ANSWER", "REJECTED", null);
        refused("PR007", () -> payments.move(id, "FAILED", beforeTheResend));
        refused("PR007", () -> payments.move(id, "FAILED", ofTheFirst));
        payments.move(id, "FAILED", payments.evidence(id, 2, "ANSWER", "REJECTED", null));
    }

    @Test
    void theRejectionThatWasRetriedDoesNotCloseTheRetry() {
        UUID id = payments.in("FAILED");
        Long rejected = payments.value(id, "evidence_id", Long.class);
        database.withoutRules(jdbc -> payments.permit(id, 2, "RETRY_AFTER_REJECTION", rejected));
        payments.move(id, "PENDING", null);
        payments.claimed(id);
        refused("PR007", () -> payments.move(id, "FAILED", rejected));
    }

    @Test
    void aPaymentWithASuccessOnRecordDoesNotFail() {
        UUID id = payments.in("UNKNOWN");
        payments.evidence(id, null, "WEBHOOK", "SUCCEEDED", null);
        refused("PR007", () -> payments.move(id, "FAILED", payments.evidence(id, null, "QUERY", "REJECTED", null)));
        refused("PR002", () -> payments.evidence(id, null, "DECISION", "REJECTED", null));
    }

    @Test
    void aSuccessUnderAnotherPaymentsIdProvesNothing() {
        UUID first = payments.in("SUBMITTING");
        payments.record(Payments.with(Payments.answer(first, 1, "SUCCEEDED"), "provider_payment_id", "P-shared"));
        UUID second = payments.in("UNKNOWN");
        long evidence = database.jdbc().queryForObject("insert into evidence (payment_id, source, verdict, provider_payment_id, reason,"
                + " recorded_by) values (?, 'WEBHOOK', 'SUCCEEDED', 'P-shared', 'r', 'r') returning evidence_id", Long.class, second);
        refused("PR007", () -> payments.move(second, "SUCCEEDED", evidence));
        refused("PR007", () -> database.jdbc().update("update payment set provider_payment_id = 'P-shared' where payment_id = ?", second));
        refused("PR007", () -> database.jdbc().update("update payment set provider_payment_id = 'P-invented' where payment_id = ?", second));
        refused("provider_payment_pkey", () -> database.jdbc().update("insert into provider_payment values ('acme', 'main', 'PAYOUT',"
                + " 'P-shared', ?)", second));
        refused("PR003", () -> database.jdbc().update("update payment set provider_payment_id = null where payment_id = ?", first));
    }

    @Test
    void aLeaseThatIsOverProvesNothing() {
        UUID id = payments.in("SUBMITTING");
        refused("lease_proves_nothing", () -> payments.evidence(id, 1, "LEASE", "NOT_EXECUTED", null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"now() - interval '1 day'", "now() + interval '1 day'", "'infinity'", "'-infinity'"})
    void evidenceCarriesTheTimeOfTheDatabase(String time) {
        UUID id = payments.in("UNKNOWN");
        refused("PR003", () -> database.jdbc().update("insert into evidence (payment_id, source, verdict, reason, recorded_by, received_at)"
                + " values (?, 'QUERY', 'REJECTED', 'r', 'r', " + time + ")", id));
    }

    @Test
    void anAttemptHasOneAnswer() {
        UUID id = payments.in("SUBMITTING");
        payments.evidence(id, 1, "ANSWER", "AMBIGUOUS", null);
        refused("evidence_answer_once", () -> payments.evidence(id, 1, "ANSWER", "NOT_EXECUTED", null));
    }

    @Test
    void aSuccessStopsAPaymentThatWaitsToBeSentAgain() {
        UUID id = payments.in("SUBMITTING");
        payments.record(Payments.answer(id, 1, "NOT_EXECUTED"));
        payments.evidence(id, null, "WEBHOOK", "SUCCEEDED", null);
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
        refused("PR006", () -> payments.move(id, "PENDING", null));
    }

    @Test
    void aFailedPaymentThatTurnsOutPaidStopsTheNextOneForItsReference() {
        UUID first = payments.accepted("PAYOUT", 5, "EUR", "invoice-7");
        payments.claimed(first);
        payments.record(Payments.answer(first, 1, "REJECTED"));
        UUID second = payments.accepted("PAYOUT", 5, "EUR", "invoice-7");
        payments.record(Payments.query(first, 1, "SUCCEEDED"));
        assertThat(payments.state(first)).isEqualTo("FAILED");
        assertThat(payments.state(second)).isEqualTo("REVIEW STATE_CONFLICT");
    }

    @Test
    void aCaseIsNotClosedOverItsPaymentNorRewritten() {
        UUID id = payments.in("REVIEW");
        refused("PR002", () -> database.jdbc().update("update review_case set closed_at = now(), closed_by = 'route' where payment_id = ?", id));
        refused("PR001", () -> database.jdbc().update("update review_case set category = 'NOT_EXECUTED' where payment_id = ?", id));
        payments.move(id, "SUCCEEDED", payments.evidence(id, null, "QUERY", "SUCCEEDED", null));
        refused("PR001", () -> database.jdbc().update("update review_case set closed_at = null, closed_by = null where payment_id = ?", id));
    }
}
