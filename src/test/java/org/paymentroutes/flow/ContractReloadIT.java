package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.camel.CamelContext;
import org.apache.camel.Route;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paymentroutes.provider.ProviderPlans;
import org.paymentroutes.support.Api;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** A refused contract stops its own provider only, and a mended file is loaded while everything runs. */
@ContractFlowTest
class ContractReloadIT {

    private static final String REFUSAL = "provider unsafe: option send.leaseMs: found 1500, allowed is at least send.deadlineMs (2500) + 1000";
    private static final String MENDED = "account: unsafe-main\nquery.by: REFERENCE\n";

    @Autowired
    Flow flow;
    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;
    @Autowired
    CamelContext camel;
    @Autowired
    ProviderPlans plans;

    @AfterEach
    void breakItAgain() {
        ContractProviders.write(ContractProviders.UNSAFE, "account: unsafe-main\nsend.leaseMs: 1500\n");
    }

    private HttpResponse<String> reload(String provider) {
        return api.post("operator", "/api/providers/" + provider + "/reload", "{}");
    }

    private List<String> openAlerts() {
        return jdbc.queryForList("select severity || ' ' || detail from alert where kind = 'CONTRACT_REFUSED' and subject = 'unsafe'"
                + " and cleared_at is null", String.class);
    }

    private HttpResponse<String> webhook() {
        return api.send(HttpRequest.newBuilder(URI.create("http://localhost:" + api.port() + "/webhooks/unsafe")).POST(HttpRequest.BodyPublishers.ofString("{}")));
    }

    private String pay(int expected) {
        String[] body = new String[1];
        Awaitility.await().atMost(Duration.ofSeconds(10)).pollInterval(Duration.ofMillis(500)).untilAsserted(() -> {
            HttpResponse<String> answer = api.pay(Api.key(), "{\"sourceReference\":\"" + Api.key() + "\",\"operation\":\"PAYOUT\","
                    + "\"provider\":\"unsafe\",\"amountMinor\":100,\"currency\":\"EUR\",\"recipient\":\"tok_1\"}");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(expected);
            body[0] = answer.body();
        });
        return body[0];
    }

    @Test
    void aRefusedContractIsToldEverywhereAndMendedWithoutARestart() throws Exception {
        assertThat(camel.getRoute("outbox-unsafe")).isNull();
        assertThat(camel.getRoute("outbox-stripe-like")).isNotNull();
        assertThat(openAlerts()).singleElement().asString().startsWith("CRITICAL File ").contains(REFUSAL);
        HttpResponse<String> health = api.get("viewer", "/actuator/health/contracts");
        assertThat(health.statusCode()).isEqualTo(503);
        assertThat(health.body()).contains(REFUSAL);
        assertThat(api.get("viewer", "/api/providers/unsafe/plan").body()).contains("contract-refused", REFUSAL);
        assertThat(plans.getRefusals().get("unsafe")).contains(REFUSAL);

        // As an earlier start with a good contract left it: the refused one does not overwrite it.
        jdbc.update("insert into provider (name, account, can_query, lease_ms, quiet_ms, query_delays_ms, inconclusive_max, time_limit_ms,"
                + " send_time_limit_ms, backoff_base_ms, backoff_cap_ms, review_query_ms, retry_after_cap_ms, contract_digest)"
                + " values ('unsafe', 'unsafe-main', true, 12345, 1000, '{1000}', 3, 60000, 3600000, 100, 1000, 10000, 10000, 'd')");
        assertThat(reload("unsafe").statusCode()).isEqualTo(422);
        assertThat(jdbc.queryForObject("select lease_ms from provider where name = 'unsafe'", Integer.class)).isEqualTo(12345);
        assertThat(pay(503)).contains("/problems/provider-refused");
        assertThat(webhook().statusCode()).as("the provider shall send it again").isEqualTo(503);

        ContractProviders.write(ContractProviders.UNSAFE, MENDED);
        HttpResponse<String> mended = reload("unsafe");
        assertThat(mended.statusCode()).as(mended.body()).isEqualTo(200);
        assertThat(mended.body()).contains("\"provider\":\"unsafe\"");
        assertThat(openAlerts()).isEmpty();
        assertThat(webhook().statusCode()).as("its contract takes none").isEqualTo(404);
        assertThat(api.get("viewer", "/actuator/health/contracts").statusCode()).isEqualTo(200);
        assertThat(jdbc.queryForObject("select lease_ms from provider where name = 'unsafe'", Integer.class)).isEqualTo(20000);
        flow.await(Flow.json(pay(202)).path("paymentId").asText(), "SUCCEEDED");

        // A change that is refused leaves what runs.
        breakItAgain();
        HttpResponse<String> refused = reload("unsafe");
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.body()).contains(REFUSAL);
        assertThat(openAlerts()).hasSize(1);
        flow.await(Flow.json(pay(202)).path("paymentId").asText(), "SUCCEEDED");

