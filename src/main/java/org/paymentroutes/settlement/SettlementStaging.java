package org.paymentroutes.settlement;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import org.apache.camel.Exchange;
import org.paymentroutes.settlement.format.SettlementHeader;
import org.paymentroutes.settlement.format.SettlementLine;
import org.paymentroutes.settlement.format.SettlementReaders;
import org.paymentroutes.settlement.format.SettlementRefusedException;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Loads a settlement file into the database. The content decides which file it is, not its name. All lines are loaded in one
 * transaction that holds an advisory lock: a process that dies leaves no lines and no lock, and the next one begins again.
 */
@Component("settlementStaging")
public class SettlementStaging {

    private static final Logger LOG = LoggerFactory.getLogger(SettlementStaging.class);
    private static final int WHY_MAX = 2000;
    private static final int NAME_MAX = 255;

    private final SettlementDatabase database;
    private final SettlementReaders readers;
    private final SettlementPolicies policies;
    private final MeterRegistry metrics;

    SettlementStaging(SettlementDatabase database, SettlementReaders readers, SettlementPolicies policies, MeterRegistry metrics) {
        this.database = database;
        this.readers = readers;
        this.policies = policies;
        this.metrics = metrics;
    }

    /**
     * Stages the file whose path is the body, unpacked, for the provider of the variable {@code provider}, under the name of the
     * variable {@code settlementName}. Sets the variables {@code settlementFile} (its id), {@code settlementState} (STAGED, REFUSED,
     * or what an earlier delivery of the same content came to; STAGING while another process loads it) and
     * {@code settlementWhy} (why it is REFUSED, or null).
     *
     * @throws IOException when the file cannot be read, which says nothing about it
     */
    public void stage(Exchange exchange) throws IOException, SQLException {
        Path path = exchange.getMessage().getBody(Path.class);
        String provider = exchange.getVariable("provider", String.class);
        String name = exchange.getVariable("settlementName", String.class);
        long file = stage(provider, name.length() > NAME_MAX ? name.substring(name.length() - NAME_MAX) : name, path);
        database.jdbc().query("select state, refused_why from settlement_file where file_id = ?", row -> {
            exchange.setVariable("settlementFile", file);
            exchange.setVariable("settlementState", row.getString("state"));
            exchange.setVariable("settlementWhy", row.getString("refused_why"));
        }, file);
    }

    private long stage(String provider, String name, Path path) throws IOException, SQLException {
        String hash = hash(path);
        JdbcTemplate progress = database.jdbc();
        policies.register(provider);
        progress.update("insert into settlement_file (provider, format, name, content_hash, bytes) values (?, ?, ?, ?, ?)"
                + " on conflict (provider, content_hash) do nothing", provider, provider + "-settlement", name, hash, Files.size(path));
        long file = progress.queryForObject("select file_id from settlement_file where (provider, content_hash) = (?, ?)", Long.class,
                provider, hash);
        try (Connection connection = database.connection()) {
            connection.setAutoCommit(false);
            try {
                if (mine(connection, file)) {
                    load(connection, progress, provider, name, path, file);
                }
                connection.commit();
            }
            catch (SettlementRefusedException e) {
                connection.rollback();
                refuse(progress, file, e.getMessage());
            }
            finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
        return file;
    }

    /** @return whether the file is to be loaded, by nobody else: the lock ends with the transaction */
    private static boolean mine(Connection connection, long file) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select pg_try_advisory_xact_lock(hashtextextended('staging', ?))"
                + " and (select state in ('STAGING', 'REFUSED') and not exists (select from settlement_line l where l.file_id = f.file_id)"
                + " from settlement_file f where file_id = ?)")) {
            statement.setLong(1, file);
            statement.setLong(2, file);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    private void load(Connection connection, JdbcTemplate progress, String provider, String name, Path path, long file)
            throws IOException, SQLException {
        progress.queryForList("select settlement_reread(?)", file);
        Counter staged = metrics.counter("payments.settlement.lines", "provider", provider);
        CopyRows rows = new CopyRows(connection.unwrap(PGConnection.class).getCopyAPI(), file);
        long[] loaded = {0};
        SettlementHeader header;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(path), 1 << 16)) {
            header = readers.of(provider).read(in, name, line -> add(rows, line, progress, file, loaded, staged));
        }
        rows.end();
        try (PreparedStatement statement = connection.prepareStatement("update settlement_file set state = 'STAGED', period_from = ?,"
                + " period_to = ?, statement_id = ?, page_no = ?, last_page = ?, declared = ?::jsonb, line_count = ? where file_id = ?")) {
            statement.setObject(1, time(header.periodFrom()));
            statement.setObject(2, time(header.periodTo()));
            statement.setString(3, header.statementId());
            statement.setInt(4, header.pageNo());
            statement.setBoolean(5, header.lastPage());
            statement.setString(6, header.declaredJson());
            statement.setLong(7, loaded[0]);
            statement.setLong(8, file);
            statement.executeUpdate();
        }
        if (loaded[0] > CopyRows.CHUNK) {
            connection.createStatement().execute("analyze settlement_line");
        }
        LOG.info("Settlement file {} of {}: {} lines staged", file, provider, loaded[0]);
    }

    private static void add(CopyRows rows, SettlementLine line, JdbcTemplate progress, long file, long[] loaded, Counter staged) {
        try {
            boolean chunk = rows.add(line);
            loaded[0]++;
            if (chunk) {
                // Outside of the transaction that loads, so that everybody sees how far it is.
                progress.update("update settlement_file set line_count = ? where file_id = ?", loaded[0], file);
                staged.increment(CopyRows.CHUNK);
            }
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        catch (SQLException e) {
            throw new StagingFailedException(e);
        }
    }

    private static void refuse(JdbcTemplate progress, long file, String why) {
        progress.update("update settlement_file set state = 'REFUSED', refused_why = ?, line_count = 0 where file_id = ?",
                why.length() > WHY_MAX ? why.substring(0, WHY_MAX) : why, file);
        progress.queryForList("select settlement_refused(?)", file);
        LOG.warn("Settlement file {} is refused: {}", file, why);
    }

    private static OffsetDateTime time(Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    private static String hash(Path path) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (InputStream in = new DigestInputStream(Files.newInputStream(path), digest)) {
                in.transferTo(java.io.OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(digest.digest());
        }
        catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
