package org.paymentroutes.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.paymentroutes.support.Refused.refused;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paymentroutes.support.AtOnce;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.Payments;
import org.paymentroutes.support.TestClock;

/** What is old and closed is in one archive, once, also after a crash; and an archive that is damaged says where. */
class ArchiveTest {

    @TempDir
    Path folder;
    private Database database;
    private TestClock clock;
    private Payments payments;
    private Archive archive;

    @BeforeEach
    void open() {
        database = Database.createWithMovableClock();
        clock = new TestClock(database.jdbc());
        payments = new Payments(database, "acme");
        archive = new Archive(database.jdbc().getDataSource(), folder, 30, "node");
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void cases(int closed, int open) {
        for (int i = 0; i < closed + open; i++) {
            UUID id = payments.in("REVIEW");
            if (i < closed) {
                payments.record(Payments.query(id, 1, "SUCCEEDED"));
            }
        }
    }

    private void deadLetters(int count) {
        for (int i = 0; i < count; i++) {
            database.jdbc().update("insert into dead_letter (fact, queue, problem, reason) values (?, 'payments.requests', 'malformed-request', 'ü')",
                    "message-" + UUID.randomUUID());
        }
    }

    private List<String> restored() {
        List<String> rows = new ArrayList<>();
        for (Path manifest : files(".json")) {
            new ArchiveReader(manifest).read((kind, line) -> rows.add(kind + " " + line.id()));
        }
        return rows;
    }

    private List<Path> files(String ending) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
        }
        catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private int count(String table) {
        return database.jdbc().queryForObject("select count(*) from " + table, Integer.class);
    }

    @Test
    void onlyWhatIsClosedAndOldEnoughIsArchivedAndStaysInTheBooks() {
        cases(3, 2);
        deadLetters(2);
        assertThat(archive.run()).isZero();
        clock.advance(Duration.ofDays(32));
        cases(1, 0);
        assertThat(archive.run()).isEqualTo(1);
        assertThat(restored()).hasSize(5).filteredOn(row -> row.startsWith("review-case")).hasSize(3);
        assertThat(count("review_case")).isEqualTo(6);
        assertThat(count("dead_letter")).isEqualTo(2);
        assertThat(count("archived")).isEqualTo(5);
        assertThat(archive.run()).isZero();
        clock.advance(Duration.ofDays(31));
        assertThat(archive.run()).isEqualTo(1);
        assertThat(restored()).hasSize(6).doesNotHaveDuplicates();
        assertThat(files(".tmp")).isEmpty();
    }

    @Test
    void aRowIsRestoredAsItWas() {
        cases(1, 0);
        clock.advance(Duration.ofDays(32));
        archive.run();
        List<String> rows = new ArrayList<>();
        new ArchiveReader(files(".json").get(0)).read((kind, line) -> rows.add(line.row()));
        assertThat(rows).singleElement().asString().contains("\"category\": \"RECEIPT_MISSING\"", "\"amountMinor\": 500", "\"closed_by\": \"node\"");
        assertThat(database.jdbc().queryForObject("select ?::jsonb @> to_jsonb(c) from review_case c", Boolean.class, rows.get(0))).isTrue();
    }

    @Test
    void aCrashBetweenTheFileAndTheCommitLeadsToOneArchive() throws IOException {
        cases(3, 0);
        clock.advance(Duration.ofDays(32));
        database.jdbc().execute("create function crash() returns trigger language plpgsql as $$ begin raise exception 'crash'; end $$");
        database.jdbc().execute("create trigger crash before update on archive for each row execute function crash()");
        assertThatThrownBy(() -> archive.run()).hasStackTraceContaining("crash");
        assertThat(files(".json")).hasSize(1);
        assertThat(count("archive_file")).isZero();
        byte[] before = Files.readAllBytes(files(".gz").get(0));
        Files.writeString(folder.resolve(files(".gz").get(0).getFileName() + ".tmp"), "half a file of a process that died");

        database.jdbc().execute("drop trigger crash on archive");
        clock.advance(Duration.ofDays(2));
        assertThat(archive.run()).isEqualTo(1);
        assertThat(files("")).hasSize(2);
        assertThat(Files.readAllBytes(files(".gz").get(0))).isEqualTo(before);
        assertThat(restored()).hasSize(3).doesNotHaveDuplicates();
        assertThat(database.jdbc().queryForObject("select manifest from archive", String.class)).isEqualTo(files(".json").get(0).getFileName().toString());
    }

    @Test
    void twoNodesArchiveEachRowOnce() throws Exception {
        cases(20, 0);
        deadLetters(20);
        clock.advance(Duration.ofDays(32));
        Archive other = new Archive(database.jdbc().getDataSource(), folder, 30, "other");
        AtOnce.all(2, List.<Callable<Integer>>of(archive::run, other::run));
        assertThat(restored()).hasSize(40).doesNotHaveDuplicates();
        assertThat(count("archived")).isEqualTo(40);
    }

