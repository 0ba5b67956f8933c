package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.wire.WireProvider.closed;
import static org.paymentroutes.wire.WireProvider.notFound;
import static org.paymentroutes.wire.WireProvider.status;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.apache.camel.ProducerTemplate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.AtOnce;
import org.paymentroutes.wire.WireProvider.Script;
import org.springframework.beans.factory.annotation.Autowired;

/** Refunds over the API, through the same machinery as any payment, and reversals that others tell of. */
@FlowTest
class RefundIT {

    @Autowired
    Flow flow;
    @Autowired
    Api api;
    @Autowired
    ProducerTemplate camel;

    private String paid(String operation, long amount) {
        String id = flow.pay("sandbox", operation, amount, "", "");
        flow.await(id, "SUCCEEDED");
        return id;
    }

    private static String refund(long amount) {
        return refund(amount, "ref-" + UUID.randomUUID());
    }

    private static String refund(long amount, String reference) {
        return "{\"amountMinor\":" + amount + ",\"reason\":\"goods came back\",\"sourceReference\":\"" + reference + "\"}";
    }

    @Test
    void givesMoneyBackOnceAndShowsWhatIsLeft() {
        String paid = paid("CHARGE", 1000);
        String key = Api.key();
        String json = refund(400);
        HttpResponse<String> answer = flow.refund(paid, key, json);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        JsonNode receipt = Flow.json(answer.body());
        assertThat(receipt.path("operation").asText()).isEqualTo("REFUND");
        assertThat(receipt.path("refundOf").asText()).isEqualTo(paid);
        String refund = receipt.path("paymentId").asText();
        flow.await(refund, "SUCCEEDED");

        HttpResponse<String> again = flow.refund(paid, key, json);
        assertThat(again.body()).isEqualTo(answer.body());
        assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
        assertThat(flow.refund(paid, key, refund(401)).statusCode()).isEqualTo(422);

        JsonNode document = flow.get(paid);
        assertThat(document.path("givenBackMinor").asLong()).isEqualTo(400);
        assertThat(document.path("leftMinor").asLong()).isEqualTo(600);
        assertThat(document.at("/refunds/0/paymentId").asText()).isEqualTo(refund);
        assertThat(document.at("/refunds/0/state").asText()).isEqualTo("SUCCEEDED");
        assertThat(flow.get(refund).path("refundOf").asText()).isEqualTo(paid);
        assertThat(flow.money(paid).path("refunded").asLong()).isEqualTo(400);
        assertThat(flow.money(refund).path("moved").asInt()).isEqualTo(1);

        JsonNode problem = Flow.json(flow.refund(paid, Api.key(), refund(601)).body());
        assertThat(problem.path("type").asText()).isEqualTo("/problems/refund-too-large");
        assertThat(problem.path("leftMinor").asLong()).isEqualTo(600);
        assertThat(problem.path("detail").asText()).isEqualTo("Left are 6.00 EUR, asked for were 6.01 EUR.");
        assertThat(Flow.json(flow.refund(refund, Api.key(), refund(1)).body()).path("type").asText()).isEqualTo("/problems/not-refundable");
    }

    @Test
    void oneRefundForOneReferenceIsOpenAtATime() {
        String paid = paid("CHARGE", 1000);
        String reference = "return-" + paid;
        String refund = Flow.json(flow.refund(paid, Api.key(), refund(100, reference)).body()).path("paymentId").asText();
        HttpResponse<String> second = flow.refund(paid, Api.key(), refund(100, reference));
        assertThat(second.statusCode() == 409 || "SUCCEEDED".equals(flow.state(refund))).as(second.body()).isTrue();
    }

