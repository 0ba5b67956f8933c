package org.paymentroutes.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.paymentroutes.chaos.Failpoints.Point;

/**
 * The application as a child process ends by {@code kill -9} at every failpoint, one after the other on the same data;
 * each restart is also the run that the next failpoint ends. The provider is another process, never killed, whose books
 * count each request, and which would move money for each. Money moves at most once, nothing promised is lost.
 */
@Tag("kill")
class KillMinusNineIT {

    private static final int PAYMENTS = 30;

    @Test
    void moneyMovesAtMostOnceAndNothingIsLostWhereverTheProcessIsKilled() throws IOException {
        Path folder = Path.of("target/chaos", "kill-" + UUID.randomUUID()).toAbsolutePath();
        List<String> table = new ArrayList<>();
        Caller caller = new Caller();
        EventLog events = new EventLog();
        try (Books books = Books.open(folder); Node node = new Node(folder.resolve("node"), "victim", books.url())) {
            node.start(null);
            node.api();
            events.drain(node);
            boolean fresh = true;
            for (int i = 0; i < Failpoints.ALL.size(); i++) {
                Point point = Failpoints.ALL.get(i);
                long started = System.nanoTime();
                if (!fresh) {
                    node.start(point.atStart() ? point.failpoint() : null);
                }
                fresh = false;
                int code = point.atStart() ? node.child().awaitEnd(60_000) : killWhileRunning(node, caller, point, i);
                table.add("| %s | %s | %d ms |".formatted(point.name(), code == 137 ? "killed" : "NOT REACHED, " + code,
                        (System.nanoTime() - started) / 1_000_000));
                System.out.println(table.get(table.size() - 1));
                if (node.child().alive()) {
                    node.child().kill();
                }
            }
            node.start(null);
            caller.sendAgain(node);
            await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100)).until(() -> Verdict.settled(node, caller.onQueue().size()));
            events.drain(node);
            Verdict verdict = Verdict.of(node, books, caller);
            table.add("kills=%d payments=%d states=%s moved_twice=%d lost=%d events=%d, repeated=%d".formatted(Failpoints.ALL.size(),
                    verdict.payments(), verdict.states(), verdict.movedTwice().size(), verdict.lost().size(), events.ids().size(),
                    events.repeated()));
            System.out.println(table.get(table.size() - 1));
            Files.write(Path.of("target/chaos/kill-9.md"), table);

            assertThat(table).noneMatch(line -> line.contains("NOT REACHED"));
            assertThat(verdict.movedTwice()).isEmpty();
            assertThat(verdict.lost()).isEmpty();
            assertThat(verdict.broken()).isEmpty();
            assertThat(caller.unanswered()).isZero();
            assertThat(caller.contradictions()).isEmpty();
            assertThat(Verdict.eventsAgainstHistory(node, events.ids())).isEmpty();
        }
    }

    private static int killWhileRunning(Node node, Caller caller, Point point, int i) {
        node.api();
        caller.sendAgain(node);
        caller.sendNew(node, "k" + i, 6, 3);
        node.child().tell(point.failpoint().toString());
        if (point.failpoint().target().startsWith("intake-jms")) {
            caller.queueNew(node, "k" + i, PAYMENTS - 6);
        }
        else {
            caller.sendNew(node, "k" + i, PAYMENTS - 6, 4);
        }
        return node.child().awaitEnd(60_000);
    }
}
