package org.paymentroutes.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What makes the zeros of the kill tests believable: the same harness, on an application that was broken on purpose,
 * reports money that moved twice; and what the schema refuses, it refuses.
 */
@Tag("kill")
class HarnessSeesDoublesIT {

    private static final String RESEND_WITHOUT_PROOF = """
            with due as materialized (
              select p.payment_id, p.attempts from payment p where p.state = 'UNKNOWN' limit 500 for update skip locked),
            allowed as (
              insert into resend_permit (payment_id, for_attempt, kind, granted_by, reason)
              select payment_id, attempts + 1, 'NOT_FOUND_FINAL', 'somebody', 'it is not there, surely' from due)
            update payment p set state = 'PENDING', reason = 'again', actor = :?node, due_at = clock_timestamp()
              from due where p.payment_id = due.payment_id
            returning p.payment_id::text as payment_id, p.provider
            """;

    private final Path folder = Path.of("target/chaos", "control-" + UUID.randomUUID()).toAbsolutePath();

    @Test
    void aRouteThatPostsTwiceIsSeen() throws IOException {
        String file = "routes/providers/sandbox.camel.yaml";
        String route = ours(file);
        int from = route.indexOf("        - bean:\n            id: sandbox-submit-request");
        int to = route.indexOf("        - setVariable:\n            id: sandbox-submit-answer");
        String once = route.substring(from, to);
        replace(file, route.substring(0, to) + once.replaceAll("(id: sandbox-submit-\\w+)", "$1-again") + route.substring(to));
        try (Books books = Books.open(folder); Node node = brokenNode(books)) {
            node.override(folder.resolve("broken"));
            node.start(null);
            Caller caller = new Caller();
            caller.sendOne(node, "twice", "ok");
            settle(node);
            // The webhook of the first request settles it while the second one is on its way.
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                Verdict verdict = Verdict.of(node, books, caller);
                assertThat(verdict.movedTwice()).hasSize(1);
                assertThat(verdict.broken()).contains("twice SUCCEEDED: 2 requests for 1 attempts");
            });
        }
    }

    @Test
    void aRecoveryThatSendsAgainWhatIsUnknownIsSeenAfterAKill() throws IOException, SQLException {
        replace("sql/give-up.sql", RESEND_WITHOUT_PROOF);
        try (Books books = Books.open(folder); Node node = brokenNode(books)) {
            node.override(folder.resolve("broken"));
            node.start(Failpoint.after("sandbox-post-send", 1));
            Caller caller = new Caller();
            caller.sendOne(node, "killed", "ok");
            assertThat(node.child().awaitEnd(60_000)).isEqualTo(137);
            // The server outlives its killed application. With this rule in place the schema refuses the recovery's permit.
            try (Connection database = node.database(); Statement statement = database.createStatement()) {
                statement.execute("alter table resend_permit disable trigger is_proven");
            }
            node.start(null);
            caller.sendAgain(node);
            settle(node);
            assertThat(Verdict.of(node, books, caller).movedTwice()).containsExactly("killed SUCCEEDED moved 2");
        }
    }

    @Test
    void aRecoveryThatTakesAnExpiredLeaseForUnsentIsRefusedByTheSchema() throws IOException, SQLException {
        String sql = ours("sql/expire-leases.sql");
        assertThat(sql).contains("set state = n.to_state");
        replace("sql/expire-leases.sql", sql.replace("set state = n.to_state", "set state = 'PENDING'"));
        try (Books books = Books.open(folder); Node node = brokenNode(books)) {
            node.override(folder.resolve("broken"));
            node.start(Failpoint.after("sandbox-post-send", 1));
            Caller caller = new Caller();
            caller.sendOne(node, "killed", "ok");
            assertThat(node.child().awaitEnd(60_000)).isEqualTo(137);
            node.start(null);
            caller.sendAgain(node);
            await().atMost(Duration.ofSeconds(60)).until(() -> Files.readString(folder.resolve("node/node.log"))
                    .contains("SUBMITTING -> PENDING needs a resend permit for the next attempt"));
            assertThat(state(node)).isEqualTo("SUBMITTING");
            assertThat(Verdict.of(node, books, caller).movedTwice()).isEmpty();
        }
    }

    /** Patient: a deadline that a slow machine misses would end a route before the step that is broken. */
    private Node brokenNode(Books books) {
        return new Node(folder.resolve("node"), "broken", books.url(),
                "--providers.sandbox.deadline-ms=5000", "--providers.sandbox.lease-ms=6000");
    }

    private static String state(Node node) throws SQLException {
        try (Connection database = node.database(); ResultSet row = database.createStatement().executeQuery("select state from payment")) {
            row.next();
            return row.getString(1);
        }
    }

    private static void settle(Node node) {
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100)).until(() -> Verdict.settled(node, 0));
    }

    private static String ours(String file) {
        try (var in = HarnessSeesDoublesIT.class.getClassLoader().getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void replace(String file, String content) throws IOException {
        Path target = folder.resolve("broken").resolve(file);
        Files.createDirectories(target.getParent());
        Files.writeString(target, content);
    }
}
