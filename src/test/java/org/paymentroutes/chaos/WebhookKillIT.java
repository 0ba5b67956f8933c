package org.paymentroutes.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The process that takes webhooks is killed before an event is stored, before its 2xx leaves and between what it proves
 * and its effect; then two processes on one database are told the same at the same time. The provider moved the money,
 * closed the connection and tells it by webhook alone, again and again until 2xx. Each event is applied once.
 */
@Tag("kill")
class WebhookKillIT {

    private static final int PAYMENTS = 5;
    private static final String[] PATIENT = {"--providers.sandbox.deadline-ms=5000", "--providers.sandbox.lease-ms=10000",
        "--providers.sandbox.quiet-ms=600000", "--providers.sandbox.query-delays-ms=600000,600000,600000", "--providers.sandbox.time-limit-ms=3600000"};
    private static final Path FOLDER = Path.of("target/chaos", "webhooks-" + UUID.randomUUID()).toAbsolutePath();

    /**
     * @param failpoint where the process ends
     * @param left      what is true of the stopped data, so that the kill was where it is meant to be
     */
    private record Kill(Failpoint failpoint, String left) {
    }

    private static final String STORED = "select count(*) from webhook_event e join webhook_work using (webhook_id)";
    private static final String RECORDED = STORED + " where exists (select from evidence v where v.source = 'WEBHOOK'"
            + " and convert_from(e.body, 'UTF8') like '%\"' || (select provider_key from payment p where p.payment_id = v.payment_id) || '\"%')";

    private static final List<Kill> KILLS = List.of(
            new Kill(Failpoint.before("webhook-receive-store", 2), null),
            new Kill(Failpoint.before("webhook-receive-taken", 2), STORED),
            new Kill(Failpoint.after("webhook-apply-record", 1), RECORDED),
            new Kill(Failpoint.after("webhook-apply-reverse", 1), STORED + " where convert_from(e.body, 'UTF8') like '%charged_back%'"
                    + " and (select count(*) from reversal) > 0"));

    private static Books books;
    private static Node node;
    private static final Caller CALLER = new Caller();
    private static final EventSender SENDER = new EventSender();

    @BeforeAll
    static void start() {
        books = Books.open(FOLDER);
        node = new Node(FOLDER.resolve("node"), "victim", books.url(), PATIENT);
        node.start(null);
        node.api();
    }

    @AfterAll
    static void stop() {
        node.close();
        books.close();
    }

    @Test
    void eachEventIsAppliedOnceWhereverTheProcessIsKilled() throws SQLException {
        for (Kill kill : KILLS) {
            tellOfNewPayments();
            node.child().tell(kill.failpoint().toString());
            await(kill.toString()).atMost(Duration.ofSeconds(60)).until(() -> {
                SENDER.send(List.of(node));
                return !node.child().alive();
            });
            assertThat(node.child().awaitEnd(1_000)).as(kill.toString()).isEqualTo(137);
            if (kill.left() != null) {
                assertThat(number(kill.left())).as(kill.toString()).isPositive();
            }
            // What the dead process had taken up is due again after half a minute; the test does not wait for that.
            change("update webhook_work set due_at = clock_timestamp()");
            node.start(null);
            node.api();
        }
        judge(List.of(node));
    }

    @Test
    void twoProcessesThatAreToldTheSameAtTheSameTimeApplyItOnce() throws SQLException, IOException {
        try (Node other = Node.beside(node, FOLDER.resolve("other"), "other", books.url(), PATIENT)) {
            other.start(null);
            other.api();
            for (int i = 0; i < 4; i++) {
                tellOfNewPayments();
                judge(List.of(node, other));
            }
            assertThat(number("select count(distinct received_by) from webhook_event")).isEqualTo(2);
        }
    }

    /** Of each payment: its success, the same fact under another id, and of some that the money came back. */
    private static void tellOfNewPayments() throws SQLException {
        String group = UUID.randomUUID().toString().substring(0, 8);
        for (int i = 0; i < PAYMENTS; i++) {
            CALLER.sendOne(node, group + "-" + i, "close_paid");
        }
        String ours = " from payment where source_reference like '" + group + "-%'";
        await().atMost(Duration.ofSeconds(60)).until(() -> number("select count(*)" + ours + " and state = 'UNKNOWN'") == PAYMENTS);
        try (Connection database = node.database(); Statement statement = database.createStatement();
                ResultSet row = statement.executeQuery("select provider_key, amount_minor" + ours)) {
            while (row.next()) {
                String key = row.getString(1);
                SENDER.tell("e1-" + key, "payment.succeeded", key, row.getLong(2));
                SENDER.tell("e2-" + key, "payment.succeeded", key, row.getLong(2));
                if (row.isFirst() || row.isLast()) {
                    SENDER.tell("e0-" + key, "payment.charged_back", key, row.getLong(2));
                }
            }
        }
    }

    private static void judge(List<Node> nodes) throws SQLException {
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            SENDER.send(nodes);
            return SENDER.taken(nodes) == SENDER.events();
        });
        await().atMost(Duration.ofSeconds(60)).until(() -> number("select count(*) from webhook_work") == 0 && Verdict.settled(node, 0));
        Verdict verdict = Verdict.of(node, books, CALLER);
        assertThat(verdict.lost()).isEmpty();
        assertThat(verdict.broken()).isEmpty();
        assertThat(verdict.movedTwice()).isEmpty();
        assertThat(verdict.states()).containsOnlyKeys("SUCCEEDED");
        List<Long> payments = new ArrayList<>();
        for (String once : List.of("transition where to_state = 'SUCCEEDED'", "evidence where source = 'WEBHOOK'",
                "ledger_posting where event = 'PaymentConfirmed'", "webhook_effect where effect = 'RECORDED'",
                "webhook_effect where effect = 'KNOWN'")) {
            payments.add(number("select count(distinct payment_id) from " + once));
            payments.add(number("select count(*) from " + once));
        }
        assertThat(payments).containsOnly((long) verdict.payments());
        assertThat(number("select count(*) from webhook_event")).isEqualTo(SENDER.events());
        for (String once : List.of("webhook_effect where effect = 'REVERSAL'", "reversal", "ledger_posting where fact like 'reversal:%'")) {
            assertThat(number("select count(*) from " + once)).as(once).isEqualTo(SENDER.events() - 2L * verdict.payments());
            assertThat(number("select count(distinct payment_id) from " + once)).as(once).isEqualTo(SENDER.events() - 2L * verdict.payments());
        }
        System.out.println("webhooks: payments=" + verdict.payments() + " events=" + SENDER.events());
    }

    private static long number(String sql) throws SQLException {
        try (Connection database = node.database(); Statement statement = database.createStatement(); ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void change(String sql) throws SQLException {
        try (Connection database = node.database(); Statement statement = database.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
