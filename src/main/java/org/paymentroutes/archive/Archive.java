package org.paymentroutes.archive;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import javax.sql.DataSource;
import org.paymentroutes.support.NamedSql;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Copies closed cases and dead letters that are old enough into compressed files with a manifest. Nothing is removed from
 * the database. Safe to run at any time, on any node, and again after a crash.
 */
@Component("archive")
public class Archive {

    private static final Logger LOG = LoggerFactory.getLogger(Archive.class);
    private static final List<String> KINDS = List.of("review-case", "dead-letter");
    /** Rows of one kind in one file. */
    private static final int ROWS_MAX = 50_000;
    private static final int FETCH = 500;

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final Path folder;
    private final int days;
    private final String node;

    Archive(DataSource source, @Value("${payment-routes.archive.folder}") Path folder, @Value("${payment-routes.archive.days}") int days,
            @Value("${payment-routes.node}") String node) {
        this.jdbc = new JdbcTemplate(source);
        this.jdbc.setFetchSize(FETCH);
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(source));
        this.folder = folder;
        this.days = days;
        this.node = node;
    }

    /**
     * Writes all that is planned, then plans and writes until there is nothing left to archive.
     *
     * @return how many archives were written
     * @throws UncheckedIOException when a file cannot be written; what is planned is written by the next run
     */
    public int run() {
        int written = 0;
        do {
            while (Boolean.TRUE.equals(transaction.execute(status -> writeOne()))) {
                written++;
            }
        }
        while (plan());
        return written;
    }

    private boolean plan() {
        return Boolean.TRUE.equals(transaction.execute(status -> {
            // One node plans at a time; the others find nothing left.
            jdbc.queryForList("select pg_advisory_xact_lock(hashtext('payment-routes.archive'))");
            List<Map<String, Object>> rows = new NamedParameterJdbcTemplate(jdbc).queryForList(NamedSql.load("archive-plan"),
                    Map.of("days", days, "rows", ROWS_MAX));
            jdbc.batchUpdate("insert into archived (archive_id, kind, id) values (?, ?, ?)", rows.stream()
                    .map(row -> new Object[] {row.get("archive_id"), row.get("kind"), row.get("id")}).toList());
            return !rows.isEmpty();
        }));
    }

    private boolean writeOne() {
        List<Map<String, Object>> planned = jdbc.queryForList("select archive_id, to_char(closed_before at time zone 'UTC',"
                + " 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') as closed_before from archive where written_at is null order by archive_id limit 1"
                + " for update skip locked");
        if (planned.isEmpty()) {
            return false;
        }
        long archive = ((Number) planned.get(0).get("archive_id")).longValue();
        try {
            Files.createDirectories(folder);
            List<ArchiveManifest.Entry> entries = new ArrayList<>();
            for (String kind : KINDS) {
                entries.addAll(write(archive, kind));
            }
            String name = name(archive) + ".json";
            byte[] manifest = new ArchiveManifest(1, archive, (String) planned.get(0).get("closed_before"), entries).toJson();
            String sha256 = DurableFile.write(folder.resolve(name), out -> out.write(manifest));
            jdbc.update("update archive set written_at = clock_timestamp(), written_by = ?, manifest = ?, manifest_sha256 = ?"
                    + " where archive_id = ?", node, name, sha256, archive);
            LOG.info("Archive {}: {}", name, entries.stream().map(entry -> entry.lines() + " of " + entry.kind()).toList());
            return true;
        }
        catch (IOException e) {
            throw new UncheckedIOException("archive " + archive + " cannot be written to " + folder, e);
        }
    }

    private List<ArchiveManifest.Entry> write(long archive, String kind) throws IOException {
        Long[] ids = jdbc.queryForObject("select min(id), max(id), count(*) from archived where archive_id = ? and kind = ?",
                (row, n) -> new Long[] {row.getLong(1), row.getLong(2), row.getLong(3)}, archive, kind);
        if (ids[2] == 0) {
            return List.of();
        }
        Path file = folder.resolve(name(archive) + "-" + kind + ".ndjson.gz");
        String sha256 = DurableFile.write(file, out -> {
            GZIPOutputStream zipped = new GZIPOutputStream(out);
            jdbc.query(NamedSql.load("archive-" + kind), row -> {
                write(zipped, new ArchiveLine(row.getLong(1), row.getString(2)));
            }, archive);
            zipped.finish();
        });
        ArchiveManifest.Entry entry = new ArchiveManifest.Entry(kind, file.getFileName().toString(), sha256, Files.size(file),
                ids[2].intValue(), ids[0], ids[1]);
        jdbc.update("insert into archive_file (archive_id, kind, name, sha256, bytes, lines, first_id, last_id) values (?, ?, ?, ?, ?, ?, ?, ?)",
                archive, kind, entry.name(), sha256, entry.bytes(), entry.lines(), entry.firstId(), entry.lastId());
        return List.of(entry);
    }

    private static void write(OutputStream out, ArchiveLine line) {
        try {
            out.write((line.text() + "\n").getBytes(StandardCharsets.UTF_8));
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(long archive) {
        return "archive-%06d".formatted(archive);
    }
}
