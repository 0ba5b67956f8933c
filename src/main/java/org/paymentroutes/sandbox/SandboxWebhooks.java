package org.paymentroutes.sandbox;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the caller's webhook address of each booking. An event is sent again until a 2xx comes, at most
 * {@value #TRIES_MAX} times, each time later. Not guaranteed: events that wait when the process ends are gone, and the
 * same event may come twice.
 */
public final class SandboxWebhooks implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SandboxWebhooks.class);
    private static final int TRIES_MAX = 10;
    private static final long FIRST_WAIT_MS = 200;
    private static final long WAIT_MS_MAX = 10_000;

    private final SandboxProperties options;
    private final InstantSource clock;
    private final HttpClient client;
    private final ScheduledExecutorService timer;

    SandboxWebhooks(SandboxProperties options, InstantSource clock) {
        this.options = options;
        this.clock = clock;
        this.timer = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "sandbox-webhook");
            thread.setDaemon(true);
            return thread;
        });
        this.client = HttpClient.newBuilder().executor(timer).version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5)).build();
    }

    /** Sends the event of a new booking, when there is an address; a pending payment's event waits for its end. */
    public void announce(Booking booking) {
        if (options.webhook().url().isEmpty() || booking.act() != Act.MOVED && booking.act() != Act.DECLINED) {
            return;
        }
        PaymentView payment = booking.payment();
        String type = payment.status() == PaymentView.Status.DECLINED ? "payment.declined" : "payment.succeeded";
        String body = "{\"event_id\":\"evt_" + payment.reference() + "_" + payment.moved() + "\",\"type\":\"" + type
                + "\",\"payment\":" + PaymentJson.truth(payment, booking.id()) + "}";
        boolean pending = payment.script().behaviour().query() == QueryAnswer.PENDING_THEN_TRUTH;
        timer.schedule(() -> send(body, 1), pending ? options.pendingMs() : 0, TimeUnit.MILLISECONDS);
    }

    private void send(String body, int tries) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(options.webhook().url())).timeout(Duration.ofSeconds(10))
                .header("Content-Type", "application/json")
                .header("Sandbox-Signature", signature(options.webhook().secret(), clock.millis() / 1000, body))
                .POST(HttpRequest.BodyPublishers.ofString(body)).build();
        client.sendAsync(request, HttpResponse.BodyHandlers.discarding()).whenComplete((response, problem) -> {
            if (response != null && response.statusCode() / 100 == 2) {
                return;
            }
            if (tries == TRIES_MAX) {
                LOG.warn("sandbox gives up a webhook after {} tries", tries);
                return;
            }
            timer.schedule(() -> send(body, tries + 1), Math.min(FIRST_WAIT_MS << (tries - 1), WAIT_MS_MAX), TimeUnit.MILLISECONDS);
        });
    }

    /**
     * The signature header.
     *
     * @param secret the shared key
     * @param unixSeconds time of sending
     * @param body the exact body
     * @return {@code t=<unixSeconds>,v1=<hex of HMAC-SHA256 over "<unixSeconds>.<body>">}
     */
    public static String signature(String secret, long unixSeconds, String body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            byte[] code = mac.doFinal((unixSeconds + "." + body).getBytes(StandardCharsets.UTF_8));
            return "t=" + unixSeconds + ",v1=" + HexFormat.of().formatHex(code);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HMAC-SHA256", e);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
