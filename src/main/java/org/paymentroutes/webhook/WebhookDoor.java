package org.paymentroutes.webhook;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.paymentroutes.provider.WebhookPolicy;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Stands before everything else at {@code /webhooks/}: takes the body off the wire as it is, and lets in only what the
 * contract's signature proves. What is not believed costs no database, no route and no login check, and learns nothing:
 * every refusal is the same answer. At most so many deliveries of one provider are read at a time, and fewer still go
 * on to the database, so that neither a flood nor slow senders take the threads and connections of the payments.
 */
final class WebhookDoor extends OncePerRequestFilter {

    /** Request attribute with what was let in, an {@link Admitted}. */
    static final String ADMITTED = WebhookDoor.class.getName();
    private static final String PREFIX = "/webhooks/";
    private static final long STORE_WAIT_MS = 2000;
    private static final long READ_NS_MAX = TimeUnit.SECONDS.toNanos(10);
    private static final byte[] REFUSED = problem("webhook-refused", "The delivery was refused.", 400);
    private static final byte[] NOT_FOUND = problem("webhook-refused", "The delivery was refused.", 404);
    private static final byte[] BUSY = problem("unavailable", "The service is not available at the moment.", 503);

    /**
     * A delivery that is believed.
     *
     * @param delivery what came
     * @param policy   of its provider
     * @param signedAt when it was signed, milliseconds since 1970; null when the scheme signs no time
     */
    record Admitted(Delivery delivery, WebhookPolicy policy, Long signedAt) {
    }

    private final WebhookGuard guard;
    private final int parallel;
    private final Semaphore storing;
    private final Map<String, Semaphore> reading = new ConcurrentHashMap<>();

    /**
     * @param guard    decides
     * @param parallel deliveries of one provider that are read at a time
     * @param storing  deliveries of all providers that are stored at a time
     */
    WebhookDoor(WebhookGuard guard, int parallel, int storing) {
        this.guard = guard;
        this.parallel = parallel;
        this.storing = new Semaphore(storing);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String path = request.getRequestURI();
        String provider = path.startsWith(PREFIX) ? path.substring(PREFIX.length()) : "";
        if (!request.getMethod().equals("POST")) {
            answer(response, 404, NOT_FOUND);
            return;
        }
        if (guard.waits(provider)) {
            answer(response, 503, BUSY);
            return;
        }
        Semaphore permits = null;
        try {
            WebhookPolicy policy = guard.beforeBody(provider, request.getContentLengthLong(), request.getRemoteAddr());
            permits = reading.computeIfAbsent(provider, unused -> new Semaphore(parallel));
            if (!permits.tryAcquire()) {
                permits = null;
                answer(response, 503, BUSY);
                return;
            }
            Delivery delivery = delivery(request, provider, policy);
            request.setAttribute(ADMITTED, new Admitted(delivery, policy, guard.signedAt(delivery, policy)));
            store(new TakenRequest(request), response, chain);
        }
        catch (RefusedDelivery e) {
            guard.refused(provider, e.refusal());
            answer(response, e.refusal() == Refusal.PROVIDER ? 404 : 400, e.refusal() == Refusal.PROVIDER ? NOT_FOUND : REFUSED);
        }
        finally {
            if (permits != null) {
                permits.release();
            }
        }
    }

    /** The routes run on this thread, so what the chain stores is stored when it returns. */
    private void store(HttpServletRequest request, HttpServletResponse response, FilterChain chain) throws ServletException, IOException {
        try {
            if (!storing.tryAcquire(STORE_WAIT_MS, TimeUnit.MILLISECONDS)) {
                answer(response, 503, BUSY);
                return;
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            answer(response, 503, BUSY);
            return;
        }
        try {
            chain.doFilter(request, response);
        }
        finally {
            storing.release();
        }
    }

    private static Delivery delivery(HttpServletRequest request, String provider, WebhookPolicy policy) throws RefusedDelivery {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            headers.computeIfAbsent(name.toLowerCase(Locale.ROOT), unused -> new ArrayList<>())
                    .addAll(Collections.list(request.getHeaders(name)));
        }
        byte[] received = read(request, policy.getMaxBytes());
        byte[] body = ContentCoding.decoded(headers.getOrDefault("content-encoding", List.of()), received, policy.getMaxBytes());
        return new Delivery(provider, request.getMethod(), request.getScheme(), String.valueOf(request.getHeader("Host")),
                request.getRequestURI(), request.getQueryString(), headers, request.getRemoteAddr(), received, body);
    }

    private static byte[] read(HttpServletRequest request, int maxBytes) throws RefusedDelivery {
        try {
            return readInTime(request.getInputStream(), maxBytes);
        }
        catch (IOException e) {
            throw new RefusedDelivery(Refusal.CUT);
        }
    }

    private static byte[] readInTime(ServletInputStream in, int maxBytes) throws RefusedDelivery, IOException {
        long until = System.nanoTime() + READ_NS_MAX;
        byte[] buffer = new byte[4096];
        int length = 0;
        while (true) {
            if (length == buffer.length) {
                buffer = Arrays.copyOf(buffer, Math.min(buffer.length * 2, maxBytes + 1));
            }
            int read = in.read(buffer, length, buffer.length - length);
            if (read < 0) {
                return Arrays.copyOf(buffer, length);
            }
            length += read;
            if (length > maxBytes || System.nanoTime() > until) {
                throw new RefusedDelivery(length > maxBytes ? Refusal.SIZE : Refusal.CUT);
            }
        }
    }

    private static void answer(HttpServletResponse response, int status, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType("application/problem+json");
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        if (status == 503) {
            response.setHeader("Retry-After", "2");
        }
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        response.flushBuffer();
    }

    private static byte[] problem(String type, String title, int status) {
        return ("{\"type\":\"/problems/" + type + "\",\"title\":\"" + title + "\",\"status\":" + status + "}")
                .getBytes(StandardCharsets.UTF_8);
    }
}
