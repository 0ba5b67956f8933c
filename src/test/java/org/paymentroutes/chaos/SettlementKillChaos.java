package org.paymentroutes.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * {@code kill -9} from outside at random moments of settlement files. The first file is taken in undisturbed; the moments
 * lie within the time that it took, and only kills that hit an unfinished file count. Options:
 * {@code -Dchaos.settlement-kills=}, {@code -Dchaos.settlement-lines=}, {@code -Dchaos.seed=} to repeat the moments of a run.
 */
class SettlementKillChaos {

    @Test
    void eachLineIsBookedOnceHoweverOftenTheProcessIsKilled() throws Exception {
        int kills = Integer.getInteger("chaos.settlement-kills", 20);
        int lines = Integer.getInteger("chaos.settlement-lines", 100_000);
        long seed = Long.getLong("chaos.seed", System.currentTimeMillis());
        Random random = new Random(seed);
        System.out.println("chaos: settlement seed=" + seed + " kills=" + kills + " lines=" + lines);
        Path folder = Path.of("target/chaos", "settlement-" + UUID.randomUUID()).toAbsolutePath();
        try (SettlementVictim victim = new SettlementVictim(folder, "http://localhost:9")) {
            victim.node().start(null);
            victim.node().api();
            String batch = "b1x";
            victim.deliver(batch, lines);
            long begun = System.nanoTime();
            victim.judge(batch, lines);
            int undisturbedMs = (int) Duration.ofNanos(System.nanoTime() - begun).toMillis();
            int files = 1;
            int late = 0;
            for (int kill = 1; kill <= kills;) {
                if (victim.done(batch)) {
                    victim.judge(batch, lines);
                    batch = "b" + ++files + "x";
                    victim.deliver(batch, lines);
                }
                victim.node().child().awaitEnd(random.nextInt(undisturbedMs));
                victim.node().child().kill();
                if (victim.done(batch)) {
                    late++;
                }
                else {
                    kill++;
                }
                victim.node().start(null);
                victim.node().api();
            }
            victim.judge(batch, lines);
            System.out.println("chaos: settlement kills_in_the_middle=%d late=%d files=%d undisturbed_ms=%d, every line of each file booked once"
                    .formatted(kills, late, files, undisturbedMs));
        }
    }
}
