package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.wire.WireProvider.closed;
import static org.paymentroutes.wire.WireProvider.paid;
import static org.paymentroutes.wire.WireProvider.status;
import static org.paymentroutes.wire.WireProvider.throttled;

import com.fasterxml.jackson.databind.JsonNode;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.stream.IntStream;
import org.apache.camel.ProducerTemplate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.paymentroutes.wire.HeldAnswers;
import org.paymentroutes.wire.RawRequest;
import org.paymentroutes.wire.WireProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** Public cases in which the moment matters: late answers, a database that fails, slow neighbours, keys, clocks. */
@FlowTest
class WireCasesIT {

    private final WireProvider patient = FlowProviders.wire(FlowProviders.PATIENT);
    private final WireProvider few = FlowProviders.wire(FlowProviders.FEW);

    @Autowired
    Flow flow;
    @Autowired
    JdbcTemplate jdbc;
    @Autowired
    HikariDataSource pool;
    @Autowired
    ProducerTemplate camel;

    @Test
    void c20EachReadShowsOneTruth() {
        String id = flow.behaves("close_paid");
        List<JsonNode> reads = new ArrayList<>();
        Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofSeconds(10)).until(() -> {
            JsonNode read = flow.get(id);
            reads.add(read);
            return read.path("state").asText().equals("SUCCEEDED");
        });

