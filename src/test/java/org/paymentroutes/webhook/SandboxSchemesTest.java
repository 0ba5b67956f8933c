package org.paymentroutes.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.paymentroutes.provider.WebhookPolicy;
import org.paymentroutes.provider.WebhookScheme;
import org.paymentroutes.sandbox.SandboxApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** What the sandbox signs in each scheme arrives over a real socket and is believed, and is not when it is altered. */
class SandboxSchemesTest {

    private static final Map<WebhookScheme, SignatureCheck> CHECKS = Map.of(WebhookScheme.TIMESTAMPED_HMAC, new TimestampedHmac(),
            WebhookScheme.HMAC_HEX, new PlainHmac(), WebhookScheme.HMAC_BASE64, new PlainHmac(), WebhookScheme.FIELD_JOINED_HMAC, new FieldJoinedHmac(),
            WebhookScheme.RSA_SERIAL, new RsaSerial(), WebhookScheme.SORTED_FORM_RSA, new SortedFormRsa(),
            WebhookScheme.HTTP_MESSAGE_SIGNATURES, new HttpMessageSignatures());

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(value = WebhookScheme.class, names = {"NONE", "ALLOW_LIST"}, mode = EnumSource.Mode.EXCLUDE)
    void isBelieved(WebhookScheme scheme) throws Exception {
        List<Delivery> deliveries = new CopyOnWriteArrayList<>();
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/webhooks/sandbox", exchange -> {
            deliveries.add(delivery(exchange));
            // The first one is not taken, so that it comes again.
            exchange.sendResponseHeaders(deliveries.size() == 1 ? 503 : 200, -1);
            exchange.close();
        });
        receiver.start();
        String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/webhooks/sandbox";
        try (var sandbox = new SpringApplicationBuilder(SandboxApplication.class).main(SandboxApplication.class)
                .web(org.springframework.boot.WebApplicationType.NONE)
                .properties(Map.of("spring.config.name", "sandbox", "camel.main.name", "sandbox-" + scheme.name().toLowerCase(Locale.ROOT),
                        "camel.main.routes-include-pattern", "classpath:routes/sandbox/sandbox.camel.yaml"))
                .run("--sandbox.enabled=true", "--sandbox.books=" + folder.resolve("books.ndjson"), "--sandbox.webhook.url=" + url,
                        "--sandbox.webhook.secret=one", "--sandbox.webhook.next-secret=two", "--sandbox.webhook.scheme=" + scheme,
                        "--sandbox.webhook.duplicates=1", "--sandbox.webhook.disorder=true", "--spring.main.banner-mode=off")) {
            String sandboxUrl = sandbox.getEnvironment().getProperty("sandbox.url");
            HttpClient client = HttpClient.newHttpClient();
            client.send(HttpRequest.newBuilder(URI.create(sandboxUrl + "/payments")).header("Authorization", "Bearer sandbox-token")
                    .POST(HttpRequest.BodyPublishers.ofString(
                            "{\"reference\":\"r-1\",\"operation\":\"PAYOUT\",\"amount\":5,\"currency\":\"EUR\",\"recipient\":\"t\"}")).build(),
                    HttpResponse.BodyHandlers.discarding());
            JsonNode key = new ObjectMapper().readTree(client.send(HttpRequest.newBuilder(URI.create(sandboxUrl + "/_webhook-key")).build(),
                    HttpResponse.BodyHandlers.ofString()).body());
            // The event, the same again, and one that is out of order; the first of them a second time.
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> deliveries.size() >= 4);

            WebhookPolicy policy = policy(scheme);
            WebhookSecrets secrets = Deliveries.secrets(Map.of("a", "one", "key", key.path("pem").asText()));
            for (Delivery delivery : deliveries) {
                CHECKS.get(scheme).check(delivery, policy, secrets);
                byte[] body = new String(delivery.body(), StandardCharsets.UTF_8).replace("\"amount\":5", "\"amount\":6").replace("amount=5", "amount=6")
                        .getBytes(StandardCharsets.UTF_8);
                Delivery altered = new Delivery(delivery.provider(), delivery.method(), delivery.scheme(), delivery.authority(), delivery.path(),
                        delivery.query(), delivery.headers(), delivery.remote(), body, body);
                assertThatThrownBy(() -> CHECKS.get(scheme).check(altered, policy, secrets)).isInstanceOf(RefusedDelivery.class);
            }
            assertThat(deliveries).extracting(delivery -> new String(delivery.body(), StandardCharsets.UTF_8))
                    .anyMatch(body -> body.contains("payment.processing")).anyMatch(body -> body.contains("payment.succeeded"));
            if (scheme == WebhookScheme.TIMESTAMPED_HMAC) {
                CHECKS.get(scheme).check(deliveries.get(0), policy, Deliveries.secrets(Map.of("b", "two")));
            }
        }
        finally {
            receiver.stop(0);
        }
    }

    private static WebhookPolicy policy(WebhookScheme scheme) {
        WebhookPolicy policy = Deliveries.policy(scheme, scheme == WebhookScheme.RSA_SERIAL ? "Sandbox" : "Sandbox-Signature");
        policy.setKeys("sandbox-1=key");
        policy.setBody(scheme == WebhookScheme.SORTED_FORM_RSA ? WebhookPolicy.Body.FORM : WebhookPolicy.Body.JSON);
        policy.setAlgorithm("ed25519");
        policy.setEscape("\\");
        policy.setSignedFields("/event_id,/type,/payment/reference,/payment/id,/payment/amount,/payment/currency");
        return policy;
    }

    private static Delivery delivery(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        Map<String, List<String>> headers = new LinkedHashMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), new ArrayList<>(values)));
        return new Delivery("sandbox", exchange.getRequestMethod(), "http", exchange.getRequestHeaders().getFirst("Host"),
                exchange.getRequestURI().getRawPath(), exchange.getRequestURI().getRawQuery(), headers, "127.0.0.1", body, body);
    }
}
