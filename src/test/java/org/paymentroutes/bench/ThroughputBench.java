package org.paymentroutes.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.PaymentRoutesApplication;
import org.paymentroutes.sandbox.SandboxApplication;
import org.paymentroutes.support.JavaProcess;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Payments per second from claim to recorded outcome: a backlog is recorded while the provider is paused, then sent.
 * The sandbox is a process of its own; it, the application and PostgreSQL share the machine. A figure is printed only
 * together with the books that say that nothing moved twice and nothing was lost.
 */
class ThroughputBench {

    private static final int PAYMENTS = Integer.getInteger("bench.payments", 20_000);
    private static final int WARM_UP = 5_000;

    @ParameterizedTest(name = "provider latency {0} ms, {1} workers")
    @CsvSource({"0,64", "50,256"})
    void drainsABacklog(int latencyMs, int workers) throws Exception {
        Path folder = Files.createDirectories(Path.of("target/bench", UUID.randomUUID().toString()));
        List<String> options = List.of("--sandbox.latency-ms=" + latencyMs, "--sandbox.books=" + folder.resolve("books.ndjson"));
        try (JavaProcess sandbox = JavaProcess.of(SandboxApplication.class, options).jvm(List.of("-Xmx1g")).readyAt("sandbox:")
                .start(folder.resolve("sandbox.log"))) {
            String url = sandbox.awaitReady();
            ConfigurableApplicationContext application = SpringApplication.run(PaymentRoutesApplication.class,
                    "--payment-routes.data=" + folder.resolve("data"), "--sandbox.enabled=false", "--demo.enabled=false",
                    "--server.port=0", "--sandbox.url=" + url, "--providers.sandbox.workers=" + workers,
                    "--providers.sandbox.deadline-ms=10000", "--providers.sandbox.lease-ms=30000", "--logging.level.root=warn");
            try {
                JdbcTemplate database = application.getBean(JdbcTemplate.class);
                drain(database, WARM_UP);
                long cpuBefore = ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis();
                long sandboxBefore = sandbox.cpuMillis();
                double seconds = drain(database, PAYMENTS);
                long cpu = ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis() - cpuBefore;
                report(database, url, latencyMs, workers, seconds, cpu, sandbox.cpuMillis() - sandboxBefore);
            }
            finally {
                application.close();
            }
        }
    }

    private static double drain(JdbcTemplate database, int payments) {
        database.update("update provider set paused = true, paused_by = 'bench', paused_reason = 'backlog', paused_at = now()");
        String run = UUID.randomUUID().toString();
        for (int done = 0; done < payments; done += 1000) {
            database.update("""
                    insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider,
                                         account, amount_minor, currency, instruction)
                    select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
                            || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid,
                           'bench', ? || '-' || ? || '-' || i, 'bench', ? || '-' || ? || '-' || i, 'CHARGE', 'sandbox',
                           'sandbox-merchant', 1000 + i, 'EUR', '{"recipient": "tok"}'
                      from generate_series(1, ?) i""", run, done, run, done, Math.min(1000, payments - done));
        }
        Awaitility.await().atMost(Duration.ofMinutes(5)).until(() -> database.queryForObject(
                "select count(*) from event_outbox", Long.class) == 0);
        database.execute("analyze");
        long start = System.nanoTime();
        database.update("update provider set paused = false, paused_by = null, paused_reason = null, paused_at = null");
        Awaitility.await().atMost(Duration.ofMinutes(10)).pollInterval(Duration.ofMillis(50)).until(() -> database.queryForObject(
                "select count(*) from outbox", Long.class) == 0);
        return (System.nanoTime() - start) / 1e9;
    }

    private static void report(JdbcTemplate database, String url, int latencyMs, int workers, double seconds, long cpuMs,
            long sandboxCpuMs) throws Exception {
        long succeeded = database.queryForObject("select count(*) from payment where state = 'SUCCEEDED'", Long.class);
        long sum = database.queryForObject("select coalesce(sum(amount_minor), 0)::bigint from ledger_entry", Long.class);
        JsonNode totals = new ObjectMapper().readTree(HttpClient.newHttpClient().send(
                HttpRequest.newBuilder(URI.create(url + "/_money")).build(), HttpResponse.BodyHandlers.ofString()).body()).path("totals");
        System.out.printf("bench: latency=%d ms workers=%d payments=%d seconds=%.2f payments_per_second=%.0f"
                        + " app_cpu_us=%d sandbox_cpu_us=%d succeeded=%d moved=%d moved_twice=%d ledger_sum=%d%n",
                latencyMs, workers, PAYMENTS, seconds, PAYMENTS / seconds, cpuMs * 1000 / PAYMENTS, sandboxCpuMs * 1000 / PAYMENTS,
                succeeded, totals.path("moved").asLong(), totals.path("moved_twice").asLong(), sum);
        assertThat(succeeded).isEqualTo(PAYMENTS + WARM_UP);
        assertThat(totals.path("moved").asLong()).isEqualTo(PAYMENTS + WARM_UP);
        assertThat(totals.path("moved_twice").asLong()).isZero();
        assertThat(sum).isZero();
    }
}
