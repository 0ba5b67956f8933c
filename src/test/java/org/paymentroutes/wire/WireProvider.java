package org.paymentroutes.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A provider whose every answer a test decides, on a {@link CountingServer}. A payment names its script by the field
 * {@code tag} of its request; without one, or when its script is used up, it is paid and the query says so.
 */
public final class WireProvider implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final CountingServer server = CountingServer.plain().always(this::play);
    private final Map<String, Script> scripts = new ConcurrentHashMap<>();
    private final Map<String, Order> orders = new ConcurrentHashMap<>();
    private final AtomicInteger onTheWire = new AtomicInteger();
    private final AtomicInteger mostOnTheWire = new AtomicInteger();

    /** Starts it on a free port of the loopback address. */
    public WireProvider() throws IOException {
    }

    /**
     * What arrived for one payment.
     *
     * @param reference our reference
     * @param tag       name of the script; may be empty
     * @param amount    minor units
     * @param currency  ISO 4217 code
     * @param posts     every POST, oldest first
     * @param queries   the time of every GET in nanoseconds, oldest first
     */
    public record Order(String reference, String tag, long amount, String currency, Deque<RawRequest> posts, Deque<Long> queries) {

        /** @return an answer about this payment */
        public String json(String status) {
            return "{\"id\":\"wire-%s\",\"reference\":\"%s\",\"status\":\"%s\",\"amount\":%d,\"currency\":\"%s\"}"
                    .formatted(reference, reference, status, amount, currency);
        }
    }

    /** Plays one answer. */
    @FunctionalInterface
    public interface Play {

        /** @return true to keep the connection open */
        boolean on(Order order, OutputStream out) throws IOException;
    }

    /** The answers to the POSTs and queries of one payment, played once each, in order. */
    public static final class Script {

        private final Deque<Play> posts = new ArrayDeque<>();
        private final Deque<Play> queries = new ArrayDeque<>();
        private volatile Play lastQuery;

        /** Adds answers to POSTs. */
        public Script post(Play... plays) {
            posts.addAll(List.of(plays));
            return this;
        }

        /** Adds answers to queries. */
        public Script query(Play... plays) {
            queries.addAll(List.of(plays));
            return this;
        }

        /** Sets the answer to every query when the others are used up. */
        public Script thenQuery(Play play) {
            lastQuery = play;
            return this;
        }

        private synchronized Play next(boolean post) {
            Play next = post ? posts.poll() : queries.poll();
            return next != null ? next : !post && lastQuery != null ? lastQuery : paid();
        }
    }

    /** An answer with a status and a JSON body. */
    public static Play answer(int status, String body, String... headers) {
        return (order, out) -> {
            String[] all = Arrays.copyOf(headers, headers.length + 1);
            all[headers.length] = "Content-Length: " + body.length();
            out.write(Reply.head(status, all));
            out.write(body.getBytes(StandardCharsets.UTF_8));
            return true;
        };
    }

    /** 200 with a status word about this payment. */
    public static Play status(String word) {
        return (order, out) -> answer(200, order.json(word)).on(order, out);
    }

    /** 200 SUCCEEDED. */
    public static Play paid() {
        return status("SUCCEEDED");
    }

    /** 429, not executed. */
    public static Play throttled() {
        return answer(429, "{\"error\":\"rate_limited\"}");
    }

    /** 404 not_found. */
    public static Play notFound() {
        return answer(404, "{\"error\":\"not_found\"}");
    }

    /** Closes without a byte. */
    public static Play closed() {
        return (order, out) -> false;
    }

    /** @return the script of that tag, to add answers to */
    public Script script(String tag) {
        return scripts.computeIfAbsent(tag, name -> new Script());
    }

    /** Gives a tag this script. */
    public void script(String tag, Script script) {
        scripts.put(tag, script);
    }

    /** @return base address for callers */
    public String url() {
        return "http://localhost:" + server.port();
    }

    /** @return what arrived for that reference; null when nothing did */
    public Order order(String reference) {
        return orders.get(reference);
    }

    /** @return how many POSTs arrived for that reference */
    public int posts(String reference) {
        Order order = orders.get(reference);
        return order == null ? 0 : order.posts().size();
    }

    /** @return how many POSTs are being answered now */
    public int onTheWire() {
        return onTheWire.get();
    }

    /** @return the largest number of POSTs that were being answered at once, since the last call */
    public int mostOnTheWire() {
        return mostOnTheWire.getAndSet(onTheWire.get());
    }

    private boolean play(RawRequest request, InputStream in, Socket socket) throws IOException {
        request.readBody(in);
        String[] line = request.line().split(" ");
        if (line[0].equals("GET")) {
            Order order = orders.get(line[1].substring(line[1].lastIndexOf('/') + 1));
            if (order == null) {
                return notFound().on(null, socket.getOutputStream());
            }
            order.queries().add(System.nanoTime());
            return script(order).next(false).on(order, socket.getOutputStream());
        }
        JsonNode json = JSON.readTree(request.body());
        Order order = orders.computeIfAbsent(json.path("reference").asText(), reference -> new Order(reference,
                json.path("tag").asText(), json.path("amount").asLong(), json.path("currency").asText(),
                new ConcurrentLinkedDeque<>(), new ConcurrentLinkedDeque<>()));
        order.posts().add(request);
        mostOnTheWire.accumulateAndGet(onTheWire.incrementAndGet(), Math::max);
        try {
            return script(order).next(true).on(order, socket.getOutputStream());
        }
        finally {
            onTheWire.decrementAndGet();
        }
    }

    private Script script(Order order) {
        return order.tag().isEmpty() ? new Script() : script(order.tag());
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
