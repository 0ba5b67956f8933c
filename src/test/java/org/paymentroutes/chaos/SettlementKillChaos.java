package org.paymentroutes.chaos;

import java.nio.file.Path;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * {@code kill -9} from outside at random moments of settlement files. Options: {@code -Dchaos.settlement-kills=},
 * {@code -Dchaos.settlement-lines=}, {@code -Dchaos.seed=} to repeat the moments of a run.
 */
class SettlementKillChaos {

    private static final int MOMENTS_MS = 20_000;

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
            int files = 0;
            int inTheMiddle = 0;
            String batch = null;
            for (int kill = 1; kill <= kills; kill++) {
                if (batch == null || victim.done(batch)) {
                    if (batch != null) {
                        victim.judge(batch, lines);
                    }
                    batch = "b" + ++files + "x";
                    victim.deliver(batch, lines);
                }
                victim.node().child().awaitEnd(random.nextInt(MOMENTS_MS));
                inTheMiddle += victim.done(batch) ? 0 : 1;
                victim.node().child().kill();
                victim.node().start(null);
                victim.node().api();
            }
            victim.judge(batch, lines);
            System.out.println("chaos: settlement kills=%d files=%d in_the_middle=%d, every line of each file booked once".formatted(kills, files, inTheMiddle));
        }
    }
}
