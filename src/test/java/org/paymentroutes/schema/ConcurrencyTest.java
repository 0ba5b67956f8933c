package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.AtOnce;
import org.paymentroutes.support.Books;
import org.paymentroutes.support.Payments;
import org.paymentroutes.support.Refused;
import org.springframework.dao.DataAccessException;

/** Many workers on the same payments: one executor each, and no statement that waits for ever or breaks a rule. */
class ConcurrencyTest extends SchemaTest {

    @Test
    void eachOfFourHundredPaymentsIsClaimedOnce() throws Exception {
        claimedOnce(400, 16);
    }

    @RepeatedTest(20)
    void eachPaymentIsClaimedOnceHoweverSmallTheRace() throws Exception {
        claimedOnce(24, 3);
    }

    private static void claimedOnce(int count, int batch) throws Exception {
        Payments payments = new Payments(database, provider());
        for (int i = 0; i < count; i++) {
            payments.accepted();
        }
        Queue<Object> claimed = new ConcurrentLinkedQueue<>();
        AtOnce.onEach(8, () -> {
            // A claim that skips rows locked by others may come back empty: only the count says that all are taken.
            while (claimed.size() < count) {
                payments.claim(batch).forEach(row -> claimed.add(row.get("payment_id")));
            }
            return null;
        });
        assertThat(claimed).hasSize(count).doesNotHaveDuplicates();
        assertThat(database.jdbc().queryForObject("select count(*) from attempt join payment p using (payment_id) where p.provider = ?",
                Integer.class, payments.provider())).isEqualTo(count);
        Books.hold(database.jdbc(), "claimed");
    }

