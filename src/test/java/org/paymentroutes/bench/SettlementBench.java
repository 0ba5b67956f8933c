package org.paymentroutes.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.paymentroutes.PaymentRoutesApplication;
import org.paymentroutes.support.JavaProcess;
import org.paymentroutes.support.SettledPayments;
import org.postgresql.PGConnection;

/**
 * A settlement file against as many payments, through the real route of an application with 512 MB of heap: loaded, checked,
 * matched, booked, and all payments told. The time is compared with a plain COPY of the same file and one hash join, measured
 * in the same run, and with that of half the lines. {@code -Dbench.lines=} (1,000,000).
 */
class SettlementBench {

    private static final int LINES = Integer.getInteger("bench.lines", 1_000_000);

    @Test
    void booksAFile() throws Exception {
        Path folder = Files.createDirectories(Path.of("target/bench", UUID.randomUUID().toString())).toAbsolutePath();
        List<String> options = List.of("--payment-routes.data=" + folder.resolve("data"), "--sandbox.enabled=false",
                "--demo.enabled=false", "--server.port=0", "--providers.sandbox.url=http://localhost:9",
                "--payment-routes.settlement.stable=0s", "--payment-routes.settlement.interval-ms=100");
        // Away from the project's own folder of routes, which would be found beside those on the class path.
        try (JavaProcess application = JavaProcess.of(PaymentRoutesApplication.class, options).jvm(List.of("-Xmx512m")).in(folder)
                .start(folder.resolve("application.log"))) {
            await().atMost(Duration.ofMinutes(2)).ignoreExceptions().until(() -> number(folder, "select count(*) from provider where name = 'sandbox'") == 1);
            run(folder, "warm", 10_000);
            double half = run(folder, "half", LINES / 2);
            double whole = run(folder, "whole", LINES);
            double plain = plain(folder, "whole");
            System.out.printf("bench: settlement lines=%d seconds=%.1f lines_per_second=%.0f plain_copy_and_join_seconds=%.1f ratio=%.1f"
                    + " double_lines_ratio=%.2f heap=512m peak_rss_mb=%d%n", LINES, whole, LINES / whole, plain, whole / plain, whole / half,
                    application.peakMegabytes());
        }
        finally {
            stopServer(folder);
        }
    }

    private static double run(Path folder, String batch, int lines) throws Exception {
        try (Connection database = connection(folder)) {
            SettledPayments.add(database, batch, lines);
            SettledPayments.deliver(database, batch, folder.resolve("data/inbox/sandbox"));
        }
        String file = " from settlement_file where name like '" + batch + "%'";
        await().atMost(Duration.ofMinutes(60)).pollInterval(Duration.ofSeconds(2)).until(() -> {
            System.out.println("bench: " + batch + " " + text(folder, "select max(state || ' ' || line_count)" + file));
            return number(folder, "select count(*)" + file + " and state in ('BOOKED', 'REFUSED', 'REVIEW')") == 1;
        });
        assertThat(number(folder, "select count(*) from settlement_match where payment_id is not null and file_id = (select file_id" + file + ")"))
                .isEqualTo(lines);
        return Double.parseDouble(text(folder, "select extract(epoch from booked_at - received_at)" + file));
    }

    private static double plain(Path folder, String batch) throws Exception {
        Path file = folder.resolve("plain.csv");
        try (Connection database = connection(folder); Statement sql = database.createStatement()) {
            Path written = folder.resolve("written.csv");
            SettledPayments.write(database, batch, written);
            // COPY knows no comments.
            try (Stream<String> lines = Files.lines(written); PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
                lines.filter(line -> !line.startsWith("#") && !line.startsWith("TOTAL")).forEach(line -> out.print(line + "\n"));
            }
            sql.execute("create table plain (id text, reference text, kind text, original text, amount text, currency text, fee text, net text, at text)");
            long start = System.nanoTime();
            try (InputStream in = Files.newInputStream(file)) {
                database.unwrap(PGConnection.class).getCopyAPI().copyIn("copy plain from stdin (format csv, header)", in);
            }
            sql.execute("set enable_nestloop = off");
            sql.execute("set enable_mergejoin = off");
            try (ResultSet row = sql.executeQuery("select count(*) from plain l join payment p on p.provider_key = l.reference"
                    + " and p.amount_minor = l.amount::bigint")) {
                row.next();
                assertThat(row.getLong(1)).isEqualTo(LINES);
            }
            return (System.nanoTime() - start) / 1e9;
        }
    }

    private static long number(Path folder, String query) throws Exception {
        return Long.parseLong(text(folder, query));
    }

    private static String text(Path folder, String query) throws Exception {
        try (Connection database = connection(folder); Statement sql = database.createStatement(); ResultSet row = sql.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private static Connection connection(Path folder) throws IOException, SQLException {
        String port = Files.readAllLines(folder.resolve("data/postgres/postmaster.pid")).get(3).strip();
        return DriverManager.getConnection("jdbc:postgresql://localhost:" + port + "/postgres?user=postgres");
    }

    private static void stopServer(Path folder) throws IOException {
        Path postmaster = folder.resolve("data/postgres/postmaster.pid");
        if (Files.exists(postmaster)) {
            ProcessHandle.of(Long.parseLong(Files.readAllLines(postmaster).get(0).strip()))
                    .filter(server -> server.info().command().orElse("").contains("postgres")).ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
