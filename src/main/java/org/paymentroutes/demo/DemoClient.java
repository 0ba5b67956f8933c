package org.paymentroutes.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** The demo's view from outside: our API as a caller sees it, and the sandbox's books. */
final class DemoClient {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final String api;
    private final String sandbox;
    private final String authorization;

    DemoClient(String api, String sandbox, String user, String password) {
        this.api = api;
        this.sandbox = sandbox;
        this.authorization = "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Sends one payment; sending it again under the same key returns the same one.
     *
     * @return the payment id
     * @throws IllegalStateException when it is not accepted
     */
    String pay(String key, long amountMinor, String behaviour) throws IOException, InterruptedException {
        String body = JSON.createObjectNode()
                .put("sourceReference", key).put("operation", "CHARGE").put("provider", "sandbox")
                .put("amountMinor", amountMinor).put("currency", "EUR").put("recipient", "tok_demo")
                .set("details", JSON.createObjectNode().put("behaviour", behaviour)).toString();
        HttpResponse<String> answer = http.send(HttpRequest.newBuilder(URI.create(api + "/api/payments"))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", authorization)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", '"' + key + '"')
                .POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 202) {
            throw new IllegalStateException("payment " + key + " was not accepted: HTTP " + answer.statusCode() + " " + answer.body());
        }
        return JSON.readTree(answer.body()).path("paymentId").asText();
    }

    /** @return the caller's payments of a run as the API lists them, by payment id */
    Map<String, JsonNode> payments(String run) throws IOException, InterruptedException {
        Map<String, JsonNode> payments = new HashMap<>();
        String next = "/api/payments?limit=200";
        while (next != null) {
            JsonNode page = get(api + next, true);
            boolean ours = false;
            for (JsonNode payment : page.path("items")) {
                if (payment.path("sourceReference").asText().startsWith(run)) {
                    payments.put(payment.path("paymentId").asText(), payment);
                    ours = true;
                }
            }
            next = ours ? page.path("next").asText(null) : null;
        }
        return payments;
    }

    /** @return how often money moved, by the key that the provider was given */
    Map<String, Integer> moved() throws IOException, InterruptedException {
        Map<String, Integer> moved = new HashMap<>();
        for (JsonNode payment : get(sandbox + "/_money", false).path("payments")) {
            moved.put(payment.path("reference").asText(), payment.path("moved").asInt());
        }
        return moved;
    }

    /**
     * Has the sandbox write all that it moved into a settlement file.
     *
     * @param credential what the sandbox asks for
     * @return name of the file
     */
    String settlementFile(String credential) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(HttpRequest.newBuilder(URI.create(sandbox + "/_settlement")).timeout(Duration.ofSeconds(30))
                .header("Authorization", credential).POST(HttpRequest.BodyPublishers.noBody()).build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 201) {
            throw new IOException("the sandbox writes no settlement file: HTTP " + answer.statusCode());
        }
        return JSON.readTree(answer.body()).path("file").asText();
    }

    private JsonNode get(String address, boolean login) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(30));
        if (login) {
            request.header("Authorization", authorization);
        }
        HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(address + " answers " + answer.statusCode());
        }
        return JSON.readTree(answer.body());
    }
}