    @Test
    void recorderLeasesRecoveryAndQueriesMeetOnTheSamePaymentsWithoutHarm() throws Exception {
        Payments payments = new Payments(database, provider());
        payments.contract("lease_ms", 1);
        payments.contract("quiet_ms", 0);
        payments.contract("backoff_base_ms", 1);
        payments.contract("backoff_cap_ms", 1);
        payments.contract("send_time_limit_ms", 3000);
        database.jdbc().update("update provider set query_delays_ms = '{1}' where name = ?", payments.provider());
        payments.operation("PAYOUT", "same_key = true, key_lifetime_ms = 86400000, key_margin_ms = 0, resend_max = 100,"
                + " retry_codes = '{AGAIN}', retry_max = 100, retry_delay_ms = 0");
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            ids.add(payments.accepted());
        }
        AtomicInteger retried = new AtomicInteger();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        List<Runnable> workers = List.of(
                () -> payments.claim(8),
                () -> recordSome(payments, ids),
                () -> recordSome(payments, ids),
                () -> database.run("expire-leases", Map.of("node", "n")),
                () -> database.run("give-up", Map.of("node", "n")),
                () -> payments.claimQueries(8),
                () -> payments.claim(8),
                () -> database.run("resend", Map.of("node", "n")),
                () -> recordSome(payments, ids));
        AtomicInteger next = new AtomicInteger();
        AtOnce.onEach(workers.size(), () -> {
            Runnable worker = workers.get(next.getAndIncrement());
            while (System.nanoTime() < end) {
                try {
                    worker.run();
                }
                catch (DataAccessException e) {
                    // A deadlock may be chosen as a victim and repeated; nothing else may come of a race.
                    assertThat(Refused.by(Refused.refusal(e))).as(e.getMessage()).isEqualTo("40P01");
                    retried.incrementAndGet();
                }
            }
            return null;
        });
        Books.hold(database.jdbc(), "after the race");
        assertThat(retried.get()).as("deadlocks: the lock order is payment, then outbox").isZero();
        assertThat(database.jdbc().queryForObject("select count(*) from evidence join payment p using (payment_id) where p.provider = ?",
                Integer.class, payments.provider())).isPositive();
    }

    @SuppressWarnings("unchecked")
    private static void recordSome(Payments payments, List<UUID> ids) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Map<String, Object>[] rows = random.ints(8, 0, ids.size()).mapToObj(ids::get)
                .filter(id -> payments.value(id, "attempts", Integer.class) > 0)
                .map(id -> {
                    int attempt = payments.value(id, "attempts", Integer.class);
                    return switch (random.nextInt(12)) {
                        case 0 -> Payments.answer(id, attempt, "SUCCEEDED");
                        case 1, 2, 3, 4, 5 -> Payments.answer(id, attempt, "NOT_EXECUTED");
                        case 6 -> Payments.with(Payments.query(id, attempt, "REJECTED"), "code", random.nextBoolean() ? "AGAIN" : null);
                        case 8 -> Payments.told(id, "WEBHOOK", random.nextInt(20) == 0 ? "SUCCEEDED" : "REJECTED", "fact " + random.nextInt(100000));
                        case 9 -> Payments.with(Payments.query(id, attempt, "UNREACHABLE"), "http_status", 429);
                        case 7 -> Payments.query(id, attempt, "ACCEPTED");
                        default -> Payments.query(id, attempt, "NOT_FOUND");
                    };
                }).toArray(Map[]::new);
        payments.record(rows);
    }

    private static String provider() {
        return "p" + UUID.randomUUID().toString().substring(0, 8);
    }

    @Test
    void aNewPaymentWaitsForWhatIsBeingRecordedOfAFailedOneBeforeIt() throws Exception {
        Payments payments = new Payments(database, provider());
        UUID failed = payments.accepted("PAYOUT", 500, "EUR", "paid late");
        payments.claimed(failed);
        payments.record(Payments.answer(failed, 1, "REJECTED"));
        UUID again = UUID.randomUUID();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<?> asked = database.transaction().execute(status -> {
                payments.record(Payments.told(failed, "WEBHOOK", "SUCCEEDED", "late success"));
                // The late success is not committed yet: the new payment must not pass it.
                Future<?> accepted = thread.submit(() -> payments.accept(again, "caller", again.toString(), "PAYOUT", 500, "EUR", "paid late"));
                await().until(() -> accepted.isDone() || database.jdbc().queryForObject(
                        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()", Integer.class) > 0);
                return accepted;
            });
            Throwable refusal = catchThrowable(asked::get);
            assertThat(refusal).isNotNull();
            assertThat(Refused.by(Refused.refusal(refusal))).isEqualTo("PR008");
        }
        finally {
            thread.shutdown();
        }
        assertThat(payments.claim(5)).isEmpty();
        assertThat(payments.accept(again, "caller", again.toString(), "PAYOUT", 500, "EUR", "paid late")).containsEntry("result", "OBLIGATION_OPEN");
    }

    @Test
    void aRetryWaitsForWhatIsBeingRecordedOfAnEarlierPaymentForTheSame() throws Exception {
        Payments payments = new Payments(database, provider());
        payments.operation("PAYOUT", "retry_codes = '{NO_FUNDS}', retry_max = 2, retry_delay_ms = 0, resend_max = 1");
        UUID first = refused(payments, "");
        UUID second = refused(payments, "NO_FUNDS");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<?> resent = database.transaction().execute(status -> {
                payments.record(Payments.told(first, "WEBHOOK", "SUCCEEDED", "late success"));
                Future<?> resend = thread.submit(() -> database.run("resend", Map.of("node", "node")));
                await().until(() -> resend.isDone() || database.jdbc().queryForObject(
                        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()", Integer.class) > 0);
                return resend;
            });
            resent.get();
        }
        finally {
            thread.shutdown();
        }
        assertThat(payments.state(second)).isEqualTo("FAILED");
    }

    private static UUID refused(Payments payments, String code) {
        UUID id = payments.accepted("PAYOUT", 500, "EUR", "refused and made");
        payments.claimed(id);
        payments.record(Payments.with(Payments.answer(id, 1, "REJECTED"), "code", code));
        return id;
    }
}
