package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.Payments;

/** Which conditions become alerts, when they end, and that each is published once. */
class AlertTest extends OneProviderTest {

    @BeforeEach
    void forgetsWhatOthersDid() {
        database.withoutRules(jdbc -> jdbc.update("update alert set cleared_at = now(), cleared_by = 'test', sent_at = now(), cleared_sent_at = now()"));
    }

    @Test
    void anUnknownThatIsTooOldIsOneAlertUntilItIsResolved() {
        List<UUID> ids = List.of(payments.in("UNKNOWN"), payments.in("UNKNOWN"));
        notice(60, 0);
        assertThat(open("UNKNOWN_OLD")).isEmpty();
        database.withoutRules(jdbc -> ids.forEach(id ->
                jdbc.update("update payment set state_since = now() - interval '2 minutes' where payment_id = ?", id)));
        notice(60, 0);
        notice(60, 0);
        assertThat(open("UNKNOWN_OLD")).singleElement().satisfies(alert -> {
            assertThat(alert.get("subject")).isEqualTo("acme");
            assertThat((String) alert.get("detail")).startsWith("2 payments");
            assertThat(alert.get("occurrences")).isEqualTo(1);
        });
        ids.forEach(id -> payments.record(Payments.query(id, 1, "SUCCEEDED")));
        notice(60, 0);
        assertThat(open("UNKNOWN_OLD")).isEmpty();
    }

    @Test
    void deadLettersAndLateTasksAreNoticed() {
        UUID late = payments.accepted();
        database.withoutRules(jdbc -> jdbc.update("update outbox set due_at = now() - interval '1 hour' where payment_id = ?", late));
        notice(3600, 3);
        assertThat(open("DEAD_LETTERS")).extracting(row -> row.get("detail")).containsExactly("3 messages");
        assertThat(open("OUTBOX_STUCK")).extracting(row -> row.get("subject")).contains("acme/SEND");
        database.withoutRules(jdbc -> jdbc.update("update outbox set due_at = now() where payment_id = ?", late));
        notice(3600, 0);
        assertThat(open("DEAD_LETTERS")).isEmpty();
        assertThat(open("OUTBOX_STUCK")).isEmpty();
    }

    @Test
    void anOrphanAndAConflictAreNoticed() {
        UUID id = payments.in("UNKNOWN");
        notice(3600, 0);
        assertThat(open("ORPHAN_FOUND")).hasSize(1);
        payments.record(Payments.with(Payments.query(id, 1, "AMBIGUOUS"), "mismatch", "amount"));
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
        assertThat(open("STATE_CONFLICT")).extracting(row -> row.get("subject")).contains(id.toString());
    }

    @Test
    void booksThatDifferFromThePaymentsAreNoticedAndStay() {
        payments.in("SUCCEEDED");
        totals();
        assertThat(open("LEDGER_OFF")).isEmpty();
        UUID id = payments.in("SUCCEEDED");
        database.withoutRules(jdbc -> jdbc.update("update ledger_posting set amount_minor = amount_minor + 1 where payment_id = ?"
                + " and event = 'PaymentConfirmed'", id));
        totals();
        assertThat(open("LEDGER_OFF")).extracting(row -> row.get("subject")).contains("provider_clearing/EUR");
        database.withoutRules(jdbc -> jdbc.update("update ledger_posting set amount_minor = amount_minor - 1 where payment_id = ?"
                + " and event = 'PaymentConfirmed'", id));
        totals();
        assertThat(open("LEDGER_OFF")).isNotEmpty();
    }

    @Test
    void aClockThatDiffersByMoreThanTheRoundTripExplainsIsNoticed() {
        clock(100_000, 103_000, 103_100);
        assertThat(open("CLOCK_SKEW")).singleElement().satisfies(alert -> assertThat((String) alert.get("detail"))
                .isEqualTo("the node is 3050 ms ahead of the database, give or take 50"));
        clock(100_000, 99_900, 100_100);
        assertThat(open("CLOCK_SKEW")).isEmpty();
        // It took ten seconds to answer: nobody can say.
        clock(100_000, 95_000, 105_000);
        clock(100_000, 98_000, 108_000);
        assertThat(open("CLOCK_SKEW")).isEmpty();
        clock(100_000, 90_000, 90_100);
        assertThat(open("CLOCK_SKEW")).hasSize(1);
    }

    @Test
    void aClockThatIsFarAwayIsNoticedAsSuch() {
        clock(100_000, 129_000, 129_200);
        assertThat(open("CLOCK_JUMP")).isEmpty();
        clock(1_000_000, 100_000, 100_200);
        assertThat(open("CLOCK_JUMP")).singleElement().satisfies(alert -> assertThat((String) alert.get("detail")).contains("behind"));
        clock(100_000, 100_000, 100_200);
        assertThat(open("CLOCK_JUMP")).isEmpty();
        assertThat(open("CLOCK_SKEW")).isEmpty();
    }

