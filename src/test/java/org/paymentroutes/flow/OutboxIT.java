package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.wire.WireProvider.answer;
import static org.paymentroutes.wire.WireProvider.closed;
import static org.paymentroutes.wire.WireProvider.paid;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paymentroutes.PaymentRoutesApplication;
import org.paymentroutes.provider.Providers;
import org.paymentroutes.support.Api;
import org.paymentroutes.wire.HeldAnswers;
import org.paymentroutes.wire.WireProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.jms.artemis.ArtemisProperties;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

/** When payments are claimed, how many at a time, and by whom. */
@FlowTest
class OutboxIT {

    private final WireProvider few = FlowProviders.wire(FlowProviders.FEW);
    private final WireProvider rated = FlowProviders.wire(FlowProviders.RATED);
    private final WireProvider fragile = FlowProviders.wire(FlowProviders.FRAGILE);
    private final WireProvider patient = FlowProviders.wire(FlowProviders.PATIENT);

    @Autowired
    Flow flow;
    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;
    @Autowired
    HikariDataSource pool;
    @Autowired
    Providers providers;
    @Autowired
    ArtemisProperties artemis;

    @AfterEach
    void resumesAll() {
        api.post("operator", "/api/providers/patient/resume", "{}");
    }

    @Test
    void neverClaimsMoreThanItHasIdleWorkers() throws Exception {
        few.mostOnTheWire();
        HeldAnswers held = new HeldAnswers(3);
        String tag = Flow.tag();
        for (int i = 0; i < 9; i++) {
            few.script(tag).post(held.then(paid()));
        }
        List<String> ids = IntStream.range(0, 9).mapToObj(i -> flow.scripted(FlowProviders.FEW, tag)).toList();
        held.awaitRequests();
        Awaitility.await().during(Duration.ofMillis(500)).atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
            assertThat(count("few", "SUBMITTING")).as("claimed, each with a request on the wire").isEqualTo(3);
            assertThat(few.onTheWire()).isEqualTo(3);
        });
        assertThat(count("few", "PENDING")).isEqualTo(6);
        held.release();
        flow.awaitAll(ids, "SUCCEEDED");
        assertThat(few.mostOnTheWire()).isLessThanOrEqualTo(3);
        assertThat(providers.gate("few").getIdle()).isEqualTo(3);
    }

    @Test
    void sendsAtOnceWhatIsRecordedOnThisNode() {
        // The poll of this provider comes once a minute.
        List<String> ids = IntStream.range(0, 5).mapToObj(i -> flow.scripted(FlowProviders.FEW, "")).toList();
        flow.awaitAll(ids, "SUCCEEDED");
    }

    @Test
    void findsWhatAnotherNodeRecorded() {
        String id = recordedElsewhere(FlowProviders.PATIENT);
        flow.await(id, "SUCCEEDED");
        assertThat(patient.posts(Flow.key(id))).isEqualTo(1);
    }

    @Test
    void claimsNoMoreThanTheRateAllows() {
        long start = System.nanoTime();
        List<String> ids = IntStream.range(0, 20).mapToObj(i -> flow.scripted(FlowProviders.RATED, "")).toList();
        Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(20)).until(() -> {
            int sent = ids.stream().mapToInt(id -> rated.posts(Flow.key(id))).sum();
            long periods = (System.nanoTime() - start) / 1_000_000_000L + 2;
            assertThat(sent).as("sent in %d periods", periods).isLessThanOrEqualTo((int) (5 * periods));
            return sent == 20;
        });
        flow.awaitAll(ids, "SUCCEEDED");
    }

    @Test
    void anOpenCircuitLeavesPaymentsPendingAndAProbeClosesIt() {
        List<String> lost = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            String tag = Flow.tag();
            fragile.script(tag).post(answer(500, "{}"));
            lost.add(flow.scripted(FlowProviders.FRAGILE, tag));
        }
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> providers.gate("fragile").getCircuit().equals("OPEN"));
        List<String> waiting = IntStream.range(0, 8).mapToObj(i -> flow.scripted(FlowProviders.FRAGILE, "")).toList();
        Awaitility.await().during(Duration.ofMillis(600)).atMost(Duration.ofSeconds(3)).untilAsserted(() -> {
            assertThat(waiting).extracting(id -> flow.state(id)).containsOnly("PENDING");
            assertThat(waiting).extracting(id -> fragile.posts(Flow.key(id))).containsOnly(0);
        });
        assertThat(flow.get(waiting.get(0)).path("attempts")).isEmpty();

        flow.awaitAll(waiting, "SUCCEEDED");
        assertThat(waiting).extracting(id -> fragile.posts(Flow.key(id))).containsOnly(1);
        assertThat(providers.gate("fragile").getCircuit()).isEqualTo("CLOSED");
        flow.awaitAll(lost, "SUCCEEDED");
    }

    @Test
    void aPauseStopsSendsAndNotQueries() {
        String tag = Flow.tag();
        patient.script(tag).post(closed());
        String lost = flow.scripted(FlowProviders.PATIENT, tag);
        flow.await(lost, "UNKNOWN");
        assertThat(api.post("operator", "/api/providers/patient/pause", "{\"reason\":\"maintenance\"}").statusCode()).isEqualTo(200);
        String waiting = flow.scripted(FlowProviders.PATIENT, "");

        flow.await(lost, "SUCCEEDED");
        Awaitility.await().during(Duration.ofMillis(500)).atMost(Duration.ofSeconds(3))
                .until(() -> flow.state(waiting).equals("PENDING") && patient.posts(Flow.key(waiting)) == 0);
        assertThat(api.post("operator", "/api/providers/patient/resume", "{}").statusCode()).isEqualTo(200);
        flow.await(waiting, "SUCCEEDED");
    }

    @Test
    void twoNodesClaimEachPaymentOnce() {
        try (ConfigurableApplicationContext second = secondNode()) {
            api.post("operator", "/api/providers/patient/pause", "{\"reason\":\"both nodes start together\"}");
            List<String> ids = IntStream.range(0, 200).mapToObj(i -> recordedElsewhere(FlowProviders.PATIENT)).toList();
            api.post("operator", "/api/providers/patient/resume", "{}");
            flow.awaitAll(ids, "SUCCEEDED");

            assertThat(ids).extracting(id -> patient.posts(Flow.key(id))).containsOnly(1);
            List<String> workers = jdbc.queryForList("select distinct worker from attempt join payment using (payment_id)"
                    + " where source_reference like 'elsewhere-%' and provider = 'patient' and started_at > now() - interval '1 minute'",
                    String.class);
            assertThat(workers).contains("second-node").hasSize(2);
        }
    }

    private ConfigurableApplicationContext secondNode() {
        List<String> properties = new ArrayList<>(List.of("server.port=0", "payment-routes.node=second-node",
                "camel.main.name=payment-routes-2", "spring.jmx.default-domain=second-node", "spring.jmx.enabled=false",
                "spring.datasource.url=" + pool.getJdbcUrl(), "spring.datasource.username=postgres",
                "spring.artemis.broker-url=vm://" + artemis.getEmbedded().getServerId(),
                "payment-routes.security.users.viewer.password={bcrypt}" + new BCryptPasswordEncoder(4).encode("not a secret"),
                "payment-routes.security.users.viewer.roles=viewer", "payment-routes.fingerprint-key=not-a-secret-not-a-secret-not-a-secret",
                "payment-routes.data=target/it-data/" + UUID.randomUUID(), "sandbox.url=http://localhost:1",
                "payment-routes.provider-routes=" + FlowProviders.routes()));
        FlowProviders.addresses().forEach((name, value) -> properties.add(name + "=" + value));
        return new SpringApplicationBuilder(PaymentRoutesApplication.class)
                .run(properties.stream().map(property -> "--" + property).toArray(String[]::new));
    }

    private String recordedElsewhere(String provider) {
        String id = UUID.randomUUID().toString();
        jdbc.update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,"
                + " amount_minor, currency) values (?::uuid, 'other', ?, 'f', 'elsewhere-' || ?, 'PAYOUT', ?, ?, 500, 'EUR')",
                id, id, id, provider, provider + "-merchant");
        return id;
    }

    private int count(String provider, String state) {
        return jdbc.queryForObject("select count(*) from payment where provider = ? and state = ?", Integer.class, provider, state);
    }
}