        // So does one whose routes do not start.
        ContractProviders.write(ContractProviders.UNSAFE, MENDED + "send.workers: 2\n");
        Path file = Path.of("target/contract-routes/unsafe.camel.yaml");
        Files.writeString(file, Files.readString(file).replace("routeTemplateRef: ask", "routeTemplateRef: nothing"));
        assertThat(reload("unsafe").body()).contains("contract-refused", "its routes do not start");
        flow.await(Flow.json(pay(202)).path("paymentId").asText(), "SUCCEEDED");

        ContractProviders.write(ContractProviders.UNSAFE, MENDED + "send.workers: 3\nresend.max: 0\nquery.quietMs: 60000\n");
        assertThat(reload("unsafe").statusCode()).isEqualTo(200);
        assertThat(api.get("viewer", "/api/providers/unsafe/plan").body()).contains("after", "1 min");
        assertThat(api.get("viewer", "/api/providers").body()).contains("\"workers\":3,\"workersIdle\":3,\"circuit\":\"CLOSED\"");
        flow.await(Flow.json(pay(202)).path("paymentId").asText(), "SUCCEEDED");
    }

    @Test
    void aReloadUnderLoadLosesNothing() {
        ContractProviders.write("load", MENDED.replace("unsafe", "load"));
        assertThat(reload("load").statusCode()).as("a new file").isEqualTo(200);
        List<String> ids = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 20; i++) {
                ids.add(flow.pay("load", "PAYOUT", 100, "", ""));
            }
            assertThat(reload("load").statusCode()).isEqualTo(200);
        }
        flow.awaitAll(ids, "SUCCEEDED");
        assertThat(ids).allSatisfy(id -> assertThat(flow.money(id).path("moved").asInt()).isEqualTo(1));
    }

    @Test
    void allThatAProviderFileMayHaveStartsAgain() {
        List<String> before = camel.getRoutes().stream().map(Route::getRouteId).sorted().toList();
        assertThat(before).contains("outbox-sandbox", "query-sandbox");
        for (int round = 0; round < 2; round++) {
            HttpResponse<String> answer = reload("sandbox");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(camel.getRoutes().stream().map(Route::getRouteId).sorted().toList()).isEqualTo(before);
            assertThat(camel.getRoutes()).allSatisfy(route ->
                    assertThat(camel.getRouteController().getRouteStatus(route.getRouteId()).isStarted()).as(route.getRouteId()).isTrue());
            flow.await(flow.behaves("ok"), "SUCCEEDED");
        }
    }

    @Test
    void onlyOperatorsReloadAndOnlyWhatThereIs() {
        assertThat(api.post("viewer", "/api/providers/stripe-like/reload", "{}").statusCode()).isEqualTo(403);
        assertThat(reload("nobody").statusCode()).isEqualTo(404);
        assertThat(api.post("operator", "/api/providers/stripe-like/reload", "{\"force\":true}").statusCode()).isEqualTo(422);
        assertThat(api.get("viewer", "/api/providers/nobody/plan").statusCode()).isEqualTo(404);
    }

    @Test
    void thePlanIsShownAsJsonAsTextAndInJmx() {
        assertThat(Flow.json(api.get("viewer", "/api/providers/stripe-like/plan").body()).at("/operations/0/idempotency").asText()).isEqualTo("ALWAYS");
        HttpResponse<String> text = api.send(api.request("viewer", "/api/providers/stripe-like/plan").header("Accept", "text/plain").GET());
        assertThat(text.headers().firstValue("Content-Type")).hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
        assertThat(text.body()).startsWith("Provider stripe-like, account acct-main, ").contains("permit SAME_KEY");
        assertThat(plans.getRecoveryPlans()).contains("Provider stripe-like", "Provider wechat-like");
    }
}