    @Test
    void eachAlertIsPublishedOnceWhenRaisedAndOnceWhenOver() {
        database.jdbc().queryForList("select raise_alert('CONTRACT_REFUSED', 'acme', 'CRITICAL', 'lease shorter than the deadline')");
        Map<String, Object> raised = claimed().get(0);
        assertThat(raised.get("happened")).isEqualTo("RAISED");
        assertThat((String) raised.get("message")).contains("\"kind\" : \"CONTRACT_REFUSED\"", "\"action\" : \"Correct its YAML file");
        // Not marked: as after a crash, it comes again with the same id.
        assertThat(claimed().get(0).get("message_id")).isEqualTo(raised.get("message_id"));
        sent(raised);
        assertThat(claimed()).isEmpty();
        database.jdbc().queryForList("select raise_alert('CONTRACT_REFUSED', 'acme', 'CRITICAL', 'again')");
        assertThat(claimed()).isEmpty();
        assertThat(open("CONTRACT_REFUSED")).extracting(row -> row.get("occurrences")).containsExactly(2);
        database.jdbc().queryForList("select clear_alert('CONTRACT_REFUSED', 'acme', 'test')");
        Map<String, Object> over = claimed().get(0);
        assertThat(over.get("happened")).isEqualTo("CLEARED");
        sent(over);
        assertThat(claimed()).isEmpty();
    }

    @Test
    void everyKindThatIsRaisedAnywhereSaysWhatItMeansAndWhatToDo() throws IOException {
        Set<String> raised = new TreeSet<>();
        for (Path folder : List.of(Path.of("src/main/resources/db/migration"), Path.of("src/main/resources/sql"))) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Pattern.compile("raise_alert\\('([A-Z_]+)'").matcher(Files.readString(file)).results().forEach(found -> raised.add(found.group(1)));
                }
            }
        }
        assertThat(raised).contains("STATE_CONFLICT", "EXPOSURE", "DOUBLE_PAY");
        assertThat(database.jdbc().queryForList("select kind from alert_kind", String.class)).containsAll(raised);
    }

    @Test
    void oneNodeAtATimeLooksAndPublishes() {
        database.jdbc().queryForList("select raise_alert('DOUBLE_PAY', 'x', 'CRITICAL', 'two ids')");
        assertThat(claimed()).hasSize(1);
        assertThat(database.run("claim-alerts", Map.of("node", "other"))).isEmpty();
    }

    @Test
    void whatWasNoticedNeverChanges() {
        database.jdbc().queryForList("select raise_alert('DOUBLE_PAY', 'y', 'CRITICAL', 'two ids')");
        refused("PR001", () -> database.jdbc().update("update alert set detail = 'nothing' where kind = 'DOUBLE_PAY'"));
        refused("PR001", () -> database.jdbc().update("delete from alert"));
        Long id = database.jdbc().queryForObject("select max(alert_id) from alert", Long.class);
        assertThat(acknowledged(id, "anna")).contains("\"acknowledgedBy\" : \"anna\"");
        assertThat(acknowledged(id, "bert")).contains("\"acknowledgedBy\" : \"anna\"");
    }

    private static String acknowledged(Long id, String who) {
        return (String) database.run("alert-acknowledge", Map.of("alertId", id.toString(), "actor", who, "note", "on it")).get(0).get("document");
    }

    private static void notice(int unknownAge, long deadLetters) {
        database.run("notice-conditions", Map.of("node", "node", "unknownAge", unknownAge, "outboxLag", 600,
                "deadLetters", deadLetters));
    }

    private static void totals() {
        database.run("notice-totals", Map.of("node", "node", "interval", 300_000));
    }

    private static void clock(long databaseAt, long askedAt, long answeredAt) {
        database.run("notice-clock", Map.of("node", "node", "databaseAt", databaseAt, "askedAt", askedAt, "answeredAt", answeredAt,
                "limit", 2000, "jump", 30_000));
    }

    private static List<Map<String, Object>> claimed() {
        return database.run("claim-alerts", Map.of("node", "node"));
    }

    private static void sent(Map<String, Object> row) {
        database.jdbc().update(Database.jdbcText("alert-sent").replace(":happened", "'" + row.get("happened") + "'")
                .replace(":alertId", row.get("alert_id").toString()));
    }

    private static List<Map<String, Object>> open(String kind) {
        return database.jdbc().queryForList("select * from alert where kind = ? and cleared_at is null order by alert_id", kind);
    }
}
