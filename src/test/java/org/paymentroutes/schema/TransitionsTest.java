package org.paymentroutes.schema;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Payments;

/** Every ordered pair of states: the legal ones happen with their proof, the others never. */
class TransitionsTest extends OneProviderTest implements BooksHold {

    private static final List<String> STATES =
            List.of("PENDING", "SUBMITTING", "PROCESSING", "UNKNOWN", "SUCCEEDED", "FAILED", "REVIEW");

    private static final Map<String, List<String>> LEGAL = Map.ofEntries(
            entry("NONE", List.of("PENDING")),
            entry("PENDING", List.of("SUBMITTING", "FAILED", "REVIEW", "SUCCEEDED", "PROCESSING")),
            entry("SUBMITTING", List.of("SUCCEEDED", "FAILED", "PROCESSING", "UNKNOWN", "REVIEW", "PENDING")),
            entry("PROCESSING", List.of("SUCCEEDED", "FAILED", "UNKNOWN", "REVIEW")),
            entry("UNKNOWN", List.of("SUCCEEDED", "FAILED", "PROCESSING", "REVIEW", "PENDING")),
            entry("REVIEW", List.of("SUCCEEDED", "FAILED", "UNKNOWN", "PENDING")),
            entry("FAILED", List.of("PENDING")),
            entry("SUCCEEDED", List.of()));

    @BeforeAll
    static void allowResendsUnderTheSameKey() {
        payments.operation("PAYOUT", SAME_KEY);
    }

    static Stream<Arguments> legal() {
        return pairs(true);
    }

    static Stream<Arguments> illegal() {
        return pairs(false);
    }

    private static Stream<Arguments> pairs(boolean legal) {
        return STATES.stream().flatMap(from -> STATES.stream().filter(to -> !to.equals(from) && LEGAL.get(from).contains(to) == legal)
                .map(to -> Arguments.of(from, to)));
    }

