package org.paymentroutes.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.paymentroutes.PaymentRoutesApplication;
import org.paymentroutes.sandbox.SandboxApplication;
import org.paymentroutes.sandbox.SandboxWebhooks;
import org.paymentroutes.support.JavaProcess;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Deliveries per second that the endpoint of the webhooks holds, forged and signed, while payments go on at a fixed rate:
 * {@code mvn verify -Pbench -Dit.test=WebhookBench}. The senders share this process and machine with the application and
 * PostgreSQL; the sandbox is a process of its own. Times of payments are the database's, from acceptance to success.
 */
class WebhookBench {

    private static final int SECONDS = Integer.getInteger("bench.seconds", 15);
    private static final int CONNECTIONS = Integer.getInteger("bench.connections", 16);
    private static final int PAYMENTS_PER_SECOND = Integer.getInteger("bench.payments-per-second", 20);
    private static final String SECRET = "bench-secret";

    private int port;
    private String login;
    private JdbcTemplate database;
    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void holdsForgedAndSignedDeliveries() throws Exception {
        Path folder = Files.createDirectories(Path.of("target/bench", UUID.randomUUID().toString()));
        try (JavaProcess sandbox = JavaProcess.of(SandboxApplication.class, List.of("--sandbox.books=" + folder.resolve("books.ndjson")))
                .jvm(List.of("-Xmx512m")).readyAt("sandbox:").start(folder.resolve("sandbox.log"))) {
            ConfigurableApplicationContext application = SpringApplication.run(PaymentRoutesApplication.class,
                    "--payment-routes.data=" + folder.resolve("data"), "--sandbox.enabled=false", "--demo.enabled=false", "--server.port=0",
                    "--sandbox.url=" + sandbox.awaitReady(), "--providers.sandbox.deadline-ms=10000", "--providers.sandbox.lease-ms=30000",
                    "--providers.sandbox.webhook-secret=" + SECRET, "--logging.level.root=warn");
            try {
                port = application.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
                database = application.getBean(JdbcTemplate.class);
                login = "Basic " + Base64.getEncoder().encodeToString(("caller:" + Files.readString(folder.resolve("data/credentials")).strip())
                        .getBytes(StandardCharsets.UTF_8));
                phase("warm-up", WebhookBench::forged, 400);
                phase("none", null, 0);
                phase("forged", WebhookBench::forged, 400);
                phase("signed", this::signed, 200);
                long start = System.nanoTime();
                long left = database.queryForObject("select count(*) from webhook_work", Long.class);
                Awaitility.await().atMost(Duration.ofMinutes(10)).pollInterval(Duration.ofMillis(100)).until(() ->
                        database.queryForObject("select count(*) from webhook_work", Long.class) == 0);
                System.out.printf("bench: webhooks applied after the last delivery=%d in %.1f s%n", left, (System.nanoTime() - start) / 1e9);
                assertThat(database.queryForObject("select count(*) from webhook_event", Long.class))
                        .isEqualTo(database.queryForObject("select count(*) from webhook_effect", Long.class));
                assertThat(database.queryForObject("select count(*) from evidence where source = 'WEBHOOK'", Long.class)).isEqualTo(1);
            }
            finally {
                application.close();
            }
        }
    }

