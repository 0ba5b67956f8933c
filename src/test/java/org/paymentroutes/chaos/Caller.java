package org.paymentroutes.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * A caller as a real one is: what got no answer is sent again under the same key, until there is one. It keeps every
 * receipt and compares it with the one before.
 */
final class Caller {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> BEHAVIOURS = List.of("ok", "error_500_paid", "close_paid", "slow_paid/1", "declined_200",
            "throttled_429_unpaid", "ok", "pending_202", "close_unpaid", "query_notfound_then_ok", "reset_paid", "ok",
            "html_200_paid", "pending_then_declined", "unavailable_503_paid");

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();
    private final Map<String, String> bodies = new ConcurrentHashMap<>();
    private final Map<String, String> queued = new ConcurrentHashMap<>();
    private final Set<String> onQueue = ConcurrentHashMap.newKeySet();
    private final Map<String, String> receipts = new ConcurrentHashMap<>();
    private final List<String> contradictions = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();

    /** Sends new payments, some at a time, until all are sent or nobody answers. */
    void sendNew(Node node, String group, int count, int parallel) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int n = next.getAndIncrement();
            String key = group + "-" + n;
            bodies.put(key, body(key, BEHAVIOURS.get(n % BEHAVIOURS.size())));
            keys.add(key);
        }
        sendAll(node, keys, parallel);
    }

    /** Sends one payment whose provider behaves like this. */
    void sendOne(Node node, String key, String behaviour) {
        bodies.put(key, body(key, behaviour));
        sendAll(node, List.of(key), 1);
    }

    /** Puts new payments on the queue of requests, until all are there or the broker is gone. */
    void queueNew(Node node, String group, int count) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String key = group + "-jms-" + next.getAndIncrement();
            queued.put(key, body(key, "close_paid"));
            keys.add(key);
        }
        queue(node, keys);
    }

    private void queue(Node node, Collection<String> keys) {
        try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(node.brokerUrl() + "?callTimeout=5000");
                Connection connection = factory.createConnection()) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(session.createQueue("payments.requests"));
            for (String key : keys) {
                TextMessage message = session.createTextMessage(queued.get(key));
                message.setStringProperty("idempotencyKey", key);
                producer.send(message);
                onQueue.add(key);
            }
        }
        catch (JMSException e) {
            // Not confirmed: the caller does not know, and sends it again later.
        }
    }

    /** @return keys of the payments that the broker has confirmed */
    Set<String> onQueue() {
        return onQueue;
    }

    /** Sends again what has no receipt yet, and a few that have one. */
    void sendAgain(Node node) {
        List<String> unconfirmed = new ArrayList<>(queued.keySet());
        unconfirmed.removeAll(onQueue);
        if (!unconfirmed.isEmpty()) {
            node.api();
            queue(node, unconfirmed);
        }
        List<String> keys = new ArrayList<>(bodies.keySet());
        keys.removeIf(receipts::containsKey);
        receipts.keySet().stream().limit(3).forEach(keys::add);
        sendAll(node, keys, 4);
    }

    /** @return how many payments have no receipt and no confirmation */
    int unanswered() {
        return bodies.size() - receipts.size() + queued.size() - onQueue.size();
    }

    /** @return payment ids by key, for every payment that was answered 202 */
    Map<String, String> receipts() {
        return new LinkedHashMap<>(receipts);
    }

    /** @return keys that were given two payment ids */
    List<String> contradictions() {
        return contradictions;
    }

    private void sendAll(Node node, List<String> keys, int parallel) {
        String api = node.api();
        String login = "Basic " + Base64.getEncoder().encodeToString(("caller:" + node.password()).getBytes(StandardCharsets.UTF_8));
        ExecutorService threads = Executors.newFixedThreadPool(parallel);
        try {
            List<Future<?>> sent = new ArrayList<>();
            for (String key : keys) {
                sent.add(threads.submit(() -> {
                    if (node.child().alive()) {
                        send(api, login, key);
                    }
                    return null;
                }));
            }
            for (Future<?> one : sent) {
                one.get();
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        finally {
            threads.shutdownNow();
        }
    }

    private void send(String api, String login, String key) throws InterruptedException {
        try {
            // The request's own timeout ends with the head of the answer; a process that sleeps then never sends the body.
            HttpResponse<String> answer = http.sendAsync(HttpRequest.newBuilder(URI.create(api + "/api/payments"))
                    .timeout(Duration.ofSeconds(8)).header("Authorization", login).header("Content-Type", "application/json")
                    .header("Idempotency-Key", '"' + key + '"')
                    .POST(HttpRequest.BodyPublishers.ofString(bodies.get(key))).build(), HttpResponse.BodyHandlers.ofString())
                    .get(10, TimeUnit.SECONDS);
            if (answer.statusCode() == 202) {
                JsonNode receipt = JSON.readTree(answer.body());
                String id = receipt.path("paymentId").asText();
                String before = receipts.putIfAbsent(key, id);
                if (before != null && !before.equals(id)) {
                    synchronized (contradictions) {
                        contradictions.add(key + ": " + before + " and " + id);
                    }
                }
            }
        }
        catch (IOException | ExecutionException | TimeoutException e) {
            // No answer: the caller does not know, and sends it again later.
        }
    }

    private static String body(String key, String behaviour) {
        return JSON.createObjectNode().put("sourceReference", key).put("operation", "CHARGE").put("provider", "sandbox")
                .put("amountMinor", 100 + Math.floorMod(key.hashCode(), 1000)).put("currency", "EUR").put("recipient", "tok_chaos")
                .set("details", JSON.createObjectNode().put("behaviour", behaviour)).toString();
    }
}
