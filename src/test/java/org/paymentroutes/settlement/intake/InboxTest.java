package org.paymentroutes.settlement.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.builder.TemplatedRouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paymentroutes.settlement.format.SettlementContract;

/** The inbox as the template runs it, over folders and archives; the database is a stand-in that knows contents. */
class InboxTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private Path inbox;
    private final List<CamelContext> nodes = new ArrayList<>();
    private final List<String> contents = new CopyOnWriteArrayList<>();
    private final Map<String, Long> files = new ConcurrentHashMap<>();
    private volatile boolean databaseIsAway;
    private volatile Runnable whileStaged = () -> { };

    @BeforeEach
    void makeFolder() throws IOException {
        inbox = Files.createDirectories(folder.resolve("inbox/prov"));
    }

    @AfterEach
    void stop() {
        nodes.forEach(CamelContext::stop);
    }

    private void start(int stableMs, Map<String, String> parameters) throws Exception {
        DefaultCamelContext camel = new DefaultCamelContext();
        Properties options = new Properties();
        options.putAll(Map.of("payment-routes.settlement.inbox", folder.resolve("inbox").toString(),
                "payment-routes.settlement.interval-ms", "50"));
        camel.getPropertiesComponent().setInitialProperties(options);
        camel.getRegistry().bind("settlementStableFiles", new StableFiles(Duration.ofMillis(stableMs)));
        camel.getRegistry().bind("settlementInbox", new SettlementInbox(folder.resolve("work"), 50 << 20));
        for (String file : List.of("routes/core/policies.camel.yaml", "routes/templates/settlement.camel.yaml")) {
            PluginHelper.getRoutesLoader(camel).loadRoutes(PluginHelper.getResourceLoader(camel).resolveResource("file:" + file));
        }
        camel.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                from("direct:settlement-stage").process(exchange -> {
                    if (databaseIsAway) {
                        throw new IllegalStateException("database is away");
                    }
                    String content = new String(Files.readAllBytes(exchange.getMessage().getBody(Path.class)), StandardCharsets.ISO_8859_1);
                    whileStaged.run();
                    boolean fresh = files.putIfAbsent(content, files.size() + 1L) == null;
                    boolean broken = content.startsWith("broken") || content.startsWith("PK") || content.startsWith("\u001f");
                    exchange.setVariable("settlementFile", files.get(content));
                    exchange.setVariable("settlementState", broken ? "REFUSED" : fresh ? "STAGED" : "BOOKED");
                    exchange.setVariable("settlementWhy", broken ? "Line 2, column gross: found 'x', allowed an amount." : null);
                    if (fresh && !broken) {
                        contents.add(content);
                    }
                });
                from("direct:settlement-process").process(exchange -> exchange.setVariable("settlementState", "BOOKED"));
            }
        });
        TemplatedRouteBuilder instance = TemplatedRouteBuilder.builder(camel, "settlement").parameter("provider", "prov")
                .routeId("settlement-prov").prefixId("settlement-prov-");
        parameters.forEach(instance::parameter);
        instance.add();
        camel.getShutdownStrategy().setTimeout(5);
        camel.start();
        nodes.add(camel);
    }

    private void deliver(String name, byte[] content) throws IOException {
        Files.write(inbox.resolve(name), content);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<String> names(String sub) {
        Path path = sub.isEmpty() ? inbox : inbox.resolve(sub);
        if (!Files.isDirectory(path)) {
            return List.of();
        }
        try (Stream<Path> list = Files.list(path)) {
            return list.filter(Files::isRegularFile).map(file -> file.getFileName().toString()).sorted().toList();
        }
        catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private String reasons() {
        return names("rejected").stream().filter(name -> name.endsWith(".reason.txt")).map(name -> {
            try {
                return Files.readString(inbox.resolve("rejected").resolve(name));
            }
            catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }).reduce("", String::concat);
    }

    private void settles(int done, int rejected) {
        await().atMost(LONG).untilAsserted(() -> {
            assertThat(names("")).isEmpty();
            assertThat(names("done")).hasSize(done);
            assertThat(names("rejected")).hasSize(rejected);
        });
    }

    @Test
    void aFileIsTakenOnceWhateverItIsCalled() throws Exception {
        start(0, Map.of());
        deliver("a day.csv", bytes("one"));
        settles(1, 0);
        deliver("a day.csv", bytes("one"));
        settles(2, 0);
        deliver("renamed.csv", bytes("one"));
        settles(3, 0);
        assertThat(contents).containsExactly("one");
        assertThat(names("done")).allMatch(name -> name.startsWith("1-")).anyMatch(name -> name.endsWith("-a_day.csv"));
        await().atMost(LONG).until(() -> Files.list(folder.resolve("work")).findAny().isEmpty());
    }

    @Test
    void aRefusedFileLiesBesideItsReason() throws Exception {
        start(0, Map.of());
        deliver("bad.csv", bytes("broken"));
        settles(0, 2);
        List<String> names = names("rejected");
        assertThat(names.get(1)).isEqualTo(names.get(0) + ".reason.txt");
        assertThat(Files.readString(inbox.resolve("rejected").resolve(names.get(1)))).contains("Line 2, column gross: found 'x'", "bad.csv");
    }

    @Test
    void aFileStaysWhileTheDatabaseIsAway() throws Exception {
        databaseIsAway = true;
        start(0, Map.of());
        deliver("day.csv", bytes("one"));
        await().during(Duration.ofMillis(500)).atMost(LONG).untilAsserted(() -> assertThat(names("")).containsExactly("day.csv"));
        databaseIsAway = false;
        settles(1, 0);
        assertThat(contents).containsExactly("one");
    }

    @Test
    void aFileThatIsStillWrittenWaits() throws Exception {
        start(700, Map.of());
        Path file = inbox.resolve("slow.csv");
        StringBuilder whole = new StringBuilder();
        // As a copy that keeps the old time of its source.
        for (int i = 0; i < 12; i++) {
            Files.writeString(file, "row " + i + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
            whole.append("row ").append(i).append('\n');
            await().pollDelay(Duration.ofMillis(100)).until(() -> true);
        }
        settles(1, 0);
        assertThat(contents).containsExactly(whole.toString());
    }

    @Test
    void aFileThatGrowsWhileItIsReadIsReadAgain() throws Exception {
        whileStaged = () -> {
            try {
                whileStaged = () -> { };
                Files.writeString(inbox.resolve("day.csv"), "two", StandardOpenOption.APPEND);
            }
            catch (IOException e) {
                throw new IllegalStateException(e);
            }
        };
        start(0, Map.of());
        deliver("day.csv", bytes("one"));
        settles(1, 0);
        assertThat(contents).containsExactly("one", "onetwo");
    }

    @Test
    void aDoneFileTellsThatAFileIsComplete() throws Exception {
        start(0, Map.of("doneFile", "${file:name}.done"));
        deliver("day.csv", bytes("one"));
        deliver("other.part", bytes("two"));
        await().during(Duration.ofMillis(400)).atMost(LONG).untilAsserted(() -> assertThat(contents).isEmpty());
        deliver("day.csv.done", bytes(""));
        await().atMost(LONG).untilAsserted(() -> assertThat(names("done")).hasSize(1));
        assertThat(names("")).containsExactly("other.part");
    }

    @Test
    void twoNodesOnOneFolderLoseNothing() throws Exception {
        start(0, Map.of());
        start(0, Map.of());
        for (int i = 0; i < 30; i++) {
            deliver("file-" + i + ".csv", bytes("content " + i));
        }
        settles(30, 0);
        assertThat(contents).hasSize(30).doesNotHaveDuplicates();
    }

    @Test
    void archivesAreUnpackedByContentNotByName() throws Exception {
        start(0, Map.of());
        deliver("packed.csv", gzip(bytes("one")));
        deliver("packed.zip", zip(Map.of("inner.csv", bytes("two"))));
        deliver("plain.gz", bytes("three"));
        settles(3, 0);
        assertThat(contents).containsExactlyInAnyOrder("one", "two", "three");
        deliver("again.csv", bytes("one"));
        settles(4, 0);
        assertThat(contents).hasSize(3);
    }

    @Test
    void hostileArchivesAreRejectedWithTheirReason() throws Exception {
        start(0, Map.of());
        byte[] whole = gzip("some text that is long enough to be cut somewhere".repeat(20).getBytes(StandardCharsets.UTF_8));
        Map<String, byte[]> hostile = Map.of("two.zip", zip(Map.of("a.csv", bytes("a"), "b.csv", bytes("b"))),
                "none.zip", zip(Map.of()), "leaves.zip", zip(Map.of("../../x.csv", bytes("x"))),
                "bomb.gz", gzip(new byte[40 << 20]), "nested.gz", gzip(gzip(bytes("x"))),
                "cut.gz", Arrays.copyOf(whole, whole.length / 2), "cut.zip", Arrays.copyOf(zip(Map.of("a", whole)), 40));
        for (Map.Entry<String, byte[]> file : hostile.entrySet()) {
            deliver(file.getKey(), file.getValue());
        }
        settles(0, 2 * hostile.size());
        assertThat(reasons()).contains("an archive of 2 files", "an archive of 0 files", "an entry whose name leaves the archive",
                "bytes after unpacking", "an archive in an archive", "a broken archive", "a broken zip archive");
        assertThat(contents).isEmpty();
    }

    @Test
    void ofAnArchiveOfSeveralTheFileThatTheContractNamesIsTaken() throws Exception {
        start(0, Map.of());
        SettlementContract contract = new SettlementContract();
        contract.getArchive().setEntry(".*_业务明细[.]csv");
        contract.getArchive().setEncoding("GB18030");
        nodes.get(0).getRegistry().bind("prov-settlement", contract);
        String detail = "2088_20261023_业务明细.csv";
        String summary = "2088_20261023_业务明细(汇总).csv";
        Charset gbk = Charset.forName("GBK");
        deliver("gbk.zip", zip(gbk, Map.of(detail, bytes("one"), summary, bytes("sum"))));
        deliver("utf8.zip", zip(StandardCharsets.UTF_8, Map.of("day/" + detail, bytes("two"), "day/" + summary, bytes("sum"))));
        deliver("only.zip", zip(gbk, Map.of("whatever.csv", bytes("three"))));
        // The second byte of this character is a back-slash.
        deliver("trail.zip", zip(gbk, Map.of("\u4e57_" + detail, bytes("four"), summary, bytes("sum"))));
        settles(4, 0);
        assertThat(contents).containsExactlyInAnyOrder("one", "two", "three", "four");
        deliver("none.zip", zip(gbk, Map.of(summary, bytes("a"), "x.csv", bytes("b"))));
        settles(4, 2);
        deliver("both.zip", zip(gbk, Map.of("1_" + detail, bytes("a"), "2_" + detail, bytes("b"), summary, bytes("c"))));
        settles(4, 4);
        deliver("leaves.zip", zip(gbk, Map.of(detail, bytes("a"), "../" + summary, bytes("b"))));
        settles(4, 6);
        assertThat(reasons()).contains("an archive of 2 files, 0 of them by archive.entry, allowed exactly one of them",
                "an archive of 3 files, 2 of them by archive.entry", "an entry whose name leaves the archive");
        assertThat(contents).hasSize(4);
    }

    @Test
    void aLinkIsNotADelivery() throws Exception {
        Path elsewhere = Files.writeString(folder.resolve("elsewhere.csv"), "one");
        start(0, Map.of());
        Files.createSymbolicLink(inbox.resolve("link.csv"), elsewhere);
        await().during(Duration.ofMillis(300)).atMost(LONG).untilAsserted(() -> assertThat(contents).isEmpty());
    }

    private static byte[] gzip(byte[] content) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream packed = new GZIPOutputStream(out)) {
            packed.write(content);
        }
        return out.toByteArray();
    }

    private static byte[] zip(Map<String, byte[]> entries) throws IOException {
        return zip(StandardCharsets.UTF_8, entries);
    }

    private static byte[] zip(Charset names, Map<String, byte[]> entries) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream packed = new ZipOutputStream(out, names)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                packed.putNextEntry(new ZipEntry(entry.getKey()));
                packed.write(entry.getValue());
                packed.closeEntry();
            }
        }
        return out.toByteArray();
    }
}
