package org.paymentroutes.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The process that takes a settlement file is killed while it loads, between its steps and while it books: each line is booked once. */
@Tag("kill")
class SettlementKillIT {

    private static final int LINES = 1_000;

    @Test
    void eachLineIsBookedOnceWhereverTheProcessIsKilled() throws Exception {
        Path folder = Path.of("target/chaos", "settlement-" + UUID.randomUUID()).toAbsolutePath();
        try (SettlementVictim victim = new SettlementVictim(folder, "http://localhost:9")) {
            victim.node().start(null);
            victim.node().api();
            victim.deliver("warm", 10);
            victim.judge("warm", 10);
            for (Failpoint point : List.of(Failpoint.during("settlement-stage-load", 1, 60), Failpoint.after("settlement-stage-load", 1),
                    Failpoint.during("settlement-process-book", 1, 60), Failpoint.after("settlement-process-book", 1))) {
                String batch = "b" + UUID.randomUUID().toString().substring(0, 8);
                victim.node().child().tell(point.toString());
                victim.deliver(batch, LINES);
                assertThat(victim.node().child().awaitEnd(60_000)).as(point.toString()).isEqualTo(137);
                victim.node().start(null);
                victim.node().api();
                victim.judge(batch, LINES);
            }
        }
    }
}
