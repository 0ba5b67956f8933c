package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One attempt for each claim, a second one only with a permit that names its proof. */
class AttemptTest extends OneProviderTest implements BooksHold {

    private static void attempt(UUID id, int number, String key) {
        database.jdbc().update("insert into attempt (payment_id, attempt_no, provider_key, worker, lease_until)"
                + " values (?, ?, coalesce(?, replace(?::text, '-', '')), 'route', now())", id, number, key, id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PENDING", "SUCCEEDED", "FAILED", "UNKNOWN", "PROCESSING", "REVIEW"})
    void anAttemptNeedsItsClaim(String state) {
        UUID id = payments.in(state);
        int next = payments.value(id, "attempts", Integer.class) + 1;
        if (next > 1) {
            refused("second_attempt_needs_permit", () -> attempt(id, next, null));
            database.withoutRules(jdbc -> payments.permit(id, next, "NOT_EXECUTED", null));
        }
        refused("PR004", () -> attempt(id, next, null));
    }

    @Test
    void oneClaimIsOneAttempt() {
        UUID id = payments.in("SUBMITTING");
        refused("second_attempt_needs_permit", () -> attempt(id, 2, null));
        refused("attempt_pkey", () -> attempt(id, 1, null));
    }

    @Test
    void aClaimWithoutItsAttemptIsRefused() {
        UUID id = payments.accepted();
        refused("payment_has_its_attempt", () -> database.jdbc().update("update payment set state = 'SUBMITTING', attempts = 1,"
                + " due_at = now() where payment_id = ?", id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"'other-key', due_at, now()", "provider_key || '-1', due_at, now()", "provider_key, 'infinity', now()",
            "provider_key, due_at, now() + interval '1 day'"})
    void anAttemptHasTheKeyAndTheLeaseOfItsPayment(String keyLeaseStart) {
        UUID id = payments.accepted();
        refused("PR004", () -> database.jdbc().update("with c as (update payment set state = 'SUBMITTING', attempts = attempts + 1, due_at = now()"
                + " where payment_id = ? returning *) insert into attempt (payment_id, attempt_no, worker, provider_key, lease_until, started_at)"
                + " select payment_id, attempts, actor, " + keyLeaseStart + " from c", id));
    }

    @Test
    void aLeaseIsNoLongerThanTheContractSaysAndNotProlonged() {
        UUID id = payments.accepted();
        refused("PR006", () -> database.jdbc().update("with c as (update payment set state = 'SUBMITTING', attempts = 1, due_at = now()"
                + " + interval '1 day' where payment_id = ? returning *) insert into attempt (payment_id, attempt_no, worker, provider_key, lease_until)"
                + " select payment_id, attempts, actor, provider_key, due_at from c", id));
        payments.claimed(id);
        refused("PR003", () -> database.jdbc().update("update payment set due_at = due_at + interval '1 second' where payment_id = ?", id));
    }

    @Test
    void aSecondAttemptNeedsAPermitEvenWhereTheStateIsRight() {
        UUID id = payments.in("UNKNOWN");
        database.withoutRules(jdbc -> jdbc.update("update payment set state = 'PENDING' where payment_id = ?", id));
        refused("second_attempt_needs_permit", () -> payments.claimed(id));
        database.withoutRules(jdbc -> jdbc.update("update payment set state = 'UNKNOWN' where payment_id = ?", id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SAME_KEY", "NOT_FOUND_FINAL", "ABSENT_FROM_SETTLEMENT", "RETRY_AFTER_REJECTION", "AT_LEAST_ONCE", "TWO_PEOPLE"})
    void aPermitOfAKindThatTheSchemaCannotProveIsRefused(String kind) {
        for (String state : new String[] {"UNKNOWN", "REVIEW", "FAILED", "SUBMITTING"}) {
            UUID id = payments.in(state);
            refused("PR005", () -> payments.permit(id, 2, kind, null));
            refused("PR005", () -> payments.permit(id, 2, kind, payments.evidence(id, null, "QUERY", "NOT_FOUND", null)));
        }
    }

    @Test
    void aPermitNeedsTheAnswerOfTheLastAttempt() {
        UUID id = payments.in("UNKNOWN");
        refused("PR005", () -> payments.permit(id, 2, "NOT_EXECUTED", null));
        refused("PR005", () -> payments.permit(id, 2, "NOT_EXECUTED", payments.value(id, "evidence_id", Long.class)));
        refused("PR005", () -> payments.permit(id, 2, "NOT_EXECUTED", payments.evidence(id, 1, "QUERY", "NOT_EXECUTED", null)));
        UUID other = payments.in("UNKNOWN");
        long ofTheOther = payments.evidence(other, 1, "ANSWER", "NOT_EXECUTED", null);
        refused("PR005", () -> payments.permit(id, 2, "NOT_EXECUTED", ofTheOther));
        long mismatched = payments.evidence(id, 1, "ANSWER", "NOT_EXECUTED", "reference");
        refused("PR005", () -> payments.permit(id, 2, "NOT_EXECUTED", mismatched));
    }

    @Test
    void aPermitIsForTheNextAttemptOnlyAndUsedOnce() {
        UUID id = payments.in("UNKNOWN");
        long evidence = payments.evidence(id, 1, "ANSWER", "NOT_EXECUTED", null);
        refused("PR005", () -> payments.permit(id, 3, "NOT_EXECUTED", evidence));
        payments.permit(id, 2, "NOT_EXECUTED", evidence);
        payments.move(id, "PENDING", null);
        payments.claimed(id);
        payments.move(id, "UNKNOWN", null);
        refused("PR006", () -> payments.move(id, "PENDING", null));
        refused("PR005", () -> payments.permit(id, 3, "NOT_EXECUTED", evidence));
        refused("resend_permit_pkey", () -> payments.permit(id, 2, "NOT_EXECUTED", evidence));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SUCCEEDED", "ACCEPTED"})
    void noPermitOverEvidenceThatTheProviderHasIt(String verdict) {
        UUID id = payments.in("UNKNOWN");
        payments.evidence(id, null, "WEBHOOK", verdict, null);
        long evidence = payments.evidence(id, 1, "ANSWER", "NOT_EXECUTED", null);
        refused("PR005", () -> payments.permit(id, 2, "NOT_EXECUTED", evidence));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SUCCEEDED", "ACCEPTED"})
    void noResendWithAPermitThatEvidenceHasOvertaken(String verdict) {
        UUID id = payments.in("UNKNOWN");
        payments.permit(id, 2, "NOT_EXECUTED", payments.evidence(id, 1, "ANSWER", "NOT_EXECUTED", null));
        payments.evidence(id, null, "WEBHOOK", verdict, null);
        refused("PR006", () -> payments.move(id, "PENDING", null));
    }

    @Test
    void aConflictIsNotResentWithThePermitFromBefore() {
        UUID id = payments.in("UNKNOWN");
        payments.permit(id, 2, "NOT_EXECUTED", payments.evidence(id, 1, "ANSWER", "NOT_EXECUTED", null));
        database.jdbc().update("update payment set state = 'REVIEW', category = 'STATE_CONFLICT', reason = 'r' where payment_id = ?", id);
        refused("PR006", () -> payments.move(id, "PENDING", null));
    }

    @Test
    void theFirstSendIsRememberedWhateverTheClaimSays() {
        UUID id = payments.accepted();
        refused("PR003", () -> database.jdbc().update("update payment set first_sent_at = now() where payment_id = ?", id));
        database.jdbc().update("with c as (update payment set state = 'SUBMITTING', attempts = 1, due_at = now(), first_sent_at = null"
                + " where payment_id = ? returning *) insert into attempt (payment_id, attempt_no, worker, provider_key, lease_until)"
                + " select payment_id, attempts, actor, provider_key, due_at from c", id);
        assertThat(payments.value(id, "first_sent_at between now() - interval '1 minute' and clock_timestamp()", Boolean.class)).isTrue();
        refused("PR003", () -> database.jdbc().update("update payment set first_sent_at = now() + interval '1 hour' where payment_id = ?", id));
        refused("PR003", () -> database.jdbc().update("update payment set state = 'UNKNOWN', first_sent_at = null where payment_id = ?", id));
    }
}
