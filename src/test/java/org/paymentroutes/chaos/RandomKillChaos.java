package org.paymentroutes.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.JavaProcess;

/**
 * {@code kill -9} from outside, at random moments, under load, some of them while the application starts. Options:
 * {@code -Dchaos.cycles=} kills, {@code -Dchaos.seed=} to repeat the moments of a run.
 */
class RandomKillChaos {

    private static final int SETTLE_EVERY = 10;
    private static final int PAYMENTS = 150;

    @Test
    void moneyMovesAtMostOnceAndNothingIsLostHoweverOftenTheProcessIsKilled() throws IOException {
        int cycles = Integer.getInteger("chaos.cycles", 50);
        long seed = Long.getLong("chaos.seed", System.currentTimeMillis());
        Random random = new Random(seed);
        Path folder = Path.of("target/chaos", "random-" + UUID.randomUUID()).toAbsolutePath();
        Caller caller = new Caller();
        EventLog events = new EventLog();
        ScheduledExecutorService killer = Executors.newSingleThreadScheduledExecutor();
        System.out.println("chaos: seed=" + seed + " cycles=" + cycles);
        try (Books books = Books.open(folder); Node node = new Node(folder.resolve("node"), "victim", books.url())) {
            node.start(null);
            node.api();
            events.drain(node);
            node.child().kill();
            for (int cycle = 1; cycle <= cycles; cycle++) {
                node.start(null);
                if (random.nextInt(5) == 0) {
                    node.child().awaitEnd(random.nextInt(8_000));
                    node.child().kill();
                }
                else if (node.child().becameReady()) {
                    JavaProcess victim = node.child();
                    killer.schedule(victim::killNow, random.nextInt(2_500), TimeUnit.MILLISECONDS);
                    caller.sendAgain(node);
                    caller.queueNew(node, "c" + cycle, 20);
                    caller.sendNew(node, "c" + cycle, PAYMENTS, 8);
                    assertThat(victim.awaitEnd(10_000)).isEqualTo(137);
                }
                if (cycle % SETTLE_EVERY == 0 || cycle == cycles) {
                    node.start(null);
                    judge(node, books, caller, events, cycle);
                    node.child().kill();
                }
            }
        }
        finally {
            killer.shutdownNow();
        }
    }

    private static void judge(Node node, Books books, Caller caller, EventLog events, int cycle) {
        caller.sendAgain(node);
        await().atMost(Duration.ofSeconds(120)).pollInterval(Duration.ofMillis(100)).until(() -> Verdict.settled(node, caller.onQueue().size()));
        events.drain(node);
        Verdict verdict = Verdict.of(node, books, caller);
        System.out.println("chaos: cycles=%d payments=%d states=%s moved_twice=%d lost=%d events=%d, repeated=%d".formatted(cycle,
                verdict.payments(), verdict.states(), verdict.movedTwice().size(), verdict.lost().size(), events.ids().size(),
                events.repeated()));
        assertThat(verdict.movedTwice()).isEmpty();
        assertThat(verdict.lost()).isEmpty();
        assertThat(verdict.broken()).isEmpty();
        assertThat(caller.unanswered()).isZero();
        assertThat(caller.contradictions()).isEmpty();
        assertThat(Verdict.eventsAgainstHistory(node, events.ids())).isEmpty();
    }
}
