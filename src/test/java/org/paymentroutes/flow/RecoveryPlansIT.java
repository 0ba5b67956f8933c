package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.paymentroutes.provider.Providers;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.TestClock;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Plays every ambiguous behaviour that matters against the contracts of routes/examples/contracts.md, on a clock that the
 * test moves: just before its time nothing happens, at its time what the plan says, and the sandbox's books tell how
 * often money moved.
 */
@ContractFlowTest
class RecoveryPlansIT {

    private static final Duration JUST_BEFORE = Duration.ofSeconds(2);
    // Between the moment of an answer and the due time that is computed in the same statement.
    private static final Duration SLACK = Duration.ofMillis(300);

    private static final Set<String> COLD = new TreeSet<>(ContractProviders.examples().keySet());

    @Autowired
    Flow flow;
    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;
    @Autowired
    Providers providers;

    private TestClock clock;

    @BeforeEach
    void clock() {
        clock = new TestClock(jdbc);
        // The first calls of a cold process may take longer than the deadline.
        for (String contract : COLD) {
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                String id = flow.pay(contract, "PAYOUT", 100, "behaviour", "ok");
                Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !List.of("PENDING", "SUBMITTING").contains(state(id)));
                return state(id).equals("SUCCEEDED");
            });
        }
        COLD.clear();
    }

    /**
     * What happens next, and not before.
     *
     * @param minutes  since the last thing that was told about the payment
     * @param state    in which it is then
     * @param attempts requests that were sent until then
     * @param queries  that were asked until then
     */
    record Then(double minutes, String state, int attempts, int queries) {
    }

    static Then then(double minutes, String state, int attempts, int queries) {
        return new Then(minutes, state, attempts, queries);
    }

    /** The columns: contract, amount, what the provider does, how often the money moved, the state at first, and what follows. */
    static Stream<Arguments> plays() {
        return Stream.of(
                // The same key: the provider tells again what it did.
                play("stripe-like", 1234, "close_paid", 1, "UNKNOWN", then(2, "SUCCEEDED", 2, 0)),
                play("stripe-like", 1234, "close_unpaid", 1, "UNKNOWN", then(2, "SUCCEEDED", 2, 0)),
                play("stripe-like", 1234, "slow_paid", 1, "UNKNOWN", then(2, "SUCCEEDED", 2, 0)),
                play("stripe-like", 1234, "error_500_paid", 1, "UNKNOWN", then(2, "SUCCEEDED", 2, 0)),
                play("stripe-like", 1234, "unavailable_503_unpaid", 1, "UNKNOWN", then(2, "SUCCEEDED", 2, 0)),
                // The same error under the same key is stored there: a third request would learn nothing.
                play("stripe-like", 1234, "stored_500_paid", 1, "UNKNOWN", then(2, "UNKNOWN", 2, 0), then(30, "REVIEW RECEIPT_MISSING", 2, 0)),
                play("stripe-like", 1234, "conflict_409_inprogress_paid", 1, "UNKNOWN", then(2, "SUCCEEDED", 2, 0)),
                play("stripe-like", 1234, "pending_202", 1, "PROCESSING", then(2, "SUCCEEDED", 1, 1)),
                // A refusal that is worth another try gets a new key, once.
                play("stripe-like", 1234, "declined_402", 0, "FAILED", then(60, "FAILED", 2, 0)),
                // The key proves nothing, so the query decides.
                play("checkout-like", 1234, "close_paid", 1, "UNKNOWN", then(2, "SUCCEEDED", 1, 1)),
                play("checkout-like", 1234, "flaky", 1, "UNKNOWN", then(2, "SUCCEEDED", 1, 1)),
                play("checkout-like", 1234, "error_500_paid", 1, "UNKNOWN", then(2, "SUCCEEDED", 1, 1)),
                play("checkout-like", 1234, "already_captured_422_paid", 1, "UNKNOWN", then(2, "SUCCEEDED", 1, 1)),
                play("checkout-like", 1234, "query_notfound_then_ok", 1, "UNKNOWN", then(2, "UNKNOWN", 1, 1), then(2, "UNKNOWN", 1, 2),
                        then(5, "SUCCEEDED", 1, 3)),
                play("checkout-like", 1234, "close_unpaid", 0, "UNKNOWN", then(2, "UNKNOWN", 1, 1), then(2, "UNKNOWN", 1, 2), then(5, "UNKNOWN", 1, 3),
                        then(15, "UNKNOWN", 1, 4), then(15, "REVIEW RECEIPT_MISSING", 1, 5)),
                play("checkout-like", 1234, "pending_then_declined", 0, "PROCESSING", then(2, "FAILED", 1, 1)),
                // Not found is final, but only when it is late enough, and three times.
                play("wechat-like", 1234, "close_paid", 1, "UNKNOWN", then(2, "SUCCEEDED", 1, 1)),
                play("wechat-like", 1234, "unavailable_503_paid", 1, "UNKNOWN", then(2, "SUCCEEDED", 1, 1)),
                play("wechat-like", 1234, "query_notfound_then_ok", 1, "UNKNOWN", then(2, "UNKNOWN", 1, 1), then(2, "UNKNOWN", 1, 2),
                        then(5, "SUCCEEDED", 1, 3)),
                play("wechat-like", 1234, "query_notfound", 1, "UNKNOWN", then(2, "UNKNOWN", 1, 1), then(2, "UNKNOWN", 1, 2), then(5, "UNKNOWN", 1, 3),
                        then(10, "UNKNOWN", 1, 4), then(10, "UNKNOWN", 1, 5), then(10, "SUCCEEDED", 2, 6)),
                // Without its id the provider cannot be asked.
                play("mpesa-like", 1234, "close_paid", 1, "UNKNOWN", then(30, "REVIEW RECEIPT_MISSING", 1, 0)),
                play("mpesa-like", 1234, "pending_202", 1, "PROCESSING", then(2, "SUCCEEDED", 1, 1)),
                play("blind", 1234, "close_paid", 1, "UNKNOWN", then(30, "REVIEW RECEIPT_MISSING", 1, 0)),
                play("blind", 1234, "close_unpaid", 0, "UNKNOWN", then(30, "REVIEW RECEIPT_MISSING", 1, 0)),
                // Small amounts may be paid twice, as somebody accepted; one minor unit more may not.
                play("small-amounts", 500, "close_unpaid", 1, "UNKNOWN", then(2, "SUCCEEDED", 2, 0)),
                play("small-amounts", 500, "reset_paid", 3, "UNKNOWN", then(2, "UNKNOWN", 2, 0), then(2, "UNKNOWN", 3, 0),
                        then(30, "REVIEW RECEIPT_MISSING", 3, 0)),
                play("small-amounts", 501, "close_unpaid", 0, "UNKNOWN", then(30, "REVIEW RECEIPT_MISSING", 1, 0)),
                // With both a query and a key, the query is first, and a not-found allows the same key.
                play("weak-refund", 1234, "close_paid", 1, "UNKNOWN", then(2, "SUCCEEDED", 1, 1)),
                play("weak-refund", 1234, "close_unpaid", 1, "UNKNOWN", then(2, "SUCCEEDED", 2, 1)));
    }

    private static Arguments play(String contract, long amount, String behaviour, int moved, String first, Then... steps) {
        return Arguments.of(contract, amount, behaviour, moved, first, List.of(steps));
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @MethodSource("plays")
    void eachBehaviourEndsAsThePlanSaysAndNotBefore(String contract, long amount, String behaviour, int moved, String first, List<Then> steps) {
        String id = flow.pay(contract, "PAYOUT", amount, "behaviour", behaviour);
        await(id, first, 1, 0);
        steps.forEach(step -> follow(id, step));
        assertThat(flow.money(id).path("moved").asInt()).as("times that money moved").isEqualTo(moved);
        if (!steps.get(steps.size() - 1).state().startsWith("REVIEW")) {
            clock.advance(Duration.ofDays(3));
            nothingHappens(id, steps.get(steps.size() - 1));
        }
    }

    @Test
    void aRetryAfterARefusalHasANewKey() {
        String id = flow.pay("stripe-like", "CHARGE", 1234, "behaviour", "declined_402");
        await(id, "FAILED", 1, 0);
        follow(id, then(60, "FAILED", 2, 0));
        assertThat(jdbc.queryForList("select provider_key from attempt where payment_id = ?::uuid order by attempt_no", String.class, id))
                .containsExactly(Flow.key(id), Flow.key(id) + "-1");
        assertThat(jdbc.queryForList("select kind from resend_permit where payment_id = ?::uuid", String.class, id)).containsExactly("RETRY_AFTER_REJECTION");
    }

    @Test
    void aHintIsRecordedAsOneAndRefusesNothing() {
        String id = flow.pay("checkout-like", "CHARGE", 1234, "behaviour", "already_captured_422_paid");
        await(id, "UNKNOWN", 1, 0);
        assertThat(flow.get(id).at("/evidence/0/reason").asText()).startsWith("hint: HTTP 422 ORDER_ALREADY_CAPTURED");
    }

    @Test
    void aKeyIsNotTrustedPastItsLifetime() {
        String id = flow.pay("stripe-like", "CHARGE", 1234, "behaviour", "close_paid");
        await(id, "UNKNOWN", 1, 0);
        assertThat(api.post("operator", "/api/providers/stripe-like/pause", "{\"reason\":\"maintenance\"}").statusCode()).isEqualTo(200);
        try {
            clock.to(last(id).plus(minutes(2)).plus(SLACK));
            await(id, "PENDING", 1, 0);
            // Remembered for 24 hours since the first send, less a margin of two.
            clock.to(last(id).plus(Duration.ofHours(22)).minus(JUST_BEFORE).minus(SLACK));
            nothingHappens(id, then(0, "PENDING", 1, 0));
            clock.to(last(id).plus(Duration.ofHours(22)));
            await(id, "REVIEW RECEIPT_MISSING", 1, 0);
        }
        finally {
            api.post("operator", "/api/providers/stripe-like/resume", "{}");
        }
        nothingHappens(id, then(0, "REVIEW RECEIPT_MISSING", 1, 0));
        assertThat(flow.money(id).path("moved").asInt()).isEqualTo(1);
    }

    @Test
    void aRefundIsWeakerThanItsCharge() {
        String charge = flow.pay("weak-refund", "CHARGE", 1234, "behaviour", "ok");
        await(charge, "SUCCEEDED", 1, 0);
        String refund = refund(charge, "close_unpaid");
        await(refund, "UNKNOWN", 1, 0);
        for (Then step : List.of(then(2, "UNKNOWN", 1, 1), then(2, "UNKNOWN", 1, 2), then(5, "UNKNOWN", 1, 3), then(15, "UNKNOWN", 1, 4),
                then(15, "REVIEW RECEIPT_MISSING", 1, 5))) {
            follow(refund, step);
        }
        assertThat(flow.money(refund).path("moved").asInt()).isZero();
    }

    @Test
    void thePlansOfTheExamplesSayWhatTheirTestsShow() {
        assertThat(ContractProviders.examples()).hasSizeGreaterThanOrEqualTo(6).allSatisfy((name, options) ->
                assertThat(providers.plan(name).operations()).isNotEmpty());
        assertThat(providers.plan("stripe-like").operations().get(0).idempotency()).isEqualTo("ALWAYS");
        assertThat(providers.plan("wechat-like").operations().get(0).idempotency()).isEqualTo("CONDITIONALLY");
        assertThat(providers.plan("mpesa-like").operations().get(0).idempotency()).isEqualTo("NEVER");
        assertThat(providers.plan("weak-refund").operations()).extracting(part -> part.operations() + " " + part.idempotency())
                .containsExactly("[CHARGE, PAYOUT] ALWAYS", "[REFUND] NEVER");
    }

    /** A refund as the intake writes it, whose provider plays this behaviour. */
    private String refund(String charge, String behaviour) {
        String id = UUID.randomUUID().toString();
        jdbc.update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account, amount_minor,"
                + " currency, refund_of, instruction) select ?::uuid, caller, ?, 'f', ?, 'REFUND', provider, account, 100, currency, payment_id,"
                + " jsonb_build_object('details', jsonb_build_object('behaviour', ?::text)) from payment where payment_id = ?::uuid",
                id, id, id, behaviour, charge);
        return id;
    }

    private void follow(String id, Then step) {
        Instant due = last(id).plus(minutes(step.minutes()));
        Then now = new Then(0, state(id), count(id, "attempts"), count(id, "queries"));
        clock.to(due.minus(JUST_BEFORE));
        nothingHappens(id, now);
        clock.to(due.plus(SLACK));
        await(id, step.state(), step.attempts(), step.queries());
    }

    private void await(String id, String state, int attempts, int queries) {
        Awaitility.await(id).atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(25)).untilAsserted(() ->
                assertThat(state(id) + " " + count(id, "attempts") + " " + count(id, "queries")).isEqualTo(state + " " + attempts + " " + queries));
    }

    private void nothingHappens(String id, Then now) {
        Awaitility.await(id).during(Duration.ofMillis(350)).atMost(Duration.ofSeconds(5)).pollInterval(Duration.ofMillis(50)).until(() ->
                state(id).equals(now.state()) && count(id, "attempts") == now.attempts() && count(id, "queries") == now.queries());
    }

    private String state(String id) {
        return jdbc.queryForObject("select concat_ws(' ', state, category) from payment where payment_id = ?::uuid", String.class, id);
    }

    private int count(String id, String column) {
        return jdbc.queryForObject("select " + column + " from payment where payment_id = ?::uuid", Integer.class, id);
    }

    /** When something was told last, on the database's clock. */
    private Instant last(String id) {
        return jdbc.queryForObject("select max(received_at) from evidence where payment_id = ?::uuid", OffsetDateTime.class, id).toInstant();
    }

    private static Duration minutes(double minutes) {
        return Duration.ofSeconds(Math.round(minutes * 60));
    }
}
