package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.Payments;
import org.paymentroutes.support.TestClock;

/** The clock of the tests moves all time that the schema and the statements compute with. */
class MovableClockTest {

    @Test
    void everythingThatIsDueLaterBecomesDue() {
        try (Database database = Database.createWithMovableClock()) {
            TestClock clock = new TestClock(database.jdbc());
            Payments payments = new Payments(database, "acme");
            UUID id = payments.in("UNKNOWN");
            assertThat(payments.claimQueries(10)).isEmpty();
            clock.advance(Duration.ofSeconds(110));
            assertThat(payments.claimQueries(10)).isEmpty();
            clock.advance(Duration.ofSeconds(11));
            assertThat(payments.claimQueries(10)).hasSize(1);
            payments.record(Payments.query(id, 1, "SUCCEEDED"));
            assertThat(database.jdbc().queryForObject("select at - accepted_at between interval '121 s' and interval '140 s' from transition"
                    + " join payment using (payment_id) where payment_id = ? and to_state = 'SUCCEEDED'", Boolean.class, id)).isTrue();
            assertThat(database.jdbc().queryForObject("select count(*) from information_schema.tables where table_schema = 'test_clock'", Integer.class)).isZero();
        }
    }
}
