package org.paymentroutes.sandbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the caller's webhook address of each booking, badly on demand: late, several times, in the wrong order, or not
 * at all. An event is sent again until a 2xx comes, at most {@value #TRIES_MAX} times, each time later and with a new
 * signature. Not guaranteed: events that wait when the process ends are gone, and the same event may come twice.
 */
public final class SandboxWebhooks implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SandboxWebhooks.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TRIES_MAX = 10;
    private static final long FIRST_WAIT_MS = 200;
    private static final long WAIT_MS_MAX = 10_000;
    private static final long LATE_MS = 300;

    private final SandboxProperties options;
    private final SandboxProperties.Webhook webhook;
    private final InstantSource clock;
    private final UnaryOperator<String> placeholders;
    private final WebhookSigner signer;
    private final HttpClient client;
    private final ScheduledExecutorService timer;

    /** One event: what it says, and what of it a signature over fields covers and a form has, by name. */
    private record Event(String body, Map<String, String> fields) {
    }

    /**
     * @param options      the configuration
     * @param clock        the provider's clock
     * @param placeholders resolves placeholders in the address when an event is sent, because the port of a server in
     *                     the same process is known late
     */
    SandboxWebhooks(SandboxProperties options, InstantSource clock, UnaryOperator<String> placeholders) {
        this.options = options;
        this.webhook = options.webhook();
        this.clock = clock;
        this.placeholders = placeholders;
        this.signer = new WebhookSigner(webhook.scheme(),
                Stream.of(webhook.secret(), webhook.nextSecret()).filter(secret -> !secret.isEmpty()).toList());
        this.timer = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "sandbox-webhook");
            thread.setDaemon(true);
            return thread;
        });
        this.client = HttpClient.newBuilder().executor(timer).version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5)).build();
    }

    /** The public key of the signatures, as PEM; empty for a scheme with shared keys. */
    public String publicKey() {
        return signer.publicKey();
    }

    /**
     * Sends the event of a new booking, when there is an address; a pending payment's event waits for its end. Without a
     * delay it is on its way before the request is answered.
     */
    public void announce(Booking booking) {
        if (webhook.url().isEmpty() || booking.act() != Act.MOVED && booking.act() != Act.DECLINED || !told(booking.payment().reference())) {
            return;
        }
        PaymentView payment = booking.payment();
        boolean declined = payment.status() == PaymentView.Status.DECLINED;
        Event end = event(booking, declined ? "payment.declined" : "payment.succeeded", "", PaymentJson.truth(payment, booking.id()));
        boolean pending = payment.script().behaviour().query() == QueryAnswer.PENDING_THEN_TRUTH;
        long wait = (pending ? options.pendingMs() : 0) + webhook.delayMs();
        for (int copy = 0; copy <= webhook.duplicates(); copy++) {
            timer.schedule(() -> send(end, 1), wait + copy * LATE_MS, TimeUnit.MILLISECONDS);
        }
        if (webhook.disorder()) {
            Event before = event(booking, "payment.processing", "_p", PaymentJson.of(payment, booking.id(), "\"PENDING\""));
            timer.schedule(() -> send(before, 1), wait + LATE_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Whether this payment's event is sent at all; the same for the same reference. */
    private boolean told(String reference) {
        return Math.floorMod(reference.hashCode(), 100) < webhook.percent();
    }

    private static Event event(Booking booking, String type, String suffix, String json) {
        PaymentView payment = booking.payment();
        String id = "evt_" + payment.reference() + "_" + payment.moved() + suffix;
        try {
            JsonNode told = JSON.readTree(json);
            Map<String, String> fields = new LinkedHashMap<>();
            fields.put("event_id", id);
            fields.put("type", type);
            for (String name : List.of("reference", "id", "amount", "currency")) {
                fields.put(name, told.path(name).asText());
            }
            return new Event("{\"event_id\":\"" + id + "\",\"type\":\"" + type + "\",\"payment\":" + json + "}", fields);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a payment is always JSON", e);
        }
    }

    private void send(Event event, int tries) {
        URI address = URI.create(placeholders.apply(webhook.url()));
        boolean form = webhook.scheme() == WebhookScheme.SORTED_FORM_RSA;
        String body = form ? signer.form(event.fields()) : event.body();
        HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(10))
                .header("Content-Type", form ? "application/x-www-form-urlencoded; charset=utf-8" : "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        signer.headers(address, clock.millis() / 1000, body.getBytes(StandardCharsets.UTF_8), event.fields().values()).forEach(request::header);
        client.sendAsync(request.build(), HttpResponse.BodyHandlers.discarding()).whenComplete((response, problem) -> {
            if (response != null && response.statusCode() / 100 == 2) {
                return;
            }
            if (tries == TRIES_MAX) {
                LOG.warn("sandbox gives up a webhook after {} tries", tries);
                return;
            }
            timer.schedule(() -> send(event, tries + 1), Math.min(FIRST_WAIT_MS << (tries - 1), WAIT_MS_MAX), TimeUnit.MILLISECONDS);
        });
    }

    /**
     * The signature header of TIMESTAMPED_HMAC.
     *
     * @param secret the shared key
     * @param unixSeconds time of sending
     * @param body the exact body
     * @return {@code t=<unixSeconds>,v1=<hex of HMAC-SHA256 over "<unixSeconds>.<body>">}
     */
    public static String signature(String secret, long unixSeconds, String body) {
        return new WebhookSigner(WebhookScheme.TIMESTAMPED_HMAC, List.of(secret))
                .headers(URI.create("http://localhost/"), unixSeconds, body.getBytes(StandardCharsets.UTF_8), List.of()).get("Sandbox-Signature");
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
