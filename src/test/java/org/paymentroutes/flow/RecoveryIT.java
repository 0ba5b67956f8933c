package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.wire.WireProvider.answer;
import static org.paymentroutes.wire.WireProvider.closed;
import static org.paymentroutes.wire.WireProvider.notFound;
import static org.paymentroutes.wire.WireProvider.paid;
import static org.paymentroutes.wire.WireProvider.status;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.paymentroutes.wire.WireProvider;
import org.paymentroutes.wire.WireProvider.Play;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** What becomes of payments whose worker is gone or whose answer was lost: asked about, never sent again. */
@FlowTest
class RecoveryIT {

    private final WireProvider patient = FlowProviders.wire(FlowProviders.PATIENT);

    @Autowired
    Flow flow;
    @Autowired
    JdbcTemplate jdbc;

    /** The columns: what the query says first, its verdict, the state right after it. */
    static Stream<Arguments> queryAnswers() {
        return Stream.of(
                Arguments.of("success", paid(), "SUCCEEDED", "SUCCEEDED"),
                Arguments.of("final refusal", status("DECLINED"), "REJECTED", "FAILED"),
                Arguments.of("in progress", status("PENDING"), "ACCEPTED", "PROCESSING"),
                Arguments.of("not found", notFound(), "NOT_FOUND", "UNKNOWN"),
                Arguments.of("inconclusive", status("EXPIRED_RESERVED"), "AMBIGUOUS", "UNKNOWN"),
                Arguments.of("inconclusive error", answer(500, "{}"), "AMBIGUOUS", "UNKNOWN"),
                Arguments.of("unreachable, cut", closed(), "UNREACHABLE", "UNKNOWN"),
                Arguments.of("unreachable, gateway", answer(503, "<html/>"), "UNREACHABLE", "UNKNOWN"),
                Arguments.of("unreachable, asked to wait", answer(429, "{}"), "UNREACHABLE", "UNKNOWN"),
                Arguments.of("about another reference", answer(200,
                        "{\"id\":\"x\",\"reference\":\"other\",\"status\":\"SUCCEEDED\",\"amount\":1234,\"currency\":\"EUR\"}"),
                        "AMBIGUOUS", "REVIEW"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("queryAnswers")
    void eachAnswerOfAQueryMeansSomethingElse(String name, Play first, String verdict, String state) {
        String tag = Flow.tag();
        patient.script(tag).post(closed()).query(first).thenQuery(paid());
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> flow.get(id).path("evidence").size() >= 2);
        JsonNode evidence = flow.get(id).at("/evidence/1");
        assertThat(evidence.path("source").asText()).isEqualTo("QUERY");
        assertThat(evidence.path("verdict").asText()).isEqualTo(verdict);
        List<String> states = flow.states(id);
        assertThat(states.subList(0, 3)).containsExactly("PENDING", "SUBMITTING", "UNKNOWN");
        if (!state.equals("UNKNOWN")) {
            assertThat(states.get(3)).isEqualTo(state);
        }
        flow.await(id, List.of("FAILED", "REVIEW").contains(state) ? state : "SUCCEEDED");
        assertThat(patient.posts(Flow.key(id))).isEqualTo(1);
    }

    @Test
    void anOrphanBecomesUnknownAndNeverPending() {
        String id = orphan(FlowProviders.PATIENT, "2 hours");
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> !flow.state(id).equals("SUBMITTING"));
        Awaitility.await().atMost(Duration.ofSeconds(15)).until(() -> flow.state(id).equals("REVIEW"));

        assertThat(flow.states(id)).containsExactly("PENDING", "SUBMITTING", "UNKNOWN", "REVIEW");
        assertThat(flow.get(id).at("/evidence/0/source").asText()).isEqualTo("LEASE");
        assertThat(patient.posts(Flow.key(id))).as("its worker is gone, and nobody sends for it").isZero();
    }

    @Test
    void aLeaseThatHoldsIsLeftAlone() {
        String id = orphan(FlowProviders.PATIENT, "-2 seconds");
        Awaitility.await().during(Duration.ofSeconds(1)).atMost(Duration.ofMillis(1900)).until(() -> flow.state(id).equals("SUBMITTING"));
        flow.await(id, "UNKNOWN");
    }

    @Test
    void aNewUnknownIsLeftInPeaceForTheQuietPeriod() {
        String tag = Flow.tag();
        patient.script(tag).post(closed());
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        JsonNode payment = flow.await(id, "SUCCEEDED");
        assertThat(between(payment.at("/evidence/0/receivedAt"), payment.at("/evidence/1/receivedAt"))).isGreaterThanOrEqualTo(300);
    }

    @Test
    void theWaitsBetweenQueriesGrow() {
        String tag = Flow.tag();
        patient.script(tag).post(closed()).query(closed(), closed(), closed(), closed());
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        JsonNode payment = flow.await(id, "SUCCEEDED");

        JsonNode evidence = payment.path("evidence");
        assertThat(evidence).hasSize(6);
        long[] least = {300, 200, 400, 800, 800};
        for (int i = 1; i < evidence.size(); i++) {
            assertThat(between(evidence.get(i - 1).path("receivedAt"), evidence.get(i).path("receivedAt")))
                    .as("wait before query %d", i).isGreaterThanOrEqualTo(least[i - 1]);
        }
        assertThat(payment.path("queryCount").asInt()).isEqualTo(5);
    }

    @Test
    void aQueryObeysRetryAfterUpToTheCap() {
        String tag = Flow.tag();
        patient.script(tag).post(closed()).query(answer(429, "{}", "Retry-After: 1"), answer(429, "{}", "Retry-After: 31536000"));
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        JsonNode payment = flow.await(id, "SUCCEEDED");
        assertThat(between(payment.at("/evidence/1/receivedAt"), payment.at("/evidence/2/receivedAt"))).isGreaterThanOrEqualTo(1000);
        assertThat(between(payment.at("/evidence/2/receivedAt"), payment.at("/evidence/3/receivedAt"))).isBetween(1000L, 10_000L);
    }

    @Test
    void anUnreachableProviderIsNoReasonToGiveUp() {
        String tag = Flow.tag();
        patient.script(tag).post(closed()).query(closed(), closed(), closed(), closed(), closed());
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        flow.await(id, "SUCCEEDED");
        assertThat(flow.states(id)).doesNotContain("REVIEW");
    }

    @Test
    void reviewGoesOnAskingAndClosesByEvidence() {
        String tag = Flow.tag();
        patient.script(tag).post(closed()).query(notFound(), notFound(), notFound(), notFound(), notFound(), notFound());
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        JsonNode inReview = flow.await(id, "REVIEW");
        assertThat(inReview.at("/review/category").asText()).isEqualTo("RECEIPT_MISSING");

        JsonNode payment = flow.await(id, "SUCCEEDED");
        assertThat(payment.path("review").isNull()).isTrue();
        assertThat(flow.states(id)).containsExactly("PENDING", "SUBMITTING", "UNKNOWN", "REVIEW", "SUCCEEDED");
        assertThat(jdbc.queryForObject("select closed_by is not null from review_case where payment_id = ?::uuid", Boolean.class, id)).isTrue();
        assertThat(patient.posts(Flow.key(id))).isEqualTo(1);
    }

    @Test
    void aPaymentThatCannotBeSentInTimeGoesToPeopleUnsent() {
        String id = UUID.randomUUID().toString();
        jdbc.update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,"
                + " amount_minor, currency, accepted_at) values (?::uuid, 'test', ?, 'f', ?, 'PAYOUT', 'acme', 'acme-main', 1, 'EUR',"
                + " now() - interval '2 hours')", id, id, id);
        JsonNode payment = flow.await(id, "REVIEW");
        assertThat(payment.path("category").asText()).isEqualTo("NOT_EXECUTED");
        assertThat(payment.path("attempts")).isEmpty();
    }

    /** A payment whose worker committed its attempt and died; its lease is over since this time. */
    private String orphan(String provider, String overSince) {
        String id = UUID.randomUUID().toString();
        jdbc.update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,"
                + " amount_minor, currency, due_at) values (?::uuid, 'test', ?, 'f', ?, 'PAYOUT', ?, 'm', 1, 'EUR', now() + interval '1 hour')",
                id, id, id, provider);
        jdbc.update("with claimed as (update payment set state = 'SUBMITTING', reason = 'claimed', actor = 'dead-node', attempts = 1,"
                + " first_sent_at = now() - interval '2 hours', due_at = now() - ?::interval where payment_id = ?::uuid returning *)"
                + " insert into attempt (payment_id, attempt_no, provider_key, worker, lease_until)"
                + " select payment_id, attempts, provider_key, actor, due_at from claimed", overSince, id);
        return id;
    }

    private static long between(JsonNode from, JsonNode to) {
        return Duration.between(OffsetDateTime.parse(from.asText()), OffsetDateTime.parse(to.asText())).toMillis();
    }
}
