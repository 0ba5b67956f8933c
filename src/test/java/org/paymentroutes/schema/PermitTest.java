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
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of permit: with its whole proof it is granted, with any one piece missing it is refused. */
class PermitTest extends OneProviderTest implements BooksHold {

    private static final String NOT_FOUND_FINAL =
            "not_found_final = true, not_found_min = 2, visible_after_ms = 1000, arrival_limit_ms = 60000, resend_max = 3";
    private static final String AT_LEAST_ONCE = "at_least_once_up_to = '{\"EUR\": 500}',"
            + " at_least_once_acceptance = 'the treasurer accepts duplicates up to five euros', resend_max = 3";
    private static final String RETRY = "retry_codes = '{NO_FUNDS}', retry_max = 2, retry_delay_ms = 0";

    @BeforeEach
    void nothingIsAllowed() {
        payments.operation("PAYOUT", "same_key = false, key_lifetime_ms = null, key_margin_ms = null, not_found_final = false, not_found_min = null,"
                + " visible_after_ms = null, arrival_limit_ms = null, retry_codes = '{}', retry_max = 0, retry_delay_ms = 0,"
                + " at_least_once_up_to = '{}', at_least_once_acceptance = null, resend_max = 0");
        payments.contract("can_query", true);
    }

    private static void aged(UUID id, String interval) {
        database.withoutRules(jdbc -> {
            jdbc.update("update payment set first_sent_at = first_sent_at - ?::interval, accepted_at = accepted_at - ?::interval where payment_id = ?",
                    interval, interval, id);
            jdbc.update("update attempt set started_at = started_at - ?::interval, lease_until = lease_until - ?::interval where payment_id = ?",
                    interval, interval, id);
            jdbc.update("update evidence set received_at = received_at - ?::interval, asked_at = asked_at - ?::interval where payment_id = ?",
                    interval, interval, id);
        });
    }

    private static Long notFound(UUID id, String asked) {
        return database.jdbc().queryForObject("insert into evidence (payment_id, attempt_no, source, verdict, reason, recorded_by, asked_at)"
                + " select payment_id, attempts, 'QUERY', 'NOT_FOUND', 'r', 'r', " + asked + " from payment where payment_id = ?"
                + " returning evidence_id", Long.class, id);
    }

    private static UUID unknown() {
        return payments.in("UNKNOWN");
    }

    /** Grants the next attempt, sends it and leaves it without an answer, or with this answer. */
    private static void sentAgain(UUID id, String kind, Long proof, Map<String, Object> answer) {
        payments.permit(id, payments.value(id, "attempts + 1", Integer.class), kind, proof);
        payments.move(id, "PENDING", proof);
        payments.claimed(id);
        payments.record(answer);
    }

    @Test
    void nothingIsProvenByTimeWhileTheClocksAreFarApart() {
        payments.operation("PAYOUT", SAME_KEY);
        UUID id = unknown();
        database.jdbc().queryForList("select raise_alert('CLOCK_JUMP', 'node', 'CRITICAL', 'an hour ahead')");
        refused("PR005", () -> payments.permit(id, 2, "SAME_KEY", null));
        database.jdbc().update("update alert set last_at = last_at - interval '11 minutes' where kind = 'CLOCK_JUMP'");
        payments.permit(id, 2, "SAME_KEY", null);
        UUID other = unknown();
        database.jdbc().queryForList("select raise_alert('CLOCK_JUMP', 'node', 'CRITICAL', 'again')");
        refused("PR005", () -> payments.permit(other, 2, "SAME_KEY", null));
        database.jdbc().queryForList("select clear_alert('CLOCK_JUMP', 'node', 'node')");
        payments.permit(other, 2, "SAME_KEY", null);
    }

    @Test
    void sameKeyWithinItsLifetimeByContract() {
        payments.operation("PAYOUT", SAME_KEY);
        payments.permit(unknown(), 2, "SAME_KEY", null);
        UUID old = unknown();
        aged(old, "22 hours");
        payments.permit(old, 2, "SAME_KEY", null);
        UUID over = unknown();
        aged(over, "23 hours 1 second");
        refused("PR005", () -> payments.permit(over, 2, "SAME_KEY", null));
        payments.operation("PAYOUT", "resend_max = 0");
        refused("PR005", () -> payments.permit(unknown(), 2, "SAME_KEY", null));
        payments.operation("PAYOUT", "resend_max = 3, same_key = false");
        refused("PR005", () -> payments.permit(unknown(), 2, "SAME_KEY", null));
        UUID other = payments.accepted("CHARGE", 5, "EUR", UUID.randomUUID().toString());
        payments.claimed(other);
        payments.record(answer(other, 1, "AMBIGUOUS"));
        refused("PR005", () -> payments.permit(other, 2, "SAME_KEY", null));
    }

