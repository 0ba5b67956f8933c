package org.paymentroutes.support;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Many payments of the provider {@code sandbox} at once, as their lives would have left them, and the settlement file about
 * them, as the sandbox writes it. One in a thousand is UNKNOWN with us and settled.
 */
public final class SettledPayments {

    private static final int FEE = 30;

    private SettledPayments() {
    }

    /** Adds payments {@code <batch>-1} to {@code <batch>-<count>}. Triggers are off: they would take a statement for each. */
    public static void add(Connection database, String batch, int count) throws SQLException {
        try (Statement sql = database.createStatement()) {
            sql.execute("set session_replication_role = replica");
            sql.execute("create temp table seed as select n, gen_random_uuid() as id, 1000 + (n::bigint * 7919) % 100000 as amount,"
                    + " n % 1000 = 0 as doubt, clock_timestamp() - interval '2 days' as at from generate_series(1, " + count + ") n");
            sql.execute("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,"
                    + " amount_minor, currency, accepted_at, state, version, attempts, first_sent_at, provider_payment_id, due_at)"
                    + " select id, 'bench', '" + batch + "-' || n, 'f', '" + batch + "-' || n, 'CHARGE', 'sandbox', 'sandbox-merchant', amount, 'EUR',"
                    + " at, case when doubt then 'UNKNOWN' else 'SUCCEEDED' end, 3, 1, at, case when not doubt then '" + batch + "-' || n end,"
                    + " clock_timestamp() + interval '1 day' from seed");
            sql.execute("insert into attempt (payment_id, attempt_no, provider_key, worker, started_at, lease_until)"
                    + " select id, 1, replace(id::text, '-', ''), 'bench', at, at from seed");
            sql.execute("insert into provider_payment select 'sandbox', 'sandbox-merchant', 'CHARGE', '" + batch + "-' || n, id from seed where not doubt");
            sql.execute("insert into outbox select id, 'sandbox', 'QUERY', clock_timestamp() + interval '1 day' from seed where doubt");
            sql.execute("insert into ledger_posting (event, fact, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)"
                    + " select 'PaymentRequested', id || ':1', id, 'sandbox', 'receivable', 'requested', amount, 'EUR', 'accepted', 'bench' from seed"
                    + " union all select case when doubt then 'PaymentInDoubt' else 'PaymentConfirmed' end, id || ':3', id, 'sandbox',"
                    + " case when doubt then 'in_doubt_in' else 'provider_clearing' end, 'receivable', amount, 'EUR', 'as it went', 'bench' from seed");
            sql.execute("drop table seed");
            sql.execute("set session_replication_role = origin");
            sql.execute("analyze");
        }
    }

    /** Writes the file of these payments beside the inbox and then moves it there as a whole. */
    public static void deliver(Connection database, String batch, Path inbox) throws SQLException, IOException {
        Files.createDirectories(inbox);
        Path file = inbox.resolveSibling(batch + ".csv");
        write(database, batch, file);
        Files.move(file, inbox.resolve(batch + ".csv"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Writes the file of these payments, with its totals. */
    public static void write(Connection database, String batch, Path file) throws SQLException, IOException {
        database.setAutoCommit(false);
        long gross = 0;
        long rows = 0;
        try (BufferedWriter out = Files.newBufferedWriter(file); Statement sql = database.createStatement()) {
            sql.setFetchSize(10_000);
            Instant to = Instant.now().minus(1, ChronoUnit.DAYS);
            out.write("#period," + to.minus(2, ChronoUnit.DAYS) + "," + to + "\nid,reference,kind,original,amount,currency,fee,net,booked_at\n");
            try (ResultSet row = sql.executeQuery("select provider_key, source_reference, amount_minor from payment where source_reference like '"
                    + batch + "-%'")) {
                while (row.next()) {
                    long amount = row.getLong(3);
                    gross += amount;
                    rows++;
                    out.write(row.getString(2) + "," + row.getString(1) + ",CHARGE,," + amount + ",EUR," + FEE + "," + (amount - FEE) + "," + to + "\n");
                }
            }
            out.write("TOTAL," + rows + ",,," + gross + ",EUR," + rows * FEE + "," + (gross - rows * FEE) + "," + to + "\n#end," + rows + "\n");
        }
        finally {
            database.setAutoCommit(true);
        }
    }
}
