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
import org.paymentroutes.support.SettledPayments;

/** A node that takes settlement files from its inbox while it is killed and started again, and what its books say in the end. */
final class SettlementVictim implements AutoCloseable {

    private final Node node;

    SettlementVictim(Path folder, String provider) {
        node = new Node(folder, "victim", provider, "--payment-routes.settlement.stable=0s", "--payment-routes.settlement.interval-ms=100", "--payment-routes.settlement-interval-ms=300");
    }

    Node node() {
        return node;
    }

    /** Makes payments and delivers the file about them. */
    void deliver(String batch, int lines) throws SQLException, IOException {
        try (Connection database = node.database()) {
            SettledPayments.add(database, batch, lines);
            SettledPayments.deliver(database, batch, node.folder().resolve("inbox/sandbox"));
        }
    }

    /** @return whether the newest file is booked and all payments are told */
    boolean done(String batch) {
        return number("select count(*) from settlement_file where name like '" + batch + "%' and state = 'BOOKED' and all_told") == 1;
    }

    /** Waits until the file is booked, then says whether each of its lines is booked once. */
    void judge(String batch, int lines) {
        await().atMost(Duration.ofMinutes(10)).pollInterval(Duration.ofMillis(200)).until(() -> done(batch));
        String file = "(select file_id from settlement_file where name like '" + batch + "%')";
        assertThat(number("select count(*) from settlement_line where file_id in " + file)).isEqualTo(lines);
        assertThat(number("select count(*) from settlement_match where payment_id is not null and file_id in " + file)).isEqualTo(lines);
        assertThat(number("select count(distinct payment_id) from settlement_match where file_id in " + file)).isEqualTo(lines);
        assertThat(number("select count(*) from ledger_posting p join settlement_match m on p.fact = 'settlement:' || m.file_id || ':' || m.line_no"
                + " where m.file_id in " + file)).as("an amount and a fee for each line").isEqualTo(2L * lines);
        assertThat(number("select count(*) from settlement_equation(" + file + ") where not holds")).isZero();
        assertThat(number("select count(*) from payment where source_reference like '" + batch + "-%' and state <> 'SUCCEEDED'")).isZero();
        assertThat(number("select coalesce(sum(case when debit_account = 'provider_clearing' then amount_minor else -amount_minor end), 0)"
                + " from ledger_posting p where 'provider_clearing' in (debit_account, credit_account) and exists (select from payment y"
                + " where y.payment_id = p.payment_id and y.source_reference like '" + batch + "-%')")).as("clearing").isZero();
    }

    private long number(String sql) {
        try (Connection database = node.database(); Statement statement = database.createStatement(); ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
        catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