    @Test
    void sameKeyNoMoreOftenThanTheContractSays() {
        payments.operation("PAYOUT", SAME_KEY);
        UUID id = unknown();
        for (int attempt = 2; attempt <= 4; attempt++) {
            sentAgain(id, "SAME_KEY", null, answer(id, attempt, "AMBIGUOUS"));
        }
        refused("PR005", () -> payments.permit(id, 5, "SAME_KEY", null));
    }

    @ParameterizedTest
    @CsvSource({"500,500,false", "500,502,true", "200,200,true"})
    void aStored5xxUnderOneKeyStopsTheResends(int first, int second, boolean again) {
        payments.operation("PAYOUT", SAME_KEY);
        UUID id = payments.in("SUBMITTING");
        payments.record(with(answer(id, 1, "AMBIGUOUS"), "http_status", first));
        sentAgain(id, "SAME_KEY", null, with(answer(id, 2, "AMBIGUOUS"), "http_status", second));
        if (again) {
            payments.permit(id, 3, "SAME_KEY", null);
        }
        else {
            refused("PR005", () -> payments.permit(id, 3, "SAME_KEY", null));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SAME_KEY", "NOT_FOUND_FINAL", "AT_LEAST_ONCE"})
    void nothingIsSentAgainThatTheProviderIsKnownToHave(String kind) {
        payments.operation("PAYOUT", SAME_KEY + ", " + NOT_FOUND_FINAL.replace(", resend_max = 3", "") + ", "
                + AT_LEAST_ONCE.replace(", resend_max = 3", ""));
        List<Consumer<UUID>> signs = List.of(
                id -> payments.evidence(id, null, "QUERY", "SUCCEEDED", null),
                id -> payments.evidence(id, null, "QUERY", "ACCEPTED", null),
                id -> payments.evidence(id, null, "QUERY", "REJECTED", null),
                id -> payments.evidence(id, null, "QUERY", "AMBIGUOUS", "amount"),
                id -> payments.evidence(id, null, "WEBHOOK", "AMBIGUOUS", null),
                id -> database.jdbc().update("insert into evidence (payment_id, attempt_no, source, verdict, provider_payment_id, reason, recorded_by)"
                        + " values (?, 1, 'ANSWER', 'AMBIGUOUS', 'P-1', 'r', 'r')", id));
        for (Consumer<UUID> sign : signs) {
            UUID id = unknown();
            aged(id, "10 minutes");
            notFound(id, "clock_timestamp()");
            Long proof = notFound(id, "clock_timestamp()");
            sign.accept(id);
            refused("PR005", () -> payments.permit(id, 2, kind, proof));
        }
        UUID id = unknown();
        aged(id, "10 minutes");
        notFound(id, "clock_timestamp()");
        payments.permit(id, 2, kind, notFound(id, "clock_timestamp()"));
    }

    @Test
    void notFoundIsFinalAfterTheLastArrivalAndTheLag() {
        payments.operation("PAYOUT", NOT_FOUND_FINAL);
        UUID id = unknown();
        aged(id, "10 minutes");
        Long first = notFound(id, "clock_timestamp()");
        refused("PR005", () -> payments.permit(id, 2, "NOT_FOUND_FINAL", first));
        Long unasked = notFound(id, "null");
        refused("PR005", () -> payments.permit(id, 2, "NOT_FOUND_FINAL", unasked));
        Long early = notFound(id, "clock_timestamp() - interval '9 minutes'");
        refused("PR005", () -> payments.permit(id, 2, "NOT_FOUND_FINAL", early));
        Long second = notFound(id, "clock_timestamp()");
        refused("PR005", () -> payments.permit(id, 2, "NOT_FOUND_FINAL", null));
        refused("PR005", () -> payments.permit(id, 2, "NOT_FOUND_FINAL", early));
        payments.operation("PAYOUT", "not_found_min = 3");
        refused("PR005", () -> payments.permit(id, 2, "NOT_FOUND_FINAL", second));
        payments.operation("PAYOUT", "not_found_min = 2, not_found_final = false");
        refused("PR005", () -> payments.permit(id, 2, "NOT_FOUND_FINAL", second));
        payments.operation("PAYOUT", "not_found_final = true, visible_after_ms = 600000");
        refused("PR005", () -> payments.permit(id, 2, "NOT_FOUND_FINAL", second));
        payments.operation("PAYOUT", "visible_after_ms = 1000, arrival_limit_ms = 660000");
        refused("PR005", () -> payments.permit(id, 2, "NOT_FOUND_FINAL", second));
        payments.operation("PAYOUT", "arrival_limit_ms = 60000");
        payments.permit(id, 2, "NOT_FOUND_FINAL", second);
        payments.move(id, "PENDING", second);
        assertThat(payments.value(id, "position", String.class)).as("absence is proven").isEqualTo("REQUESTED");
        payments.claimed(id);
        payments.record(answer(id, 2, "AMBIGUOUS"));
        refused("PR005", () -> payments.permit(id, 3, "NOT_FOUND_FINAL", second));
    }

    @Test
    void atLeastOnceUpToItsCeilingAndInWords() {
        payments.operation("PAYOUT", AT_LEAST_ONCE);
        UUID id = unknown();
        payments.permit(id, 2, "AT_LEAST_ONCE", null);
        payments.move(id, "PENDING", null);
        assertThat(payments.value(id, "position", String.class)).isEqualTo("IN_DOUBT");
        payments.operation("PAYOUT", "at_least_once_up_to = '{\"EUR\": 499}'");
        refused("PR005", () -> payments.permit(unknown(), 2, "AT_LEAST_ONCE", null));
        payments.operation("PAYOUT", "at_least_once_up_to = '{\"USD\": 500}'");
        refused("PR005", () -> payments.permit(unknown(), 2, "AT_LEAST_ONCE", null));
        payments.operation("PAYOUT", "at_least_once_up_to = '{\"EUR\": 500}', resend_max = 0");
        refused("PR005", () -> payments.permit(unknown(), 2, "AT_LEAST_ONCE", null));
    }

    @Test
    void aRefusalOfOneOfSeveralSendsDoesNotFailThePayment() {
        payments.operation("PAYOUT", AT_LEAST_ONCE);
        UUID id = unknown();
        sentAgain(id, "AT_LEAST_ONCE", null, answer(id, 2, "REJECTED"));
        assertThat(payments.state(id)).isEqualTo("UNKNOWN");
        payments.record(query(id, 2, "REJECTED"));
        assertThat(payments.state(id)).isEqualTo("UNKNOWN");
        refused("PR007", () -> payments.move(id, "FAILED", payments.evidence(id, null, "QUERY", "REJECTED", null)));
        payments.record(query(id, 2, "SUCCEEDED"));
        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
    }

    private static UUID refusedWith(String code) {
        UUID id = payments.in("SUBMITTING");
        payments.record(with(answer(id, 1, "REJECTED"), "code", code));
        return id;
    }

    private static Long proof(UUID id) {
        return payments.value(id, "evidence_id", Long.class);
    }

    @Test
    void aListedRefusalIsTriedAgainUnderANewKey() {
        payments.operation("PAYOUT", RETRY);
        UUID id = refusedWith("NO_FUNDS");
        String key = payments.value(id, "provider_key", String.class);
        refused("PR005", () -> payments.permit(id, 2, "RETRY_AFTER_REJECTION", null));
        payments.permit(id, 2, "RETRY_AFTER_REJECTION", proof(id));
        payments.move(id, "PENDING", proof(id));
        assertThat(payments.value(id, "provider_key", String.class)).isEqualTo(key + "-1");
        assertThat(payments.value(id, "first_sent_at is null and provider_payment_id is null and generation_since = 2", Boolean.class)).isTrue();
        assertThat(database.jdbc().queryForList("select event from ledger_posting where payment_id = ? order by posting_id", String.class, id))
                .containsExactly("PaymentRequested", "PaymentFailed", "PaymentRequested");
        payments.claimed(id);
        payments.record(with(answer(id, 2, "REJECTED"), "code", "NO_FUNDS"));
        payments.permit(id, 3, "RETRY_AFTER_REJECTION", proof(id));
        payments.move(id, "PENDING", proof(id));
        payments.claimed(id);
        payments.record(with(answer(id, 3, "REJECTED"), "code", "NO_FUNDS"));
        refused("PR005", () -> payments.permit(id, 4, "RETRY_AFTER_REJECTION", proof(id)));
    }

    @Test
    void aRefusalIsNotTriedAgainWhenItIsNotListedOrNotAlone() {
        payments.operation("PAYOUT", RETRY);
        UUID other = refusedWith("FRAUD");
        refused("PR005", () -> payments.permit(other, 2, "RETRY_AFTER_REJECTION", proof(other)));
        UUID none = refusedWith(null);
        refused("PR005", () -> payments.permit(none, 2, "RETRY_AFTER_REJECTION", proof(none)));
        UUID paid = refusedWith("NO_FUNDS");
        payments.record(told(paid, "WEBHOOK", "SUCCEEDED", "event"));
        refused("PR005", () -> payments.permit(paid, 2, "RETRY_AFTER_REJECTION", proof(paid)));
        UUID first = payments.accepted("PAYOUT", 5, "EUR", "invoice-8");
        payments.claimed(first);
        payments.record(with(answer(first, 1, "REJECTED"), "code", "NO_FUNDS"));
        payments.accepted("PAYOUT", 5, "EUR", "invoice-8");
        refused("PR005", () -> payments.permit(first, 2, "RETRY_AFTER_REJECTION", proof(first)));
        UUID inConflict = refusedWith("NO_FUNDS");
        payments.record(with(told(inConflict, "WEBHOOK", "REJECTED", "event"), "mismatch", "amount"));
        refused("PR005", () -> payments.permit(inConflict, 2, "RETRY_AFTER_REJECTION", proof(inConflict)));
    }

    @Test
    void aPaymentThatWasAcceptedAndThenRefusedMayBeTriedAgain() {
        payments.operation("PAYOUT", RETRY);
        UUID id = payments.in("PROCESSING");
        payments.record(with(query(id, 1, "REJECTED"), "code", "NO_FUNDS"));
        payments.permit(id, 2, "RETRY_AFTER_REJECTION", proof(id));
    }

    @Test
    void absenceFromSettlementNeedsACompletePeriod() {
        UUID id = unknown();
        aged(id, "3 hours");
        refused("PR005", () -> payments.permit(id, 2, "ABSENT_FROM_SETTLEMENT", null));
        database.withoutRules(jdbc -> jdbc.update("insert into settlement_period (provider, period_from, period_to, file_id)"
                + " values ('acme', now() - interval '2 hours', now(), 1)"));
        refused("PR005", () -> payments.permit(id, 2, "ABSENT_FROM_SETTLEMENT", null));
        database.withoutRules(jdbc -> jdbc.update("insert into settlement_period (provider, period_from, period_to, file_id)"
                + " values ('acme', now() - interval '1 day', now() - interval '2 hours', 2)"));
        database.jdbc().update("update payment set resend_at = now() where payment_id = ?", id);
        assertThat(resend()).extracting(row -> row.get("kind")).containsExactly("ABSENT_FROM_SETTLEMENT");
        assertThat(payments.value(id, "position", String.class)).isEqualTo("REQUESTED");
        UUID known = unknown();
        aged(known, "3 hours");
        payments.evidence(known, null, "WEBHOOK", "AMBIGUOUS", null);
        refused("PR005", () -> payments.permit(known, 2, "ABSENT_FROM_SETTLEMENT", null));
        database.withoutRules(jdbc -> jdbc.update("delete from settlement_period"));
    }

    @Test
    void twoPeopleAllowIt() {
        UUID id = payments.in("REVIEW");
        aged(id, "1 hour");
        refused("PR005", () -> payments.permit(id, 2, "TWO_PEOPLE", null));
        refused("PR005", () -> payments.permit(id, 2, "TWO_PEOPLE", proof(id)));
        decisions.decided(id, "ALLOW_RESEND", "{}");
        assertThat(payments.state(id)).isEqualTo("PENDING");
        assertThat(payments.value(id, "position", String.class)).isEqualTo("REQUESTED");
    }

    @ParameterizedTest
    @CsvSource({"SUBMITTING,NOT_EXECUTED", "UNKNOWN,NOT_EXECUTED", "UNKNOWN,SAME_KEY", "UNKNOWN,NOT_FOUND_FINAL", "UNKNOWN,ABSENT_FROM_SETTLEMENT",
            "UNKNOWN,AT_LEAST_ONCE", "REVIEW,TWO_PEOPLE", "FAILED,RETRY_AFTER_REJECTION"})
    void eachStateIsLeftWithItsKindsOnly(String state, String kind) {
        for (String other : List.of("SUBMITTING", "UNKNOWN", "REVIEW", "FAILED", "PROCESSING", "SUCCEEDED")) {
            UUID id = payments.in(other);
            database.withoutRules(jdbc -> payments.permit(id, 2, kind, null));
            // A permit alone is not enough for people's cases: they decide about the case that is open now.
            if (other.equals(state) && !other.equals("REVIEW") || kind.equals("NOT_EXECUTED") && List.of("SUBMITTING", "UNKNOWN").contains(other)) {
                payments.move(id, "PENDING", null);
            }
            else if (List.of("PROCESSING", "SUCCEEDED").contains(other)) {
                refused("transition_is_legal", () -> payments.move(id, "PENDING", null));
            }
            else {
                refused("PR006", () -> payments.move(id, "PENDING", null));
            }
        }
    }

    @Test
    void aResendThatWaitsPastTheLifetimeOfItsKeyIsNotSent() {
        payments.operation("PAYOUT", SAME_KEY);
        UUID id = unknown();
        payments.permit(id, 2, "SAME_KEY", null);
        payments.move(id, "PENDING", null);
        aged(id, "23 hours 1 second");
        payments.due(id);
        assertThat(payments.claim(100)).extracting(row -> row.get("payment_id")).doesNotContain(id.toString());
        refused("PR006", () -> payments.claimed(id));
        database.run("give-up", Map.of("node", "node"));
        assertThat(payments.state(id)).isEqualTo("REVIEW RECEIPT_MISSING");
    }

    private static List<Map<String, Object>> resend() {
        return database.run("resend", Map.of("node", "node"));
    }

    private static void considered(UUID id) {
        database.jdbc().update("update payment set resend_at = least(resend_at, clock_timestamp()) where payment_id = ?", id);
    }

    @Test
    void whatIsNotFoundIsSentAgainUnderItsKey() {
        payments.operation("PAYOUT", SAME_KEY);
        UUID id = unknown();
        assertThat(resend()).as("the provider is asked first").isEmpty();
        payments.record(query(id, 1, "NOT_FOUND"));
        assertThat(resend()).extracting(row -> row.get("kind")).containsExactly("SAME_KEY");
        assertThat(payments.state(id)).isEqualTo("PENDING");
        payments.claimed(id);
        payments.record(answer(id, 2, "NOT_EXECUTED"));
        assertThat(payments.state(id)).as("the first send is still in doubt").isEqualTo("UNKNOWN");
    }

    @Test
    void whatCannotBeAskedIsSentAgainAtThePaceOfItsQueries() {
        payments.operation("PAYOUT", SAME_KEY);
        payments.contract("can_query", false);
        UUID id = unknown();
        assertThat(payments.value(id, "extract(epoch from resend_at - clock_timestamp())", Double.class)).isBetween(100.0, 120.0);
        assertThat(resend()).isEmpty();
        considered(id);
        assertThat(resend()).hasSize(1);
        payments.claimed(id);
        payments.record(answer(id, 2, "AMBIGUOUS"));
        assertThat(payments.value(id, "extract(epoch from resend_at - clock_timestamp())", Double.class)).isBetween(110.0, 120.0);
        payments.operation("PAYOUT", "resend_max = 1");
        considered(id);
        assertThat(resend()).isEmpty();
        assertThat(payments.value(id, "resend_at is null", Boolean.class)).isTrue();
        payments.due(id);
        database.run("give-up", Map.of("node", "node"));
        assertThat(payments.state(id)).isEqualTo("REVIEW RECEIPT_MISSING");
    }

    @Test
    void whatIsFinallyNotFoundIsSentAgain() {
        payments.operation("PAYOUT", NOT_FOUND_FINAL);
        UUID id = unknown();
        aged(id, "10 minutes");
        for (int i = 1; i <= 2; i++) {
            String now = database.jdbc().queryForObject("select clock_timestamp()::text", String.class);
            payments.record(with(query(id, 1, "NOT_FOUND"), "asked_at", now));
            assertThat(resend()).hasSize(i - 1);
        }
        assertThat(payments.state(id)).isEqualTo("PENDING");
    }

    @Test
    void aListedRefusalIsRetriedAfterItsDelay() {
        payments.operation("PAYOUT", RETRY.replace("retry_delay_ms = 0", "retry_delay_ms = 3600000"));
        UUID id = refusedWith("NO_FUNDS");
        UUID other = refusedWith("FRAUD");
        assertThat(resend()).isEmpty();
        considered(id);
        considered(other);
        assertThat(resend()).extracting(row -> row.get("payment_id")).containsExactly(id.toString());
        assertThat(payments.state(id)).isEqualTo("PENDING");
        assertThat(payments.state(other)).isEqualTo("FAILED");
    }

    @Test
    void aProviderThatCannotBeReachedIsLeftAloneForLongerAndLonger() {
        UUID id = unknown();
        for (int failures = 1; failures <= 3; failures++) {
            payments.record(query(id, 1, "UNREACHABLE"), with(query(id, 1, "AMBIGUOUS"), "http_status", 429));
            assertThat(database.jdbc().queryForObject("select extract(epoch from query_backoff_until - clock_timestamp()) from provider", Double.class))
                    .isBetween((1 << failures - 1) - 0.9, 1.0 * (1 << failures - 1));
            payments.due(id);
            assertThat(payments.claimQueries(10)).isEmpty();
            database.jdbc().update("update provider set query_backoff_until = clock_timestamp()");
        }
        payments.record(query(id, 1, "AMBIGUOUS"));
        assertThat(database.jdbc().queryForObject("select query_failures from provider", Integer.class)).isZero();
        payments.due(id);
        assertThat(payments.claimQueries(10)).isNotEmpty();
    }

    @Test
    void noMoreIsAskedThanTheBudgetAllows() {
        payments.contract("query_rate_per_minute", 30);
        for (int i = 0; i < 12; i++) {
            payments.due(unknown());
        }
        assertThat(payments.claimQueries(100)).as("ten seconds of the budget").hasSize(5);
        assertThat(payments.claimQueries(100)).isEmpty();
        database.jdbc().update("update provider set query_next_at = clock_timestamp() - interval '5 seconds'");
        assertThat(payments.claimQueries(100)).hasSize(2);
        payments.contract("query_rate_per_minute", null);
        assertThat(payments.claimQueries(100)).hasSizeGreaterThanOrEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(longs = {500, 200})
    void aRefusalIsNotTriedAgainWhenAnEarlierPaymentForTheSameTurnsOutMade(long moved) {
        payments.operation("PAYOUT", "retry_codes = '{NO_FUNDS}', retry_max = 2, retry_delay_ms = 0, resend_max = 1");
        String reference = UUID.randomUUID().toString();
        UUID first = payments.accepted("PAYOUT", 500, "EUR", reference);
        payments.claimed(first);
        payments.record(answer(first, 1, "REJECTED"));
        UUID second = payments.accepted("PAYOUT", 500, "EUR", reference);
        payments.claimed(second);
        payments.record(with(answer(second, 1, "REJECTED"), "code", "NO_FUNDS"));
        payments.record(with(told(first, "WEBHOOK", "SUCCEEDED", "late"), "amount_minor", moved));
        database.run("resend", Map.of("node", "node"));
        assertThat(payments.state(second)).isEqualTo("FAILED");
        refused("PR005", () -> payments.permit(second, 2, "RETRY_AFTER_REJECTION", payments.value(second, "evidence_id", Long.class)));
    }

    @Test
    void aNewPaymentIsStoppedWhenPartOfAnEarlierOneForTheSameTurnsOutMade() {
        String reference = UUID.randomUUID().toString();
        UUID first = payments.accepted("PAYOUT", 500, "EUR", reference);
        payments.claimed(first);
        payments.record(answer(first, 1, "REJECTED"));
        UUID second = payments.accepted("PAYOUT", 500, "EUR", reference);
        payments.record(with(told(first, "WEBHOOK", "SUCCEEDED", "late part"), "amount_minor", 200));
        assertThat(payments.state(second)).isEqualTo("REVIEW STATE_CONFLICT");
    }
}