    private void phase(String deliveries, Supplier<byte[]> request, int expected) throws Exception {
        long cpuBefore = ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis();
        String from = database.queryForObject("select clock_timestamp()::text", String.class);
        AtomicBoolean on = new AtomicBoolean(true);
        LongAdder answered = new LongAdder();
        LongAdder other = new LongAdder();
        ScheduledExecutorService payer = Executors.newScheduledThreadPool(4);
        payer.scheduleAtFixedRate(this::pay, 0, 1_000_000 / PAYMENTS_PER_SECOND, TimeUnit.MICROSECONDS);
        ExecutorService senders = Executors.newFixedThreadPool(CONNECTIONS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS && request != null; i++) {
            running.add(senders.submit(() -> {
                send(request, expected, on, answered, other);
                return null;
            }));
        }
        Thread.sleep(SECONDS * 1000L);
        on.set(false);
        for (Future<?> sender : running) {
            sender.get();
        }
        payer.shutdown();
        payer.awaitTermination(10, TimeUnit.SECONDS);
        senders.shutdown();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> database.queryForObject(
                "select count(*) from payment where state <> 'SUCCEEDED'", Long.class) == 0);
        Map<String, Object> times = database.queryForMap("""
                select count(*) as payments, round(1000 * percentile_cont(0.5) within group (order by s)) as p50,
                       round(1000 * percentile_cont(0.99) within group (order by s)) as p99
                  from (select extract(epoch from state_since - accepted_at)::numeric as s from payment where accepted_at >= ?::timestamptz) t""", from);
        System.out.printf("bench: webhooks=%s connections=%d seconds=%d deliveries_per_second=%d other_answers=%d payments=%s payment_p50_ms=%s"
                        + " payment_p99_ms=%s cpu_ms=%d%n", deliveries, request == null ? 0 : CONNECTIONS, SECONDS, answered.sum() / SECONDS, other.sum(),
                times.get("payments"), times.get("p50"), times.get("p99"),
                ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis() - cpuBefore);
    }

    private void pay() {
        try {
            String key = UUID.randomUUID().toString();
            client.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/api/payments")).header("Authorization", login)
                    .header("Content-Type", "application/json").header("Idempotency-Key", key).POST(HttpRequest.BodyPublishers.ofString(
                            "{\"sourceReference\":\"" + key + "\",\"operation\":\"CHARGE\",\"provider\":\"sandbox\",\"amountMinor\":5,\"currency\":\"EUR\","
                                    + "\"recipient\":\"tok\"}")).build(), HttpResponse.BodyHandlers.discarding());
        }
        catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void send(Supplier<byte[]> request, int expected, AtomicBoolean on, LongAdder answered, LongAdder other) throws IOException {
        int status = expected == 400 ? 400 : 200;
        while (on.get()) {
            try (Socket socket = new Socket("localhost", port)) {
                socket.setTcpNoDelay(true);
                InputStream in = new BufferedInputStream(socket.getInputStream());
                // Tomcat ends a connection after a hundred requests.
                boolean open = true;
                while (on.get() && open) {
                    socket.getOutputStream().write(request.get());
                    String head = head(in);
                    if (head.isEmpty()) {
                        open = false;
                    }
                    else {
                        skipBody(in, head);
                        (head.startsWith("HTTP/1.1 " + status) ? answered : other).increment();
                        open = !head.toLowerCase(java.util.Locale.ROOT).contains("connection: close");
                    }
                }
            }
        }
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        int next;
        while ((next = in.read()) >= 0) {
            head.append((char) next);
            if (next == '\n' && head.toString().endsWith("\r\n\r\n")) {
                return head.toString();
            }
        }
        return "";
    }

    private static void skipBody(InputStream in, String head) throws IOException {
        if (!head.toLowerCase(java.util.Locale.ROOT).contains("transfer-encoding: chunked")) {
            in.skipNBytes(length(head));
            return;
        }
        while (true) {
            StringBuilder size = new StringBuilder();
            for (int next = in.read(); next != '\n' && next >= 0; next = in.read()) {
                size.append((char) next);
            }
            int length = Integer.parseInt(size.toString().strip(), 16);
            in.skipNBytes(length + 2L);
            if (length == 0) {
                return;
            }
        }
    }

    private static long length(String head) {
        for (String line : head.split("\r\n")) {
            if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                return Long.parseLong(line.substring(15).strip());
            }
        }
        return 0;
    }

    private static byte[] forged() {
        String body = "{\"event_id\":\"evt_1\",\"type\":\"payment.succeeded\",\"payment\":{\"id\":\"sbx_1\",\"reference\":\"r\",\"amount\":5,\"currency\":\"EUR\"}}";
        return request(body, "t=" + System.currentTimeMillis() / 1000 + ",v1=" + "0".repeat(64));
    }

    /** A new event that tells of a payment that is there: the first one is a fact, all others are known. */
    private byte[] signed() {
        Map<String, Object> payment = paid();
        String body = "{\"event_id\":\"evt_" + UUID.randomUUID() + "\",\"type\":\"payment.succeeded\",\"payment\":{\"id\":\"" + payment.get("provider_payment_id")
                + "\",\"reference\":\"" + payment.get("provider_key") + "\",\"amount\":5,\"currency\":\"EUR\"}}";
        return request(body, SandboxWebhooks.signature(SECRET, System.currentTimeMillis() / 1000, body));
    }

    private synchronized Map<String, Object> paid() {
        if (told == null) {
            told = database.queryForMap("select provider_key, provider_payment_id from payment where state = 'SUCCEEDED' limit 1");
        }
        return told;
    }

    private Map<String, Object> told;

    private static byte[] request(String body, String signature) {
        return ("POST /webhooks/sandbox HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nSandbox-Signature: " + signature
                + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.ISO_8859_1);
    }
}