    @Test
    void theCommandPrintsAllRowsOrEndsWithAMessage() {
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        PrintStream told = new PrintStream(messages, true, StandardCharsets.UTF_8);
        deadLetters(3);
        clock.advance(Duration.ofDays(32));
        archive.run();
        String manifest = files(".json").get(0).toString();

        assertThat(RestoreApplication.restore(manifest, new PrintStream(rows, false, StandardCharsets.UTF_8), told)).isZero();
        assertThat(rows.toString(StandardCharsets.UTF_8).lines()).hasSize(3).allMatch(line -> line.startsWith("{\"kind\":\"dead-letter\",\"id\":") && line.contains("ü"));
        assertThat(messages.toString(StandardCharsets.UTF_8)).isEqualToNormalizingNewlines("3 rows, all as they were archived\n");

        messages.reset();
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        assertThat(RestoreApplication.restore(manifest, new PrintStream(full, false, StandardCharsets.UTF_8), told)).isEqualTo(1);
        assertThat(messages.toString(StandardCharsets.UTF_8)).contains("could not all be printed");
        messages.reset();
        assertThat(RestoreApplication.restore(manifest + "x", new PrintStream(rows), told)).isEqualTo(1);
        assertThat(messages.toString(StandardCharsets.UTF_8)).contains("there is no such file");
    }

    @Test
    void aDamagedArchiveIsRefusedByFileAndLine() throws IOException {
        cases(5, 0);
        clock.advance(Duration.ofDays(32));
        archive.run();
        Path manifest = files(".json").get(0);
        Path file = files(".gz").get(0);
        byte[] good = Files.readAllBytes(file);
        List<String> lines = new String(new GZIPInputStream(Files.newInputStream(file)).readAllBytes(), StandardCharsets.UTF_8).lines().toList();

        zip(file, changed(lines, 2, lines.get(2).replace("\"EUR\"", "\"USD\"")));
        damaged(manifest, file + ", line 3: its row is not the one that was archived");
        zip(file, changed(lines, 3, "{\"id\":4}"));
        damaged(manifest, file + ", line 4: is not a line of an archive");
        zip(file, changed(lines, 3, lines.get(2)));
        damaged(manifest, file + ", line 4: row");
        zip(file, lines.subList(0, 4));
        damaged(manifest, file + ", line 4: is the last one, and there must be 5");
        byte[] cut = java.util.Arrays.copyOf(good, good.length / 2);
        Files.write(file, cut);
        damaged(manifest, file + ", line ");
        byte[] flipped = good.clone();
        flipped[good.length - 3] ^= 1;
        Files.write(file, flipped);
        damaged(manifest, file + ", line ");
        Files.write(file, good);
        assertThat(new ArchiveReader(manifest).read((kind, line) -> { })).isEqualTo(5);
        Files.delete(file);
        damaged(manifest, file + ", line 1: cannot be read");
        Files.writeString(manifest, "{}");
        damaged(manifest, "Manifest " + manifest);
        Files.writeString(manifest, "{\"format\":1,\"files\":[{}]}");
        damaged(manifest, "Manifest " + manifest + ": cannot be read: a file is without its kind, name or checksum");
        Files.delete(manifest);
        damaged(manifest, "Manifest " + manifest + ": cannot be read: there is no such file");
    }

    private static List<String> changed(List<String> lines, int index, String line) {
        List<String> changed = new ArrayList<>(lines);
        changed.set(index, line);
        return changed;
    }

    private static void zip(Path file, List<String> lines) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zipped = new GZIPOutputStream(bytes)) {
            zipped.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
        }
        Files.write(file, bytes.toByteArray());
    }

    private static void damaged(Path manifest, String message) {
        List<String> given = new ArrayList<>();
        assertThatThrownBy(() -> new ArchiveReader(manifest).read((kind, line) -> given.add(line.row())))
                .isInstanceOf(ArchiveReader.DamagedArchiveException.class).hasMessageContaining(message);
        assertThat(given).as("nothing is given out of a damaged archive").isEmpty();
    }

    @Test
    void noStatementArchivesWhatIsOpenOrRewritesAnArchive() {
        cases(1, 1);
        clock.advance(Duration.ofDays(32));
        archive.run();
        refused("PR014", () -> database.jdbc().update("with a as (insert into archive (closed_before) values (now()) returning archive_id)"
                + " insert into archived (kind, id, archive_id) select 'review-case', case_id, archive_id from review_case, a where closed_at is null"));
        refused("archived_pkey", () -> database.jdbc().update("insert into archived select * from archived"));
        refused("PR001", () -> database.jdbc().update("update archive set manifest = 'other' where written_at is not null"));
        refused("PR001", () -> database.jdbc().update("update archive_file set sha256 = repeat('0', 64)"));
        refused("PR001", () -> database.jdbc().update("delete from archived"));
        refused("PR001", () -> database.jdbc().update("delete from archive"));
    }
}
