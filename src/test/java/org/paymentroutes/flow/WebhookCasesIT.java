package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.flow.Webhooks.about;
import static org.paymentroutes.flow.Webhooks.code;
import static org.paymentroutes.flow.Webhooks.file;
import static org.paymentroutes.flow.Webhooks.gzip;
import static org.paymentroutes.flow.Webhooks.sign;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Api;
import org.paymentroutes.wire.HeldAnswers;
import org.paymentroutes.wire.WireProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** The public cases of webhooks, C50 to C59, over real sockets and real routes. */
@FlowTest
class WebhookCasesIT {

    private static final String REFUSED = "{\"type\":\"/problems/webhook-refused\",\"title\":\"The delivery was refused.\",\"status\":400}";

    @Autowired
    Webhooks webhooks;
    @Autowired
    Flow flow;
    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;

    private static String reference() {
        return "PAY-" + UUID.randomUUID();
    }

    private static String now(long offset) {
        return Long.toString(System.currentTimeMillis() / 1000 + offset);
    }

    private int stored() {
        return jdbc.queryForObject("select count(*) from webhook_event", Integer.class);
    }

    // C56

    @Test
    void c56TheBytesAsTheyCamePassAndAlteredOnesDoNot() {
        String id = webhooks.unknown("PAY20261023000001");
        byte[] good = file("ok.json");
        String signature = sign(good);
        byte[] cut = Arrays.copyOf(good, good.length - 1);
        byte[] other = new String(good, StandardCharsets.UTF_8).replace("129902", "129903").getBytes(StandardCharsets.UTF_8);
        for (byte[] altered : List.of(file("re_serialised.json"), file("crlf.json"), cut, other)) {
            HttpResponse<String> answer = webhooks.deliver(altered, signature);
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).isEqualTo(REFUSED);
        }
        assertThat(flow.state(id)).isEqualTo("UNKNOWN");
        assertThat(webhooks.deliver(good, signature).statusCode()).isEqualTo(200);
        webhooks.settled();
        JsonNode payment = flow.await(id, "SUCCEEDED");
        assertThat(payment.path("providerPaymentId").asText()).isEqualTo("pp_1");
        assertThat(payment.path("webhooks")).hasSize(1);
        assertThat(payment.at("/webhooks/0/effect").asText()).isEqualTo("RECORDED");
        JsonNode evidence = payment.path("evidence").get(payment.path("evidence").size() - 1);
        assertThat(evidence.path("source").asText()).isEqualTo("WEBHOOK");
        assertThat(evidence.path("webhookId")).isEqualTo(payment.at("/webhooks/0/webhookId"));
        assertThat(jdbc.queryForObject("select body from webhook_event where event_id = 'evt_0001'", byte[].class)).isEqualTo(good);
        assertThat(webhooks.confirmed(id)).isEqualTo(1);
    }

    @Test
    void c56ACompressedBodyIsSignedAsItWasWritten() {
        String reference = reference();
        String id = webhooks.unknown(reference);
        byte[] body = about("ok.json", reference).getBytes(StandardCharsets.UTF_8);
        assertThat(webhooks.deliver(gzip(body), sign(body), "Content-Encoding", "gzip").statusCode()).isEqualTo(200);
        flow.await(id, "SUCCEEDED");
    }

    // C58

    @ParameterizedTest
    @CsvSource({"0, 200", "-290, 200", "290, 200", "-301, 400", "310, 400", "-86400, 400", "86400, 400"})
    void c58ATimeIsLookedAtOnBothSides(long offset, int status) {
        byte[] body = about("unknown_payment.json", reference()).replace("payment.succeeded", "ping").getBytes(StandardCharsets.UTF_8);
        assertThat(webhooks.deliver(body, sign(FlowProviders.WEBHOOK_SECRET, now(offset), body)).statusCode()).isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "NaN", "-1", "+1792800000", "1e9", "1792800000.0", "0x6ADBE880", "99999999999999999999", " ", "Infinity"})
    void c58ATimeThatIsNoneIsRefused(String time) {
        byte[] body = file("ok.json");
        assertThat(webhooks.deliver(body, sign(FlowProviders.WEBHOOK_SECRET, time, body)).statusCode()).isEqualTo(400);
    }

    @Test
    void c58MillisecondsMissingAndDoubledTimesAreRefused() {
        byte[] body = file("ok.json");
        String ms = Long.toString(System.currentTimeMillis());
        String now = now(0);
        for (String signature : List.of(sign(FlowProviders.WEBHOOK_SECRET, ms, body), "v1=" + code(FlowProviders.WEBHOOK_SECRET, now, body),
                "t=" + now + "," + sign(FlowProviders.WEBHOOK_SECRET, now, body), "t=" + now,
                "t=" + now + ",v0=" + code(FlowProviders.WEBHOOK_SECRET, now, body),
                "t=" + now + ",v1=" + code(FlowProviders.WEBHOOK_SECRET, now, body).substring(1), "",
                "t=" + now + ",v1=" + code("another secret", now, body))) {
            assertThat(webhooks.deliver(body, signature.isEmpty() ? null : signature).statusCode()).as(signature).isEqualTo(400);
        }
    }

    // C50

    @Test
    void c50AnEventBeforeItsPaymentIsKeptAndAppliedWhenThePaymentAppears() {
        String reference = reference();
        webhooks.deliver(about("ok.json", reference));
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> jdbc.update("update webhook_work set due_at = now() + interval '2 seconds'"
                + " where provider = 'hooked' and tries > 0 and due_at < now() + interval '1500 milliseconds'") == 1);
        // It is looked at again when the payment has been sent: before that it would say that somebody else paid.
        String id = webhooks.unknown(reference);
        flow.await(id, "SUCCEEDED");
        assertThat(webhooks.confirmed(id)).isEqualTo(1);
    }

    @Test
    void c50AnEventWhosePaymentNeverAppearsGoesToPeopleOnce() {
        String body = about("unknown_payment.json", reference());
        webhooks.deliver(body);
        webhooks.settled();
        String event = Flow.json(body).path("id").asText();
        Long webhook = jdbc.queryForObject("select webhook_id from webhook_event join webhook_effect using (webhook_id)"
                + " where event_id = ? and effect = 'ORPHAN'", Long.class, event);
        assertThat(jdbc.queryForObject("select category from review_case where subject = 'webhook:' || ? and closed_at is null", String.class,
                webhook)).isEqualTo("DIFFERENCE");
        assertThat(jdbc.queryForObject("select count(*) from alert where kind = 'ORPHAN_WEBHOOK' and subject = 'webhook:' || ?", Integer.class,
                webhook)).isEqualTo(1);
    }

    @Test
    void anEventBeforeTheResponseLeadsToOneTransition() throws InterruptedException {
        String reference = reference();
        String tag = UUID.randomUUID().toString();
        HeldAnswers held = new HeldAnswers();
        FlowProviders.wire(FlowProviders.HOOKED).script(tag).post(held.then(WireProvider.closed()));
        String id = webhooks.pay(reference, tag);
        held.awaitRequests();
        webhooks.deliver(about("ok.json", reference));
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> !webhooks.effects(id).isEmpty());
        held.release();
        flow.await(id, "SUCCEEDED");
        assertThat(webhooks.confirmed(id)).isEqualTo(1);
        assertThat(webhooks.outcome(id)).isEqualTo("SUCCEEDED");
    }

    // C51, C53

    @Test
    void c51ALateFailureDoesNotOverwriteASuccess() {
        String reference = reference();
        String id = webhooks.unknown(reference);
        webhooks.deliver(about("ok.json", reference));
        flow.await(id, "SUCCEEDED");
        webhooks.deliver(about("failed_late.json", reference));
        webhooks.settled();
        assertThat(webhooks.outcome(id)).isEqualTo("SUCCEEDED STATE_CONFLICT");
        assertThat(webhooks.confirmed(id)).isEqualTo(1);
    }

    @Test
    void c51ASuccessAfterAFailureIsAskedAbout() {
        String reference = reference();
        String id = webhooks.unknown(reference);
        webhooks.deliver(about("failed_late.json", reference));
        flow.await(id, "FAILED");
        webhooks.deliver(about("ok.json", reference));
        webhooks.settled();
        assertThat(webhooks.outcome(id)).isEqualTo("FAILED STATE_CONFLICT");
    }

    @Test
    void c53ALateInProgressChangesNothingAndAWordCanBeFinalForOneOperationOnly() {
        String reference = reference();
        String id = webhooks.unknown(reference);
        webhooks.deliver(about("ok.json", reference).replace("payment.succeeded", "payment.booked"));
        flow.await(id, "PROCESSING");
        webhooks.deliver(about("ok.json", reference));
        flow.await(id, "SUCCEEDED");
        webhooks.deliver(about("ok.json", reference).replace("payment.succeeded", "payment.processing"));
        webhooks.settled();
        assertThat(webhooks.outcome(id)).isEqualTo("SUCCEEDED");
        assertThat(webhooks.effects(id)).containsExactly("RECORDED", "RECORDED", "RECORDED");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void c53AReturnIsARecordOfItsOwnInAnyOrder(boolean returnFirst) {
        String reference = reference();
        String id = webhooks.unknown(reference);
        String returned = about("ok.json", reference).replace("payment.succeeded", "payment.returned");
        List<String> events = new ArrayList<>(List.of(about("ok.json", reference), returned));
        if (returnFirst) {
            java.util.Collections.reverse(events);
        }
        events.forEach(webhooks::deliver);
        webhooks.deliver(returned.replaceAll("evt_", "evt_again_"));
        flow.await(id, "SUCCEEDED");
        webhooks.settled();
        assertThat(webhooks.outcome(id)).isEqualTo("SUCCEEDED");
        assertThat(jdbc.queryForList("select kind || ' ' || amount_minor from reversal where payment_id = ?::uuid", String.class, id))
                .containsExactly("RETURN 129902");
    }

    // C54

    @Test
    void c54TheSameBytesAndTheSameFactAreOneEffectHoweverOftenTheyCome() {
        String reference = reference();
        String id = webhooks.unknown(reference);
        String body = about("ok.json", reference);
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String signature = sign(bytes);
        CompletableFuture<?>[] senders = IntStream.range(0, 8).mapToObj(i -> CompletableFuture.runAsync(() ->
                assertThat(webhooks.deliver(bytes, signature).statusCode()).isEqualTo(200))).toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(senders).join();
        webhooks.deliver(about("same_fact_new_event_id.json", reference));
        flow.await(id, "SUCCEEDED");
        webhooks.settled();
        assertThat(webhooks.effects(id)).containsExactlyInAnyOrder("RECORDED", "KNOWN");
        assertThat(jdbc.queryForObject("select count(*) from evidence where payment_id = ?::uuid and source = 'WEBHOOK'", Integer.class, id))
                .isEqualTo(1);
        assertThat(webhooks.confirmed(id)).isEqualTo(1);
        assertThat(webhooks.outcome(id)).isEqualTo("SUCCEEDED");
    }

    @Test
    void theSameEventIdWithAnotherContentIsAConflictForPeople() {
        String reference = reference();
        String id = webhooks.unknown(reference);
        String body = about("ok.json", reference);
        webhooks.deliver(body);
        flow.await(id, "SUCCEEDED");
        webhooks.deliver(body.replace("payment.succeeded", "payment.failed"));
        webhooks.settled();
        assertThat(webhooks.effects(id)).containsExactly("RECORDED", "CONFLICT");
        assertThat(flow.state(id)).isEqualTo("SUCCEEDED");
        assertThat(jdbc.queryForObject("select count(*) from review_case c join webhook_effect f on c.subject = 'webhook:' || f.webhook_id"
                + " where f.payment_id = ?::uuid and c.closed_at is null", Integer.class, id)).isEqualTo(1);
    }

    // C59

    @ParameterizedTest
    @ValueSource(strings = {"129902|100", "129902|129902.0", "129902|1.29902e5", "129902|\"129902\"", "129902|1299.02", "CNY|USD", "CNY|cny",
        "129902|-129902", "129902|12990200000000000000000"})
    void c59AnotherAmountOrCurrencyGoesToPeople(String change) {
        String reference = reference();
        String id = webhooks.unknown(reference);
        String[] pair = change.split("\\|");
        webhooks.deliver(about("ok.json", reference).replace(pair[0], pair[1]));
        flow.await(id, "REVIEW");
        assertThat(webhooks.outcome(id)).isEqualTo("REVIEW STATE_CONFLICT");
        assertThat(webhooks.confirmed(id)).isZero();
    }

    @Test
    void c59TheFileWithTheOtherAmountAndAnotherProviderIdGoToPeople() {
        String reference = reference();
        String id = webhooks.unknown(reference);
        webhooks.deliver(about("other_amount.json", reference));
        flow.await(id, "REVIEW");

        String second = reference();
        String paid = webhooks.unknown(second);
        webhooks.deliver(about("ok.json", second));
        flow.await(paid, "SUCCEEDED");
        webhooks.deliver(about("ok.json", second).replace("pp_" + second, "pp_other_" + second));
        webhooks.settled();
        assertThat(webhooks.outcome(paid)).isEqualTo("SUCCEEDED STATE_CONFLICT");
    }

    // Everything else

    @Test
    void aWordOfNoListKeepsTheStateAndIsToldOnce() {
        String reference = reference();
        String id = webhooks.unknown(reference);
        webhooks.deliver(about("ok.json", reference).replace("payment.succeeded", "payment.SUCCEEDED_ish"));
        webhooks.deliver(about("ok.json", reference).replace("payment.succeeded", "payment.SUCCEEDED_ish"));
        webhooks.settled();
        assertThat(flow.state(id)).isEqualTo("UNKNOWN");
        assertThat(webhooks.effects(id)).containsExactly("UNLISTED", "UNLISTED");
        assertThat(jdbc.queryForObject("select count(*) from alert where kind = 'UNLISTED_WORD' and subject = 'hooked/payment.SUCCEEDED_ish'",
                Integer.class)).isEqualTo(1);
    }

    @Test
    void aSignedBodyThatIsNoEventIsKeptForPeople() {
        webhooks.deliver(new String(file("array.json"), StandardCharsets.UTF_8));
        webhooks.settled();
        assertThat(jdbc.queryForObject("select count(*) from webhook_event e join webhook_effect f using (webhook_id) join review_case c"
                + " on c.subject = 'webhook:' || e.webhook_id where e.event_id like 'sha256:%' and f.effect = 'UNREADABLE'", Integer.class)).isPositive();
    }

    @Test
    void anEventThatCannotBeRecordedHoldsUpNobodyAndGoesToPeople() {
        String reference = reference();
        String id = webhooks.unknown(reference);
        String poison = about("ok.json", reference).replace("caf", "\\ud800");
        webhooks.deliver(poison);
        String second = reference();
        String neighbour = webhooks.unknown(second);
        webhooks.deliver(about("ok.json", second));
        flow.await(neighbour, "SUCCEEDED");
        Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> jdbc.queryForList("select effect from webhook_effect join webhook_event"
                + " using (webhook_id) where event_id = ?", String.class, Flow.json(poison).path("id").asText()), List.of("UNREADABLE")::equals);
        assertThat(flow.state(id)).isEqualTo("UNKNOWN");
    }

    @Test
    void whateverIsWrongTheAnswerIsTheSameAndNothingIsStored() {
        byte[] body = file("ok.json");
        String good = sign(body);
        int before = stored();
        byte[] bomb = gzip(new byte[10_000_000]);
        byte[] huge = new byte[65_537];
        Stream.of(webhooks.deliver(body, sign("another secret", now(0), body)), webhooks.deliver(body, null), webhooks.deliver(body, "x"), webhooks.deliver(body, good.replace("v1=", "v1=0")),
                webhooks.deliver(huge, sign(huge)), webhooks.deliver(bomb, sign(bomb), "Content-Encoding", "gzip"),
                webhooks.deliver(body, good, "Content-Encoding", "gzip"), webhooks.deliver(body, good, "Content-Encoding", "br"),
                webhooks.deliver(body, good, "Test-Signature", good), webhooks.deliver(body, "t=1,v1=" + "0".repeat(6000)))
                .forEach(answer -> {
                    assertThat(answer.statusCode()).isEqualTo(400);
                    assertThat(answer.body()).isEqualTo(REFUSED);
                    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
                });
        for (String nobody : List.of("nobody", "patient", "hooked;x", "hooked/x", "")) {
            HttpResponse<String> answer = webhooks.deliver(nobody, body, good);
            assertThat(answer.statusCode()).as(nobody).isEqualTo(404);
            assertThat(answer.body()).isEqualTo(REFUSED.replace("400", "404"));
        }
        assertThat(api.get(null, "/webhooks/hooked").statusCode()).isEqualTo(404);
        assertThat(stored()).isEqualTo(before);
        assertThat(api.get("viewer", "/actuator/prometheus").body()).contains(
                "payment_routes_webhooks_refused_total{provider=\"hooked\",reason=\"signature\"}",
                "payment_routes_webhooks_refused_total{provider=\"unknown\",reason=\"provider\"}");
    }

    @Test
    void aSecretChangesWithoutARestart() throws Exception {
        byte[] body = about("unknown_payment.json", reference()).replace("payment.succeeded", "ping").getBytes(StandardCharsets.UTF_8);
        String next = "whsec_next_" + new Random().nextInt();
        assertThat(webhooks.deliver(body, sign(next, now(0), body)).statusCode()).isEqualTo(400);
        Files.writeString(FlowProviders.WEBHOOK_SECRETS, FlowProviders.WEBHOOK_SECRET + "\n" + next + "\n");
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> webhooks.deliver(body, sign(next, now(0), body)).statusCode() == 200);
        assertThat(webhooks.deliver(body, sign(body)).statusCode()).isEqualTo(200);
        // Of several codes one is enough.
        String time = now(0);
        assertThat(webhooks.deliver(body, "t=" + time + ",v1=" + code("old", time, body) + ",v1=" + code(next, time, body)).statusCode()).isEqualTo(200);
    }

    @Test
    void slowSendersAreBoundedAndDelayNoPayment() throws Exception {
        byte[] half = ("POST /webhooks/hooked HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTest-Signature: t=1,v1=x\r\n"
                + "Content-Length: 1000\r\n\r\n{").getBytes(StandardCharsets.US_ASCII);
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                Socket socket = new Socket("localhost", api.port());
                socket.getOutputStream().write(half);
                slow.add(socket);
            }
            byte[] body = file("ok.json");
            Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> webhooks.deliver(body, sign(body)).statusCode() == 503);
            // Another provider's deliveries and the payments do not notice.
            assertThat(webhooks.deliver("sandbox", body, null).statusCode()).isEqualTo(400);
            flow.await(flow.behaves("ok"), "SUCCEEDED");
        }
        finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
        byte[] ping = about("unknown_payment.json", reference()).replace("payment.succeeded", "ping").getBytes(StandardCharsets.UTF_8);
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> webhooks.deliver(ping, sign(ping)).statusCode() == 200);
    }
}