    @Test
    void theTableOfLegalTransitionsIsTheOneOfTheDesign() {
        List<String> expected = LEGAL.entrySet().stream().flatMap(e -> e.getValue().stream().map(to -> e.getKey() + "->" + to)).sorted().toList();
        assertThat(database.jdbc().queryForList("select from_state || '->' || to_state from legal_transition", String.class))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @MethodSource("legal")
    void aLegalTransitionHappensWithItsProof(String from, String to) {
        UUID id = from.equals("PENDING") && List.of("SUCCEEDED", "PROCESSING").contains(to) ? waitingInDoubt() : payments.in(from);
        enter(id, from, to);
        assertThat(payments.state(id)).startsWith(to);
        assertThat(database.jdbc().queryForObject("select from_state || '->' || to_state from transition where payment_id = ?"
                + " order by version desc limit 1", String.class, id)).isEqualTo(from + "->" + to);
    }

    @ParameterizedTest
    @MethodSource("illegal")
    void noOtherTransitionHappensWithAnyProof(String from, String to) {
        UUID id = payments.in(from);
        refused("transition_is_legal", () -> enter(id, from, to));
        assertThat(payments.state(id)).startsWith(from);
    }

    /** Enters a state with the best proof that there could be. */
    private static void enter(UUID id, String from, String to) {
        int attempt = payments.value(id, "attempts", Integer.class);
        switch (to) {
            case "SUBMITTING" -> {
                plantedPermit(id, attempt + 1, "NOT_EXECUTED");
                payments.claimed(id);
            }
            case "PENDING" -> {
                if (from.equals("REVIEW")) {
                    decisions.leaseOver(id);
                    decisions.decided(id, "ALLOW_RESEND", "{}");
                    return;
                }
                plantedPermit(id, attempt + 1, from.equals("FAILED") ? "RETRY_AFTER_REJECTION" : "NOT_EXECUTED");
                payments.move(id, to, null);
            }
            case "SUCCEEDED", "FAILED", "PROCESSING" -> {
                if (from.equals("PENDING") && attempt > 0) {
                    payments.record(Payments.told(id, "WEBHOOK", to.equals("SUCCEEDED") ? to : "ACCEPTED", "event"));
                    return;
                }
                String verdict = Map.of("SUCCEEDED", "SUCCEEDED", "FAILED", "REJECTED", "PROCESSING", "ACCEPTED").get(to);
                // Evidence of a success would stop a payment that is waiting; here it is the transition itself that is refused.
                payments.move(id, to, from.equals("PENDING") ? null
                        : payments.evidence(id, from.equals("SUBMITTING") ? attempt : null, from.equals("SUBMITTING") ? "ANSWER" : "WEBHOOK", verdict, null));
            }
            case "UNKNOWN" -> {
                if (from.equals("REVIEW")) {
                    decisions.proposed(decisions.caseOf(id), "KEEP_WAITING",
                            "{\"until\": \"%s\", \"handBack\": true}".formatted(Instant.now().plusSeconds(3600)));
                    return;
                }
                payments.move(id, to, null);
            }
            default -> payments.move(id, to, null);
        }
    }

    /** @return a payment that waits to be sent again under its key */
    private static UUID waitingInDoubt() {
        UUID id = payments.in("UNKNOWN");
        plantedPermit(id, 2, "SAME_KEY");
        payments.move(id, "PENDING", null);
        return id;
    }

    @Test
    void whatWaitsToBeSentAgainStandsInDoubtInTheBooks() {
        UUID id = waitingInDoubt();
        assertThat(payments.value(id, "position", String.class)).isEqualTo("IN_DOUBT");
        refused("PR003", () -> database.jdbc().update("update payment set in_doubt = false where payment_id = ?", id));
        payments.record(Payments.told(id, "WEBHOOK", "REJECTED", "event"));
        assertThat(payments.state(id)).isEqualTo("FAILED");
    }

    private static void plantedPermit(UUID id, int attempt, String kind) {
        if (attempt > 1) {
            database.withoutRules(jdbc -> payments.permit(id, attempt, kind, null));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SUBMITTING", "UNKNOWN", "REVIEW", "FAILED"})
    void nothingIsSentAgainWithoutAPermit(String state) {
        UUID id = payments.in(state);
        refused("PR006", () -> payments.move(id, "PENDING", null));
    }

    @Test
    void aWorkerThatKnowsNothingCannotPutItBack() {
        UUID id = payments.in("SUBMITTING");
        database.withoutRules(jdbc -> payments.permit(id, 2, "SAME_KEY", null));
        refused("PR006", () -> payments.move(id, "PENDING", null));
    }

    @Test
    void aRefusalIsNotRetriedWithAPermitOfAnotherKind() {
        UUID id = payments.in("FAILED");
        database.withoutRules(jdbc -> payments.permit(id, 2, "NOT_EXECUTED", null));
        refused("PR006", () -> payments.move(id, "PENDING", null));
    }

    @Test
    void aRetryAfterARejectionGoesOutUnderANewKey() {
        UUID id = payments.in("FAILED");
        String first = payments.value(id, "provider_key", String.class);
        database.withoutRules(jdbc -> payments.permit(id, 2, "RETRY_AFTER_REJECTION", null));
        refused("PR003", () -> database.jdbc().update("update payment set state = 'PENDING', reason = 'r' where payment_id = ?", id));
        payments.move(id, "PENDING", null);
        assertThat(payments.value(id, "provider_key", String.class)).isEqualTo(first + "-1");
    }

    @Test
    void aPaymentThatMayHaveBeenSentIsNotCalledOff() {
        UUID id = payments.in("UNKNOWN");
        database.withoutRules(jdbc -> payments.permit(id, 2, "SAME_KEY", null));
        payments.move(id, "PENDING", null);
        refused("PR006", () -> payments.move(id, "FAILED", null));
    }

    @Test
    void anAttemptThatDidNotExecuteProvesNothingAboutTheOneBefore() {
        UUID id = payments.in("UNKNOWN");
        database.withoutRules(jdbc -> payments.permit(id, 2, "SAME_KEY", null));
        payments.move(id, "PENDING", null);
        payments.claimed(id);
        long evidence = payments.evidence(id, 2, "ANSWER", "NOT_EXECUTED", null);
        refused("PR005", () -> payments.permit(id, 3, "NOT_EXECUTED", evidence));
        refused("PR006", () -> payments.move(id, "PENDING", evidence));
        refused("PR007", () -> review(id, "NOT_EXECUTED", evidence));
        payments.move(id, "UNKNOWN", evidence);
    }

    @Test
    void peopleAreNotToldThatItDidNotExecuteWithoutProof() {
        UUID id = payments.in("SUBMITTING");
        refused("PR007", () -> review(id, "NOT_EXECUTED", null));
        refused("PR007", () -> review(id, "NOT_EXECUTED", payments.evidence(id, 1, "ANSWER", "AMBIGUOUS", null)));
    }

    @Test
    void aReviewBecomesAConflictAndNothingElse() {
        UUID id = payments.in("REVIEW");
        refused("PR003", () -> database.jdbc().update("update payment set category = 'NOT_EXECUTED' where payment_id = ?", id));
        database.jdbc().update("update payment set category = 'STATE_CONFLICT' where payment_id = ?", id);
        refused("PR003", () -> database.jdbc().update("update payment set category = 'RECEIPT_MISSING' where payment_id = ?", id));
        assertThat(database.jdbc().queryForList("select category from review_case where payment_id = ? order by case_id", String.class, id))
                .containsExactly("RECEIPT_MISSING", "STATE_CONFLICT");
    }

    @Test
    void aReviewHasACategoryAndOnlyAReview() {
        refused("review_has_category", () -> database.jdbc().update("update payment set state = 'REVIEW' where payment_id = ?", payments.in("UNKNOWN")));
        refused("review_has_category", () -> database.jdbc().update("update payment set category = 'STATE_CONFLICT' where payment_id = ?",
                payments.in("UNKNOWN")));
    }

    private static void review(UUID id, String category, Long evidence) {
        database.jdbc().update("update payment set state = 'REVIEW', category = ?, reason = 'r', evidence_id = ? where payment_id = ?",
                category, evidence, id);
    }
}
