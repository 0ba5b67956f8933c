package org.paymentroutes.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two nodes on one database. One of them stands still for longer than its lease, in the worst places, while the other
 * one goes on; then it wakes up and finishes what it had begun.
 */
@Tag("kill")
class ZombieWorkerIT {

    private final Path folder = Path.of("target/chaos", "zombie-" + UUID.randomUUID()).toAbsolutePath();

    @Test
    void aWorkerThatSleptPastItsLeaseSendsNothingTwiceAndChangesNothingThatOthersDecided() throws SQLException, IOException {
        Caller caller = new Caller();
        EventLog events = new EventLog();
        try (Books books = Books.open(folder); Node sleeper = new Node(folder.resolve("sleeper"), "sleeper", books.url())) {
            sleeper.start(null);
            sleeper.api();
            events.drain(sleeper);
            try (Node other = Node.beside(sleeper, folder.resolve("other"), "other", books.url())) {
                other.start(null);
                other.api();
                sleepAndWakeUp(sleeper, other, caller, Failpoint.after("attempt-sandbox-begins", 3).stops());
                sleepAndWakeUp(sleeper, other, caller, Failpoint.before("sandbox-post-send", 3).stops());
                sleepAndWakeUp(sleeper, other, caller, Failpoint.after("sandbox-post-send", 3).stops());
                sleepAndWakeUp(sleeper, other, caller, Failpoint.before("record-statement-sql", 2).stops());
            }
            Verdict verdict = Verdict.of(sleeper, books, caller);
            System.out.println("zombie: payments=" + verdict.payments() + " states=" + verdict.states());
            assertThat(verdict.movedTwice()).isEmpty();
            assertThat(verdict.lost()).isEmpty();
            assertThat(verdict.broken()).isEmpty();
            assertThat(caller.contradictions()).isEmpty();
            assertThat(count(sleeper, "select count(*) from transition where from_state in ('SUCCEEDED', 'FAILED')")).isZero();
            assertThat(count(sleeper, "select count(*) from evidence where source = 'LEASE'")).isPositive();
            assertThat(count(sleeper, "select count(*) from attempt where worker = 'other'")).isPositive();
        }
    }

    private static void sleepAndWakeUp(Node sleeper, Node other, Caller caller, Failpoint failpoint) throws SQLException {
        sleeper.child().tell(failpoint.toString());
        caller.sendNew(sleeper, "zombie", 12, 6);
        await().atMost(Duration.ofSeconds(60)).until(() -> sleeper.child().stopped());
        caller.sendNew(other, "meanwhile", 6, 3);
        await("the other node takes the leases of the sleeping one for over").atMost(Duration.ofSeconds(60))
                .until(() -> count(other, sleeper, "select count(*) from payment where state in ('SUBMITTING', 'PENDING')") == 0);
        sleeper.child().signal("CONT");
        caller.sendAgain(sleeper);
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100)).until(() -> Verdict.settled(sleeper, caller.onQueue().size()));
    }

    private static int count(Node asked, Node database, String sql) throws SQLException {
        assertThat(asked.child().alive()).isTrue();
        return count(database, sql);
    }

    private static int count(Node node, String sql) throws SQLException {
        try (Connection database = node.database(); ResultSet row = database.createStatement().executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }
}
