package org.paymentroutes.chaos;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A provider that tells of payments as a real one does: each event, to every node, again and again until it is answered 2xx. */
final class EventSender {

    private static final String SECRET = "sandbox-webhook-secret";
    private static final int PARALLEL = 4;

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();
    private final Map<String, byte[]> events = new ConcurrentHashMap<>();
    private final Set<String> taken = ConcurrentHashMap.newKeySet();

    /** Adds one event. */
    void tell(String eventId, String word, String reference, long amount) {
        events.put(eventId, ("{\"event_id\":\"%s\",\"type\":\"%s\",\"reversal_id\":\"rv-%s\",\"payment\":{\"reference\":\"%s\",\"id\":\"pp-%s\","
                + "\"amount\":%d,\"currency\":\"EUR\"}}").formatted(eventId, word, reference, reference, reference, amount)
                .getBytes(StandardCharsets.UTF_8));
    }

    /** @return how many events there are */
    int events() {
        return events.size();
    }

    /** @return the events that every one of these nodes has answered 2xx */
    long taken(List<Node> nodes) {
        return events.keySet().stream().filter(id -> nodes.stream().allMatch(node -> taken.contains(key(node, id)))).count();
    }

    /** Sends, once, whatever a node has not taken yet; to all nodes at the same time. */
    void send(List<Node> nodes) {
        ExecutorService threads = Executors.newFixedThreadPool(PARALLEL * nodes.size());
        try {
            CompletableFuture.allOf(events.keySet().stream().sorted().flatMap(id -> nodes.stream().filter(node -> !taken.contains(key(node, id)))
                    .map(node -> CompletableFuture.runAsync(() -> send(node, id), threads))).toArray(CompletableFuture[]::new)).join();
        }
        finally {
            threads.shutdownNow();
        }
    }

    private void send(Node node, String id) {
        byte[] body = events.get(id);
        String time = Long.toString(System.currentTimeMillis() / 1000);
        try {
            if (node.child().alive() && http.send(HttpRequest.newBuilder(URI.create(node.api() + "/webhooks/sandbox"))
                    .timeout(Duration.ofSeconds(10)).header("Content-Type", "application/json")
                    .header("Sandbox-Signature", "t=" + time + ",v1=" + code(time, body))
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body)).build(), HttpResponse.BodyHandlers.discarding()).statusCode() / 100 == 2) {
                taken.add(key(node, id));
            }
        }
        catch (IOException e) {
            // No answer: the provider does not know whether it was taken, and sends it again.
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String key(Node node, String id) {
        return node.folder().getFileName() + " " + id;
    }

    private static String code(String time, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((time + ".").getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(mac.doFinal(body));
        }
        catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HMAC-SHA256", e);
        }
    }
}
