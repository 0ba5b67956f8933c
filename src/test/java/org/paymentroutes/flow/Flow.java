package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.paymentroutes.support.Api;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;

/** What the flow tests do to a running application, and what they see of it. */
@TestComponent
class Flow {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpClient client = HttpClient.newHttpClient();
    private final Api api;
    private final JdbcTemplate jdbc;
    private final Environment environment;

    Flow(Api api, JdbcTemplate jdbc, Environment environment) {
        this.api = api;
        this.jdbc = jdbc;
        this.environment = environment;
    }

    /** @return the id of a new PAYOUT that plays this behaviour at the sandbox */
    String behaves(String behaviour) {
        return pay("sandbox", "PAYOUT", 1234, "behaviour", behaviour);
    }

    /** @return a tag for a script that no other test has */
    static String tag() {
        return "tag-" + Long.toString(System.nanoTime(), 36);
    }

    /** @return the id of a new PAYOUT that plays the script of this tag at a scripted provider; empty for no script */
    String scripted(String provider, String tag) {
        return pay(provider, "PAYOUT", 1234, "tag", tag);
    }

    /** @return the id of a payment that the API has accepted */
    String pay(String provider, String operation, long amount, String detail, String value) {
        ObjectNode request = JSON.createObjectNode().put("sourceReference", "order-" + UUID.randomUUID())
                .put("operation", operation).put("provider", provider).put("amountMinor", amount).put("currency", "EUR")
                .put("recipient", "tok_1");
        if (!value.isEmpty()) {
            request.putObject("details").put(detail, value);
        }
        HttpResponse<String> answer = api.pay(Api.key(), request.toString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        return json(answer.body()).path("paymentId").asText();
    }

    /** @return the answer to a request of user caller to refund a payment */
    HttpResponse<String> refund(String id, String key, String json) {
        return api.send(api.request("caller", "/api/payments/" + id + "/refunds").header("Content-Type", "application/json")
                .header("Idempotency-Key", key).POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    /** @return the payment as the API shows it now */
    JsonNode get(String id) {
        HttpResponse<String> answer = api.get("viewer", "/api/payments/" + id);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return json(answer.body());
    }

    /** @return its state in the database */
    String state(String id) {
        return jdbc.queryForObject("select state from payment where payment_id = ?::uuid", String.class, id);
    }

    /** Waits until it is in this state, then returns it as the API shows it. */
    JsonNode await(String id, String state) {
        Awaitility.await(id + " " + state).atMost(PATIENCE).pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> assertThat(state(id)).isEqualTo(state));
        return get(id);
    }

    /** Waits until all are in this state. */
    void awaitAll(List<String> ids, String state) {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).untilAsserted(() ->
                assertThat(ids).extracting(this::state).containsOnly(state));
    }

    /** @return what the sandbox's own books say of the payment */
    JsonNode money(String id) {
        try {
            HttpResponse<String> answer = client.send(HttpRequest.newBuilder(URI.create(
                    environment.getRequiredProperty("sandbox.url") + "/_money/" + key(id))).build(), HttpResponse.BodyHandlers.ofString());
            return json(answer.body());
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** @return the states that the payment has gone through, oldest first */
    List<String> states(String id) {
        return jdbc.queryForList("select to_state from transition where payment_id = ?::uuid order by version", String.class, id);
    }

    /** @return what the provider knows it by */
    static String key(String id) {
        return id.replace("-", "");
    }

    /** @return the parsed text */
    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