        assertThat(reads).extracting(read -> read.path("state").asText()).contains("UNKNOWN");
        for (JsonNode read : reads) {
            String state = read.path("state").asText();
            JsonNode transitions = read.path("transitions");
            JsonNode ledger = read.path("ledger");
            String lastEvent = ledger.get(ledger.size() - 1).path("event").asText();
            assertThat(transitions.get(transitions.size() - 1).path("to").asText()).isEqualTo(state);
            assertThat(lastEvent).isEqualTo(switch (state) {
                case "SUCCEEDED" -> "PaymentConfirmed";
                case "UNKNOWN" -> "PaymentInDoubt";
                default -> "PaymentRequested";
            });
        }
    }

    @Test
    void c21ALateAnswerOfTheCurrentAttemptIsTaken() throws Exception {
        HeldAnswers held = new HeldAnswers();
        String id = onTheWire(held);
        expireLease(id);
        flow.await(id, "UNKNOWN");
        held.release();

        JsonNode payment = flow.await(id, "SUCCEEDED");
        assertThat(payment.path("attempts")).hasSize(1);
        assertThat(payment.at("/evidence/0/source").asText()).isEqualTo("LEASE");
        assertThat(payment.at("/evidence/1/source").asText()).isEqualTo("ANSWER");
        assertThat(few.posts(Flow.key(id))).isEqualTo(1);
    }

    @Test
    void c21AnAnswerOfAnOlderAttemptChangesNothing() throws Exception {
        HeldAnswers held = new HeldAnswers();
        String tag = Flow.tag();
        patient.script(tag).post(throttled(), held.then(status("DECLINED")));
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        held.awaitRequests();
        Map<String, Object> late = new LinkedHashMap<>(Map.of("payment_id", id, "attempt_no", 1, "provider", FlowProviders.PATIENT,
                "source", "ANSWER", "verdict", "SUCCEEDED", "next", "SUCCEEDED", "reason", "late", "recorded_by", "test"));
        camel.requestBody("direct:record-statement", List.of(late));

        assertThat(flow.state(id)).isEqualTo("SUBMITTING");
        assertThat(flow.get(id).at("/evidence/0/verdict").asText()).isEqualTo("NOT_EXECUTED");
        held.release();
        assertThat(flow.await(id, "FAILED").path("evidence")).hasSize(2);
    }

    @Test
    void c25AnAnswerThatTheDatabaseRefusesIsRecordedLater() throws Exception {
        HeldAnswers held = new HeldAnswers();
        String id = onTheWire(held);
        jdbc.execute("alter table evidence add constraint disk_full check (code is distinct from 'SUCCEEDED') not valid");
        try {
            held.release();
            Awaitility.await().pollDelay(Duration.ofMillis(700)).until(() -> flow.state(id).equals("SUBMITTING"));
        }
        finally {
            jdbc.execute("alter table evidence drop constraint disk_full");
        }

        JsonNode payment = flow.await(id, "SUCCEEDED");
        assertThat(few.posts(Flow.key(id))).isEqualTo(1);
        assertThat(payment.path("evidence")).hasSize(1);
        assertThat(flow.states(id)).containsExactly("PENDING", "SUBMITTING", "SUCCEEDED");
    }

    @Test
    void c25AnAnswerWhoseStatementLosesItsConnectionIsRecordedAgain() throws Exception {
        HeldAnswers held = new HeldAnswers();
        String id = onTheWire(held);
        try (Connection lock = pool.getConnection()) {
            lock.setAutoCommit(false);
            lock.createStatement().execute("select from payment where payment_id = '" + id + "' for update");
            held.release();
            int[] killed = {0};
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> {
                killed[0] += jdbc.queryForObject("select count(pg_terminate_backend(pid)) from pg_stat_activity"
                        + " where wait_event_type = 'Lock' and query like '%jsonb_to_recordset%'", Integer.class);
                return killed[0] > 0;
            });
            lock.rollback();
        }

        flow.await(id, "SUCCEEDED");
        assertThat(few.posts(Flow.key(id))).isEqualTo(1);
    }

    @Test
    void c25AnswersThatAreRefusedDoNotDelayTheirNeighbours() {
        String bad = Flow.tag();
        patient.script(bad).post(status("DECLINED"), status("DECLINED"), status("DECLINED")).thenQuery(status("DECLINED"));
        jdbc.execute("alter table evidence add constraint bad_row check (code is distinct from 'DECLINED') not valid");
        List<String> refused;
        try {
            // More than there are threads that record.
            refused = IntStream.range(0, 3).mapToObj(i -> flow.scripted(FlowProviders.PATIENT, bad)).toList();
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() ->
                    refused.stream().allMatch(id -> patient.posts(Flow.key(id)) == 1));
            List<String> others = IntStream.range(0, 20).mapToObj(i -> flow.scripted(FlowProviders.PATIENT, "")).toList();
            flow.awaitAll(others, "SUCCEEDED");
            assertThat(others).allSatisfy(id -> assertThat(flow.states(id)).containsExactly("PENDING", "SUBMITTING", "SUCCEEDED"));
            assertThat(refused).extracting(id -> flow.state(id)).doesNotContain("FAILED");
        }
        finally {
            jdbc.execute("alter table evidence drop constraint bad_row");
        }
        flow.awaitAll(refused, "FAILED");
        assertThat(refused).extracting(id -> patient.posts(Flow.key(id))).containsOnly(1);
    }

    @Test
    void c28SlowPaymentsDelayNobodyAndHoldNoLock() throws Exception {
        HeldAnswers held = new HeldAnswers();
        String slow = onTheWire(held);
        List<String> others = IntStream.range(0, 100).mapToObj(i -> flow.scripted(FlowProviders.FEW, "")).toList();
        flow.awaitAll(others, "SUCCEEDED");

        assertThat(flow.state(slow)).isEqualTo("SUBMITTING");
        assertThat(jdbc.queryForList("select 1 from payment where payment_id = ?::uuid for update nowait", slow)).hasSize(1);
        assertThat(jdbc.queryForObject("select count(*) from pg_stat_activity where state like 'idle in transaction%'", Integer.class)).isZero();
        held.release();
        flow.await(slow, "SUCCEEDED");
    }

    @Test
    void c37TheKeyAndTheBytesOfARetryAreTheSame() {
        String tag = Flow.tag();
        patient.script(tag).post(throttled(), throttled(), paid());
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        JsonNode payment = flow.await(id, "SUCCEEDED");

        List<RawRequest> posts = List.copyOf(patient.order(Flow.key(id)).posts());
        assertThat(posts).hasSize(3);
        assertThat(posts).extracting(post -> post.header("Idempotency-Key")).containsOnly(Flow.key(id));
        assertThat(posts).extracting(RawRequest::text).containsOnly(posts.get(0).text());
        assertThat(payment.path("attempts")).hasSize(3);
        assertThat(payment.path("attempts")).extracting(attempt -> attempt.path("providerKey").asText()).containsOnly(Flow.key(id));
        assertThat(payment.path("permits")).hasSize(2);
        assertThat(payment.path("permits")).extracting(permit -> permit.path("kind").asText()).containsOnly("NOT_EXECUTED");
    }

    @Test
    void c38NoClockAloneSendsAgain() {
        String tag = Flow.tag();
        patient.script(tag).post(closed()).thenQuery(WireProvider.notFound());
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        JsonNode payment = flow.await(id, "REVIEW");

        assertThat(payment.path("category").asText()).isEqualTo("RECEIPT_MISSING");
        assertThat(payment.path("permits")).isEmpty();
        assertThat(patient.posts(Flow.key(id))).isEqualTo(1);
    }

    @Test
    void c43AProviderThatCannotBeAskedGetsNoSecondRequest() {
        String id = flow.pay(FlowProviders.BLIND, "PAYOUT", 500, "behaviour", "close_paid");
        JsonNode payment = flow.await(id, "REVIEW");

        assertThat(flow.states(id)).containsExactly("PENDING", "SUBMITTING", "UNKNOWN", "REVIEW");
        assertThat(payment.path("category").asText()).isEqualTo("RECEIPT_MISSING");
        assertThat(flow.money(id).path("received").asInt()).isEqualTo(1);
        assertThat(flow.money(id).path("moved").asInt()).isEqualTo(1);
    }

    @Test
    void c48TheTimeZoneOfTheProcessDecidesNothing() {
        TimeZone before = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Shanghai"));
        try {
            // The driver tells the server its zone when it connects.
            pool.getHikariPoolMXBean().softEvictConnections();
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() ->
                    jdbc.queryForObject("show timezone", String.class).equals("Asia/Shanghai"));
            String paid = flow.scripted(FlowProviders.PATIENT, "");
            String tag = Flow.tag();
            patient.script(tag).post(closed());
            String lost = flow.scripted(FlowProviders.PATIENT, tag);
            JsonNode payment = flow.await(paid, "SUCCEEDED");
            flow.await(lost, "SUCCEEDED");

            assertThat(flow.states(paid)).containsExactly("PENDING", "SUBMITTING", "SUCCEEDED");
            assertThat(flow.states(lost)).containsExactly("PENDING", "SUBMITTING", "UNKNOWN", "SUCCEEDED");
            assertThat(OffsetDateTime.parse(payment.path("acceptedAt").asText()).toInstant())
                    .isBetween(Instant.now().minusSeconds(60), Instant.now());
        }
        finally {
            TimeZone.setDefault(before);
            pool.getHikariPoolMXBean().softEvictConnections();
        }
    }

    /** @return a payment whose request has arrived and is answered with a success when it is released */
    private String onTheWire(HeldAnswers held) throws InterruptedException {
        String tag = Flow.tag();
        few.script(tag).post(held.then(paid()));
        String id = flow.scripted(FlowProviders.FEW, tag);
        held.awaitRequests();
        return id;
    }

    private void expireLease(String id) {
        assertThat(jdbc.update("update payment set due_at = now() - interval '1 second' where payment_id = ?::uuid and state = 'SUBMITTING'", id))
                .isEqualTo(1);
    }
}
