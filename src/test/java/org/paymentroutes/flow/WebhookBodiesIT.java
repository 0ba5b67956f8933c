package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** Deliveries that are not one JSON object, over real sockets and real routes: signed forms, and lists of signed events. */
@FlowTest
class WebhookBodiesIT {

    private static final Charset GBK = Charset.forName("GBK");
    private static final String FORM = "application/x-www-form-urlencoded; charset=GBK";

    @Autowired
    Webhooks webhooks;
    @Autowired
    Flow flow;
    @Autowired
    JdbcTemplate jdbc;

    private static String reference() {
        return "PAY-" + UUID.randomUUID();
    }

    private static Map<String, String> notification(String reference) {
        return new TreeMap<>(Map.of("notify_id", "n-" + UUID.randomUUID(), "notify_time", "2026-10-23 10:00:00", "out_trade_no", reference,
                "trade_no", "pp_" + reference, "trade_status", "TRADE_SUCCESS", "total_amount", "1299.02", "subject", "咖啡 & Kuchen"));
    }

    private static String encoded(Map<String, String> parameters) {
        return parameters.entrySet().stream().map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), GBK)).collect(Collectors.joining("&"));
    }

    /** @return the form with its signature, in an order of its own */
    private static byte[] signed(Map<String, String> parameters) {
        try {
            Signature signer = Signature.getInstance("SHA256withRSA");
            signer.initSign(FlowProviders.FORM_KEYS.getPrivate());
            signer.update(parameters.entrySet().stream().map(one -> one.getKey() + "=" + one.getValue()).collect(Collectors.joining("&")).getBytes(GBK));
            return ("sign_type=RSA2&sign=" + URLEncoder.encode(Base64.getEncoder().encodeToString(signer.sign()), GBK) + "&" + encoded(parameters))
                    .getBytes(StandardCharsets.US_ASCII);
        }
        catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpResponse<String> form(byte[] body) {
        return webhooks.post(FlowProviders.FORMED, FORM, body);
    }

    private int stored(String provider) {
        return jdbc.queryForObject("select count(*) from webhook_event where provider = ?", Integer.class, provider);
    }

    @Test
    void aSignedFormIsAnsweredInTheWordsThatItsProviderAsksForAndAppliedOnce() {
        String reference = reference();
        String id = webhooks.unknown(FlowProviders.FORMED, reference);
        Map<String, String> event = notification(reference);
        byte[] body = signed(event);
        HttpResponse<String> answer = form(body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("success");
        assertThat(answer.headers().firstValue("Content-Type")).hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
        flow.await(id, "SUCCEEDED");

        event.put("notify_time", "2026-10-23 10:04:00");
        assertThat(form(signed(event)).body()).isEqualTo("success");
        webhooks.settled();
        assertThat(webhooks.effects(id)).containsExactly("RECORDED");
        assertThat(webhooks.confirmed(id)).isEqualTo(1);
        assertThat(jdbc.queryForObject("select body from webhook_event where event_id = ?", byte[].class, event.get("notify_id"))).isEqualTo(body);
        assertThat(jdbc.queryForObject("select answer::text from evidence where source = 'WEBHOOK' and payment_id = ?::uuid", String.class, id))
                .contains("咖啡 & Kuchen");

        event.put("trade_status", "TRADE_CLOSED");
        assertThat(form(signed(event)).body()).isEqualTo("success");
        webhooks.settled();
        assertThat(webhooks.effects(id)).containsExactly("RECORDED", "CONFLICT");
        assertThat(flow.state(id)).isEqualTo("SUCCEEDED");
    }

    @Test
    void anotherAmountOfASignedFormGoesToPeople() {
        String reference = reference();
        String id = webhooks.unknown(FlowProviders.FORMED, reference);
        Map<String, String> event = notification(reference);
        event.put("total_amount", "1299.020001");
        assertThat(form(signed(event)).statusCode()).isEqualTo(200);
        flow.await(id, "REVIEW");
        assertThat(webhooks.outcome(id)).isEqualTo("REVIEW STATE_CONFLICT");
    }

    @Test
    void aFormThatIsAlteredOrCouldBeReadInTwoWaysIsRefused() {
        Map<String, String> event = notification(reference());
        String good = new String(signed(event), StandardCharsets.US_ASCII);
        Map<String, String> twofold = notification(reference());
        twofold.put("subject", "x&total_amount=9999.00&zz=");
        int before = stored(FlowProviders.FORMED);
        for (String body : List.of(good.replace("1299.02", "1299.03"), good + "&extra=1", good + "&trade_status=TRADE_SUCCESS", good + "&x=%4",
                good + "&=1", good.replace("&sign=", "&sign=A"), encoded(event), "", "{}", new String(signed(twofold), StandardCharsets.US_ASCII))) {
            HttpResponse<String> answer = form(body.getBytes(StandardCharsets.US_ASCII));
            assertThat(answer.statusCode()).as(body).isEqualTo(400);
        }
        // The same bytes as characters of another charset are not what was signed, or not characters at all.
        assertThat(webhooks.post(FlowProviders.FORMED, "application/x-www-form-urlencoded", good.getBytes(StandardCharsets.US_ASCII)).statusCode())
                .isEqualTo(400);
        assertThat(stored(FlowProviders.FORMED)).isEqualTo(before);
    }

    private HttpResponse<String> batch(String events) {
        byte[] body = ("{\"events\":" + events + "}").getBytes(StandardCharsets.UTF_8);
        return webhooks.deliver(FlowProviders.BATCHED, body, hmac(FlowProviders.LIST_SECRET.getBytes(StandardCharsets.UTF_8), body,
                HexFormat.of()::formatHex));
    }

    private static String event(String reference) {
        return "{\"id\":\"e-" + reference + "\",\"status\":\"PAID\",\"reference\":\"" + reference + "\",\"payment\":\"pp_" + reference
                + "\",\"amount\":129902,\"currency\":\"CNY\"}";
    }

    @Test
    void whatIsNoEventInASignedListIsKeptForPeopleAndItsNeighboursAreApplied() {
        String first = reference();
        String second = reference();
        String one = webhooks.unknown(FlowProviders.BATCHED, first);
        String two = webhooks.unknown(FlowProviders.BATCHED, second);
        assertThat(batch("[" + event(first) + ",5,{\"id\":\"e-none\"}," + event(second) + "]").body()).isEqualTo("{\"received\":true}");
        assertThat(batch("[" + event(second) + "]").statusCode()).isEqualTo(200);
        flow.await(one, "SUCCEEDED");
        flow.await(two, "SUCCEEDED");
        // No list, an empty one and one that is too long are one event each that nobody can read.
        for (String list : List.of("5", "[]", "[" + String.join(",", Collections.nCopies(101, "{}")) + "]")) {
            assertThat(batch(list).statusCode()).isEqualTo(200);
        }
        webhooks.settled();
        assertThat(jdbc.queryForList("select effect || ' ' || count(*) from webhook_event join webhook_effect using (webhook_id)"
                + " where provider = 'batched' group by effect order by 1", String.class)).containsExactly("RECORDED 2", "UNREADABLE 5");
        assertThat(webhooks.effects(two)).containsExactly("RECORDED");
    }

    private static String hmac(byte[] key, byte[] text, Function<byte[], String> form) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return form.apply(mac.doFinal(text));
        }
        catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String item(String reference, String code, String amount) {
        String psp = "PSP_" + reference;
        String signature = hmac(HexFormat.of().parseHex(FlowProviders.LIST_SECRET),
                (psp + "::Shop:" + reference + ":" + amount + ":CNY:" + code + ":true").getBytes(StandardCharsets.UTF_8),
                Base64.getEncoder()::encodeToString);
        return """
                {"NotificationRequestItem": {"pspReference": "%s", "merchantAccountCode": "Shop", "merchantReference": "%s",
                 "amount": {"value": %s, "currency": "CNY"}, "eventCode": "%s", "success": "true", "additionalData": {"hmacSignature": "%s"}}}"""
                .formatted(psp, reference, amount, code, signature);
    }

    private HttpResponse<String> list(String... items) {
        return webhooks.post(FlowProviders.LISTED, "application/json", ("{\"live\": \"false\", \"notificationItems\": [" + String.join(",", items) + "]}")
                .getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void eachItemOfAListIsAnEventOfItsOwnWhateverItCameWith() {
        List<String> references = List.of(reference(), reference(), reference());
        List<String> ids = references.stream().map(reference -> webhooks.unknown(FlowProviders.LISTED, reference)).toList();
        List<String> items = references.stream().map(reference -> item(reference, "AUTHORISATION", "129902")).toList();
        int before = stored(FlowProviders.LISTED);
        HttpResponse<String> answer = list(items.get(0), items.get(1));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("[accepted]");
        // Again, in another order and in other company, with blanks between; and one twice.
        assertThat(list(items.get(2), items.get(1).replace(": ", " :  "), items.get(0), items.get(2)).statusCode()).isEqualTo(200);
        assertThat(stored(FlowProviders.LISTED)).isEqualTo(before + 3);
        for (String id : ids) {
            flow.await(id, "SUCCEEDED");
            assertThat(webhooks.effects(id)).containsExactly("RECORDED");
            assertThat(webhooks.confirmed(id)).isEqualTo(1);
        }
    }

    @Test
    void anItemThatConflictsOrIsUnknownHoldsUpNoneOfItsNeighbours() {
        String first = reference();
        String second = reference();
        String one = webhooks.unknown(FlowProviders.LISTED, first);
        String two = webhooks.unknown(FlowProviders.LISTED, second);
        assertThat(list(item(first, "AUTHORISATION", "129902")).statusCode()).isEqualTo(200);
        flow.await(one, "SUCCEEDED");
        assertThat(list(item(first, "AUTHORISATION", "100"), item(second, "SURPRISE", "129902"), item(second, "AUTHORISATION", "129902")).statusCode())
                .isEqualTo(200);
        flow.await(two, "SUCCEEDED");
        webhooks.settled();
        assertThat(webhooks.effects(one)).containsExactly("RECORDED", "CONFLICT");
        assertThat(webhooks.effects(two)).containsExactlyInAnyOrder("UNLISTED", "RECORDED");
        assertThat(webhooks.outcome(one)).isEqualTo("SUCCEEDED");
    }

    @Test
    void anItemThatIsNotSignedMakesTheWholeDeliveryAForgery() {
        String good = item(reference(), "AUTHORISATION", "129902");
        int before = stored(FlowProviders.LISTED);
        for (String bad : List.of(good.replace("129902", "1"), good.replace("hmacSignature", "none"), "5", "null", "[]", "{}")) {
            assertThat(list(good, bad).statusCode()).as(bad).isEqualTo(400);
        }
        assertThat(list().statusCode()).isEqualTo(400);
        assertThat(webhooks.post(FlowProviders.LISTED, "application/json", good.getBytes(StandardCharsets.UTF_8)).statusCode()).isEqualTo(400);
        assertThat(stored(FlowProviders.LISTED)).isEqualTo(before);
    }
}
