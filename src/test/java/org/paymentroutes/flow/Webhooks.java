package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.paymentroutes.support.Api;
import org.paymentroutes.wire.WireProvider;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.jdbc.core.JdbcTemplate;

/** Sends webhooks to the running application as a provider does, and sees what became of them. */
@TestComponent
class Webhooks {

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Api api;
    private final Flow flow;
    private final JdbcTemplate jdbc;

    Webhooks(Api api, Flow flow, JdbcTemplate jdbc) {
        this.api = api;
        this.flow = flow;
        this.jdbc = jdbc;
    }

    /** @return the id of a payment of 1299.02 CNY with this source reference, whose answer was lost: it is UNKNOWN */
    String unknown(String reference) {
        return unknown(FlowProviders.HOOKED, reference);
    }

    /** @return the same of this provider */
    String unknown(String provider, String reference) {
        String tag = UUID.randomUUID().toString();
        FlowProviders.wire(provider).script(tag).post(WireProvider.closed());
        String id = pay(provider, reference, tag);
        flow.await(id, "UNKNOWN");
        return id;
    }

    /** @return the id of a new payment of 1299.02 CNY with this source reference, which plays the script of this tag */
    String pay(String reference, String tag) {
        return pay(FlowProviders.HOOKED, reference, tag);
    }

    private String pay(String provider, String reference, String tag) {
        try {
            HttpResponse<String> answer = api.pay(Api.key(), new ObjectMapper().writeValueAsString(Map.of("sourceReference", reference,
                    "operation", "PAYOUT", "provider", provider, "amountMinor", 129902, "currency", "CNY", "recipient", "tok_1",
                    "details", Map.of("tag", tag))));
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
            return Flow.json(answer.body()).path("paymentId").asText();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return the body of a public case */
    static byte[] file(String name) {
        try (var in = Webhooks.class.getResourceAsStream("/webhooks/" + name)) {
            return in.readAllBytes();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return the body of a public case with its own event id, about the payment of this reference */
    static String about(String name, String reference) {
        return new String(file(name), StandardCharsets.UTF_8).replace("PAY20261023000001", reference)
                .replace("PAY_NOT_OURS_YET", reference).replaceAll("evt_\\w+", "evt_" + UUID.randomUUID()).replace("pp_1", "pp_" + reference)
                .replace("pp_9", "pp_" + reference);
    }

    /** @return the signature of now under the secret of the public cases */
    static String sign(byte[] body) {
        return sign(FlowProviders.WEBHOOK_SECRET, Long.toString(System.currentTimeMillis() / 1000), body);
    }

    /** @return a signature with any text as its time */
    static String sign(String secret, String time, byte[] body) {
        return "t=" + time + ",v1=" + code(secret, time, body);
    }

    /** @return the code alone */
    static String code(String secret, String time, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((time + ".").getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(mac.doFinal(body));
        }
        catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @return the answer to a body with a good signature */
    HttpResponse<String> deliver(String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        HttpResponse<String> answer = deliver(bytes, sign(bytes));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer;
    }

    /** @return the answer to a body with this signature; null for none */
    HttpResponse<String> deliver(byte[] body, String signature, String... headers) {
        return deliver("hooked", body, signature, headers);
    }

    /** @return the answer at the address of this provider */
    HttpResponse<String> deliver(String provider, byte[] body, String signature, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        if (signature != null) {
            all.addAll(List.of("Test-Signature", signature));
        }
        return post(provider, "application/json", body, all.toArray(String[]::new));
    }

    /** @return the answer to these bytes, as this type, at the address of this provider */
    HttpResponse<String> post(String provider, String contentType, byte[] body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + api.port() + "/webhooks/" + provider))
                .header("Content-Type", contentType).POST(HttpRequest.BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** @return the gzip of these bytes */
    static byte[] gzip(byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(body);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** Waits until every stored event of the scripted providers has its effect. */
    void settled() {
        org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(15)).pollInterval(java.time.Duration.ofMillis(30)).until(() ->
                jdbc.queryForObject("select count(*) from webhook_work where provider in ('hooked', 'formed', 'listed', 'batched')", Integer.class) == 0);
    }

    /** @return the effects of the events about this payment, in the order in which they came */
    List<String> effects(String id) {
        return jdbc.queryForList("select effect from webhook_effect where payment_id = ?::uuid order by webhook_id", String.class, id);
    }

    /** @return the state, with the category of an open case of the payment */
    String outcome(String id) {
        return jdbc.queryForObject("select concat_ws(' ', p.state, c.category) from payment p left join review_case c"
                + " on c.payment_id = p.payment_id and c.subject = 'payment' and c.closed_at is null where p.payment_id = ?::uuid", String.class, id);
    }

    /** @return how often the payment was confirmed in the books */
    int confirmed(String id) {
        return jdbc.queryForObject("select count(*) from ledger_posting where payment_id = ?::uuid and event = 'PaymentConfirmed'",
                Integer.class, id);
    }
}
