package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import java.io.StringReader;
import java.sql.Connection;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.Payments;
import org.postgresql.PGConnection;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;

/** Nothing is deleted or rewritten, however a statement puts it. */
class AppendOnlyTest extends OneProviderTest {

    private static UUID id;

    @BeforeAll
    static void aPaymentWithAHistory() {
        id = payments.accepted();
        payments.claimed(id);
        payments.record(Payments.answer(id, 1, "NOT_EXECUTED"));
        payments.claimed(id);
        payments.record(Payments.with(Payments.answer(id, 2, "SUCCEEDED"), "provider_payment_id", "P-1"));
        payments.record(Payments.query(id, 2, "REJECTED"));
    }

    static Stream<String> histories() {
        return Stream.of("attempt", "evidence", "resend_permit", "transition", "ledger_posting", "payment", "review_case",
                "provider_payment", "legal_transition", "ledger_position", "ledger_account", "currency");
    }

    @ParameterizedTest
    @MethodSource("histories")
    void nothingIsDeletedOrTruncated(String table) {
        refused("PR001", () -> database.jdbc().update("delete from " + table));
        refused("PR001", () -> database.jdbc().update("delete from " + table + " where false"));
        refused("PR001", () -> database.jdbc().update("truncate " + table + " cascade"));
    }

    @ParameterizedTest
    @CsvSource({"attempt,worker", "evidence,reason", "resend_permit,reason", "transition,reason", "ledger_posting,reason",
            "review_case,reason", "provider_payment,payment_id", "legal_transition,why", "ledger_position,account",
            "ledger_account,description", "currency,code"})
    void nothingIsRewritten(String table, String column) {
        String other = column.equals("payment_id") ? "gen_random_uuid()" : "'other'";
        refused("PR001", () -> database.jdbc().update("update " + table + " set " + column + " = " + other));
        refused("PR001", () -> database.jdbc().update("merge into " + table + " t using (select 1) s on true when matched then update set "
                + column + " = " + other));
    }

    @Test
    void noUpsertRewritesHistory() {
        refused("PR001", () -> database.jdbc().update("insert into resend_permit select * from resend_permit"
                + " on conflict (payment_id, for_attempt) do update set kind = 'TWO_PEOPLE'"));
        refused("PR001", () -> database.jdbc().update("insert into provider_payment select * from provider_payment"
                + " on conflict (provider, account, operation, provider_payment_id) do update set payment_id = gen_random_uuid()"));
        refused("PR001", () -> database.jdbc().update("insert into evidence (payment_id, attempt_no, source, verdict, reason, recorded_by)"
                + " values (?, 1, 'ANSWER', 'SUCCEEDED', 'r', 'r') on conflict (payment_id, attempt_no) where source = 'ANSWER'"
                + " do update set verdict = 'SUCCEEDED'", id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"insert into legal_transition values ('SUCCEEDED', 'PENDING', 'a route says so')",
            "insert into ledger_position values ('CHARGE', 'ELSEWHERE', 'bank')",
            "insert into ledger_account values ('pocket', 'ASSET', 'mine')",
            "insert into currency values ('ABC', 0)",
            "update currency set exponent = 0 where code = 'EUR'"})
    void noStatementChangesWhatTheRulesAreBuiltOn(String attack) {
        refused("PR001", () -> database.jdbc().update(attack));
    }

    @Test
    void historyIsWrittenByTheRulesOnly() {
        refused("PR002", () -> database.jdbc().update("insert into transition (payment_id, version, from_state, to_state, reason, actor, at)"
                + " values (?, 99, 'UNKNOWN', 'PENDING', 'r', 'r', now())", id));
        refused("PR002", () -> database.jdbc().execute((ConnectionCallback<Long>) connection -> copy(connection,
                "copy transition (payment_id, version, from_state, to_state, reason, actor, at) from stdin",
                id + "\t99\tUNKNOWN\tPENDING\tr\tr\tnow\n")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"delete from outbox", "update outbox set due_at = 'infinity'", "update outbox set task = 'SEND'", "truncate outbox",
            "insert into outbox select payment_id, provider, 'SEND', now() from payment on conflict (payment_id) do update set task = 'SEND'",
            "merge into outbox q using payment p on q.payment_id = p.payment_id when matched then delete"})
    void theOutboxIsWrittenByTheRulesOnly(String attack) {
        payments.accepted();
        refused("PR002", () -> database.jdbc().update(attack));
    }

    @ParameterizedTest
    @ValueSource(strings = {"event_outbox", "review_outbox"})
    void aMessageLeavesByItsNumberAndByTheNodeThatPublishedIt(String outbox) {
        payments.in("REVIEW");
        String turn = outbox.startsWith("event") ? "events" : "review";
        String no = outbox.startsWith("event") ? "event_no" : "message_no";
        database.jdbc().update("update node_lease set holder = 'a' where name = ?", turn);
        long before = count(outbox);
        refused("PR001", () -> database.jdbc().update("truncate " + outbox));
        refused("PR001", () -> database.jdbc().update("update " + outbox + " set " + (turn.equals("events") ? "reversal_id = null" : "what = 'CLOSED'")));
        refused("PR002", () -> database.jdbc().update("delete from " + outbox));
        refused("PR002", () -> database.jdbc().update("delete from " + outbox + " where " + no + " = (select min(" + no + ") from " + outbox + ")"));
        refused("PR002", () -> database.jdbc().update("update node_lease set holder = 'b', done = array(select " + no + " from " + outbox
                + ") where name = ?", turn));
        refused("PR002", () -> database.jdbc().update("update node_lease set done = '{1}' where name = 'alerts'"));
        assertThat(count(outbox)).isEqualTo(before).isPositive();

        long first = database.jdbc().queryForObject("select min(" + no + ") from " + outbox, Long.class);
        if (turn.equals("events")) {
            done("events-sent", Map.of("body", "[" + first + "]", "node", "b"));
            assertThat(count(outbox)).as("another node has the turn").isEqualTo(before);
            done("events-sent", Map.of("body", "[" + first + "]", "node", "a"));
        }
        else {
            done("review-message-sent", Map.of("messageNo", first, "node", "a"));
        }
        assertThat(count(outbox)).isEqualTo(before - 1);
        assertThat(count("node_lease where done is not null")).isZero();
    }

    private static void done(String statement, Map<String, ?> parameters) {
        new NamedParameterJdbcTemplate(database.jdbc()).update(Database.jdbcText(statement), parameters);
    }

    private static long count(String rows) {
        return database.jdbc().queryForObject("select count(*) from " + rows, Long.class);
    }

    @Test
    void copiedRowsObeyTheSameRules() {
        refused("PR004", () -> database.jdbc().execute((ConnectionCallback<Long>) connection -> copy(connection,
                "copy attempt (payment_id, attempt_no, provider_key, worker, lease_until) from stdin",
                payments.accepted() + "\t1\tkey\tw\tnow\n")));
        refused("PR005", () -> database.jdbc().execute((ConnectionCallback<Long>) connection -> copy(connection,
                "copy resend_permit (payment_id, for_attempt, kind, granted_by, reason) from stdin",
                payments.in("UNKNOWN") + "\t2\tSAME_KEY\tr\tr\n")));
    }

    private static long copy(Connection connection, String statement, String rows) throws java.sql.SQLException {
        try {
            return connection.unwrap(PGConnection.class).getCopyAPI().copyIn(statement, new StringReader(rows));
        }
        catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