    @Test
    void isTheCallersOwnAndOnlyOfWhatSucceeded() {
        String paid = paid("CHARGE", 1000);
        for (String user : new String[] {"viewer", "operator", "approver", "admin"}) {
            assertThat(api.post(user, "/api/payments/" + paid + "/refunds", refund(1)).statusCode()).isEqualTo(403);
        }
        assertThat(flow.refund(UUID.randomUUID().toString(), Api.key(), refund(1)).statusCode()).isEqualTo(404);
        assertThat(flow.refund("nonsense", Api.key(), refund(1)).statusCode()).isEqualTo(404);
        String pending = flow.pay("acme", "CHARGE", 100, "", "");
        HttpResponse<String> refused = flow.refund(pending, Api.key(), refund(1));
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(Flow.json(refused.body()).path("state").asText()).isEqualTo("PENDING");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"{\"amountMinor\":1} | reason", "{\"reason\":\"r\"} | amountMinor",
        "{\"amountMinor\":0,\"reason\":\"r\"} | amountMinor", "{\"amount\":\"1.234\",\"reason\":\"r\"} | amount",
        "{\"amountMinor\":1,\"reason\":\"r\",\"currency\":\"EUR\"} | currency",
        "{\"amountMinor\":1,\"reason\":\"r\",\"recipient\":\"someone else\"} | recipient"})
    void refusesAWrongFieldByName(String json, String field) {
        String pending = flow.pay("acme", "CHARGE", 100, "", "");
        HttpResponse<String> answer = flow.refund(pending, Api.key(), json);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(422);
        assertThat(Flow.json(answer.body()).at("/errors/0/field").asText()).isEqualTo(field);
    }

    @Test
    void needsAKey() {
        assertThat(api.send(api.request("caller", "/api/payments/x/refunds").header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(refund(1)))).statusCode()).isEqualTo(400);
    }

    @Test
    void twentyAtATimeNeverGiveBackMoreThanWasPaid() throws Exception {
        String paid = paid("CHARGE", 1000);
        Callable<HttpResponse<String>> request = () -> flow.refund(paid, Api.key(), refund(300));
        List<String> accepted = new ArrayList<>();
        for (HttpResponse<String> answer : AtOnce.all(10, Collections.nCopies(20, request))) {
            if (answer.statusCode() == 202) {
                accepted.add(Flow.json(answer.body()).path("paymentId").asText());
            }
            else {
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
                assertThat(Flow.json(answer.body()).path("leftMinor").asLong()).isLessThan(300);
            }
        }
        assertThat(accepted).hasSize(3);
        flow.awaitAll(accepted, "SUCCEEDED");
        assertThat(flow.money(paid).path("refunded").asLong()).isEqualTo(900);
        assertThat(flow.get(paid).path("leftMinor").asLong()).isEqualTo(100);
    }

    @Test
    void aRefundThatIsUnknownTakesItsAmountUntilItIsProvenThatItFailed() {
        String paid = flow.scripted(FlowProviders.PATIENT, "");
        flow.await(paid, "SUCCEEDED");
        String tag = "refund-" + UUID.randomUUID();
        FlowProviders.wire(FlowProviders.PATIENT).script(tag, new Script().post(closed()).query(notFound()).thenQuery(status("DECLINED")));
        String json = "{\"amountMinor\":1234,\"reason\":\"all of it\",\"details\":{\"tag\":\"" + tag + "\"}}";
        String refund = Flow.json(flow.refund(paid, Api.key(), json).body()).path("paymentId").asText();
        assertThat(flow.refund(paid, Api.key(), refund(1)).statusCode()).isEqualTo(409);
        flow.await(refund, "FAILED");
        assertThat(flow.states(refund)).contains("UNKNOWN");
        assertThat(flow.get(paid).path("leftMinor").asLong()).isEqualTo(1234);
    }

    @Test
    void aChargebackIsRecordedOnceAndShown() {
        String paid = paid("CHARGE", 1000);
        List<Map<String, Object>> told = List.of(Map.of("payment_id", paid, "kind", "CHARGEBACK", "amount_minor", 250, "currency", "EUR",
                "provider_reversal_id", "cb-" + paid, "source", "WEBHOOK", "reason", "the payer disputes it", "actor", "test"));
        List<?> first = camel.requestBody("direct:record-reversal", told, List.class);
        List<?> second = camel.requestBody("direct:record-reversal", told, List.class);
        assertThat(((Map<?, ?>) first.get(0)).get("result")).isEqualTo("RECORDED");
        assertThat(((Map<?, ?>) second.get(0)).get("result")).isEqualTo("KNOWN");
        JsonNode document = flow.get(paid);
        assertThat(document.path("reversals")).hasSize(1);
        assertThat(document.at("/reversals/0/kind").asText()).isEqualTo("CHARGEBACK");
        assertThat(document.at("/reversals/0/booked").asBoolean()).isTrue();
        assertThat(document.path("leftMinor").asLong()).isEqualTo(750);
        assertThat(flow.refund(paid, Api.key(), refund(751)).statusCode()).isEqualTo(409);
    }
}
