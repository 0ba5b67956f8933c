package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.paymentroutes.wire.WireProvider.closed;
import static org.paymentroutes.wire.WireProvider.notFound;
import static org.paymentroutes.wire.WireProvider.paid;
import static org.paymentroutes.wire.WireProvider.status;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.CamelContext;
import org.apache.camel.CamelExecutionException;
import org.apache.camel.Exchange;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.spi.Resource;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.paymentroutes.support.Api;
import org.paymentroutes.wire.WireProvider.Script;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** The saga example runs as it is shipped, against the running application. */
@FlowTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SagaExampleIT {

    @Autowired
    CamelContext camel;
    @Autowired
    ProducerTemplate producer;
    @Autowired
    Flow flow;
    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final List<String> unshippable = new CopyOnWriteArrayList<>();

    @BeforeAll
    void load() throws Exception {
        var properties = camel.getPropertiesComponent();
        properties.addOverrideProperty("saga-order.url", "http://localhost:" + api.port());
        properties.addOverrideProperty("saga-order.authorization", api.login("caller"));
        properties.addOverrideProperty("saga-order.looks", "10");
        properties.addOverrideProperty("saga-order.look-ms", "100");
        properties.addOverrideProperty("saga-order.compensation-delay-ms", "200");
        properties.addOverrideProperty("saga-order.book", "direct:saga-test-book");
        properties.addOverrideProperty("saga-order.ship", "direct:saga-test-ship");
        camel.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                errorHandler(noErrorHandler());
                from("direct:saga-test-book").routeId("saga-test-book").process(step("booked"));
                from("direct:saga-test-ship").routeId("saga-test-ship").process(exchange -> {
                    if (unshippable.contains(order(exchange))) {
                        throw new IllegalStateException("out of stock");
                    }
                }).process(step("shipped"));
            }
        });
        Resource example = ResourceHelper.resolveResource(camel, "file:" + Path.of("routes/examples/saga-order.camel.yaml"));
        PluginHelper.getRoutesLoader(camel).loadRoutes(example);
    }

    @AfterAll
    void unload() throws Exception {
        for (String route : camel.getRoutes().stream().map(org.apache.camel.Route::getId).filter(id -> id.startsWith("saga-")).toList()) {
            camel.getRouteController().stopRoute(route);
            camel.removeRoute(route);
        }
    }

    private org.apache.camel.Processor step(String name) {
        return exchange -> done.add(name + " " + order(exchange));
    }

    private static String order(Exchange exchange) {
        return exchange.getVariable("orderId", String.class);
    }

    private CompletableFuture<Exchange> order(String order, String provider, String details) {
        return producer.asyncSend("direct:saga-order", exchange -> {
            exchange.setVariable("orderId", order);
            exchange.getMessage().setBody("{\"sourceReference\":\"" + order + "\",\"operation\":\"CHARGE\",\"provider\":\"" + provider
                    + "\",\"amountMinor\":1234,\"currency\":\"EUR\",\"recipient\":\"tok_1\",\"details\":{" + details + "}}");
        });
    }

    private String charge(String order) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> jdbc.queryForObject(
                "select count(*) from payment where source_reference = ? and operation = 'CHARGE'", Integer.class, order) == 1);
        return jdbc.queryForObject("select payment_id::text from payment where source_reference = ? and operation = 'CHARGE'",
                String.class, order);
    }

    private static String newOrder() {
        return "order-" + UUID.randomUUID();
    }

    @Test
    void chargesBooksAndShips() {
        String order = newOrder();
        Exchange exchange = order(order, "sandbox", "").join();
        assertThat(exchange.getException()).isNull();
        assertThat(done).contains("booked " + order, "shipped " + order);
        assertThat(flow.state(charge(order))).isEqualTo("SUCCEEDED");
        assertThat(flow.get(charge(order)).path("refunds")).isEmpty();
    }

    @Test
    void anOrderThatCannotBeShippedIsRefundedAndBothStayInTheBooks() {
        String order = newOrder();
        unshippable.add(order);
        Exchange exchange = order(order, "sandbox", "").join();
        assertThat(exchange.getException()).hasMessage("out of stock");
        assertThat(done).contains("booked " + order).doesNotContain("shipped " + order);
        // The saga compensates on a thread of its own.
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> flow.get(charge(order)).path("refunds").size() == 1);
        JsonNode charge = flow.get(charge(order));
        String refund = charge.at("/refunds/0/paymentId").asText();
        flow.await(refund, "SUCCEEDED");
        charge = flow.get(charge(order));
        assertThat(charge.path("state").asText()).isEqualTo("SUCCEEDED");
        assertThat(charge.path("refunds")).hasSize(1);
        assertThat(charge.path("leftMinor").asLong()).isZero();
        assertThat(flow.money(charge(order)).path("refunded").asLong()).isEqualTo(1234);
    }

    @Test
    void anUnknownChargeIsGivenBackOnlyWhenItIsProvenThatItWasPaid() {
        String order = newOrder();
        String tag = "saga-" + UUID.randomUUID();
        FlowProviders.wire(FlowProviders.PATIENT).script(tag, new Script().post(closed())
                .query(notFound(), notFound(), notFound(), notFound(), notFound()).thenQuery(paid()));
        CompletableFuture<Exchange> running = order(order, FlowProviders.PATIENT, "\"tag\":\"" + tag + "\"");
        String charge = charge(order);
        flow.await(charge, "REVIEW");
        assertThat(flow.get(charge).path("refunds")).isEmpty();
        flow.await(charge, "SUCCEEDED");
        Exchange exchange = running.join();
        assertThat(exchange.getException().getMessage()).matches("The charge is (UNKNOWN|REVIEW)");
        assertThat(done).doesNotContain("booked " + order);
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> flow.get(charge).path("refunds").size() == 1);
        JsonNode document = flow.get(charge);
        assertThat(OffsetDateTime.parse(document.at("/refunds/0/acceptedAt").asText()))
                .isAfter(OffsetDateTime.parse(document.path("stateSince").asText()));
    }

    @Test
    void anUnknownChargeThatTurnsOutUnpaidIsNotGivenBack() {
        String order = newOrder();
        String tag = "saga-" + UUID.randomUUID();
        FlowProviders.wire(FlowProviders.PATIENT).script(tag, new Script().post(closed())
                .query(notFound(), notFound(), notFound(), notFound(), notFound()).thenQuery(status("DECLINED")));
        CompletableFuture<Exchange> running = order(order, FlowProviders.PATIENT, "\"tag\":\"" + tag + "\"");
        String charge = charge(order);
        flow.await(charge, "FAILED");
        assertThat(running.join().getException()).isNotNull();
        assertThat(flow.get(charge).path("refunds")).isEmpty();
    }

    @Test
    void aChargeThatIsNotAcceptedLeavesNothingToGiveBack() {
        assertThatThrownBy(() -> producer.requestBodyAndHeader("direct:saga-order", "{}", "x", "y"))
                .isInstanceOf(CamelExecutionException.class).rootCause().hasMessage("The charge was not accepted: HTTP 422");
    }
}
