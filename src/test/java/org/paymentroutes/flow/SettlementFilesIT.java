package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.TemplatedRouteBuilder;
import org.apache.camel.support.PluginHelper;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;

/** The public cases of settlement files, through the inbox, the real route and the database, by the contracts that are shipped. */
@FlowTest
class SettlementFilesIT {

    private static final Path CASES = Path.of("src/test/resources/settlement");

    @Autowired
    CamelContext camel;
    @Autowired
    JdbcTemplate jdbc;
    @Value("${payment-routes.settlement.inbox}")
    Path inbox;

    @BeforeEach
    void providersWithAnInbox() throws Exception {
        if (camel.getRoute("settlement-wechat-pay") != null) {
            return;
        }
        try (Stream<Path> files = Files.list(Path.of("routes/settlement"))) {
            for (Path file : files.filter(path -> path.toString().endsWith(".camel.yaml")).toList()) {
                PluginHelper.getRoutesLoader(camel).loadRoutes(PluginHelper.getResourceLoader(camel).resolveResource("file:" + file));
                provider(file.getFileName().toString().replace(".camel.yaml", ""));
            }
        }
    }

    private void provider(String name) {
        jdbc.update("""
                insert into provider (name, account, can_query, lease_ms, quiet_ms, query_delays_ms, inconclusive_max,
                                      time_limit_ms, send_time_limit_ms, backoff_base_ms, backoff_cap_ms, review_query_ms,
                                      retry_after_cap_ms, contract_digest)
                values (?, 'main', true, 10000, 1000, '{1000}', 3, 60000, 3600000, 100, 1000, 10000, 10000, 'test')
                on conflict do nothing""", name);
        TemplatedRouteBuilder.builder(camel, "settlement").parameter("provider", name).routeId("settlement-" + name)
                .prefixId("settlement-" + name + "-").add();
    }

    private Map<String, Object> delivered(String provider, String name, byte[] content) throws IOException {
        Path folder = Files.createDirectories(inbox.resolve(provider));
        Path part = Files.write(folder.resolve(name + ".part"), content);
        Files.move(part, folder.resolve(name));
        await().atMost(Duration.ofSeconds(30)).until(() -> !Files.exists(folder.resolve(name)));
        return jdbc.queryForList("select * from settlement_file where provider = ? order by file_id desc limit 1", provider).get(0);
    }

    private Map<String, Object> delivered(String provider, String file) throws IOException {
        return delivered(provider, file, Files.readAllBytes(CASES.resolve(file)));
    }

    private List<String> folder(String provider, String folder) {
        try (Stream<Path> files = Files.list(inbox.resolve(provider).resolve(folder))) {
            return files.map(path -> path.getFileName().toString()).toList();
        }
        catch (IOException e) {
            return List.of();
        }
    }

    @ParameterizedTest
    @CsvSource({"wechat-pay,wechat_tradebill_ALL_utf8bom.csv,7,123001", "wechat-pay,wechat_tradebill_SUCCESS.csv,1,1234",
        "alipay,alipay_business_detail_gbk.csv,3,123456", "alipay,alipay_business_detail_EMPTY_gbk.csv,0,0",
        "bank-camt,camt054_v04.xml,5,5903", "bank-camt,camt053_v08.xml,9,-111570", "bank-mt940,mt940.sta,6,119413",
        "stripe,stripe_payout_reconciliation_itemized.csv,8,0", "adyen,adyen_settlement_detail_report_batch_118.csv,8,0"})
    void filesAreStagedToTheCent(String provider, String name, long lines, long sum) throws IOException {
        Map<String, Object> file = delivered(provider, name);
        assertThat(file.get("state")).as(file.toString()).isIn("BOOKED", "REVIEW");
        assertThat(file.get("line_count")).isEqualTo(lines);
        Long id = (Long) file.get("file_id");
        if (sum != 0) {
            assertThat(jdbc.queryForObject("select coalesce(sum(amount_minor), 0) from settlement_line where file_id = ?", Long.class, id)).isEqualTo(sum);
        }
        assertThat(jdbc.queryForObject("select count(*) from settlement_file f, jsonb_array_elements(f.declared -> 'controls') c"
                + " where file_id = ? and c ->> 'declared' <> c ->> 'counted'", Long.class, id)).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "plain-csv|plain_empty_0_bytes.csv|The file: found no header",
        "plain-csv|plain_eu_semicolon.csv|Line 1, column type: found no column of this name",
        "plain-csv|plain_cut_in_amount.csv|Line 3: found 5 cells, allowed 8 as in the header",
        "plain-csv|plain_extra_missing_columns.csv|Line 2: found 9 cells, allowed 8 as in the header",
        "alipay|alipay_business_detail_gbk_TRUNCATED.csv|Line 10, column 1: found bytes that are no character of GB18030",
        "wechat-pay|wechat_tradebill_ALL_TRUNCATED.csv|Line 6: found 7 cells, allowed 27 as in the header"})
    void brokenFilesAreRejectedWithTheirReasonAndBookNothing(String provider, String name, String why) throws IOException {
        Long entries = jdbc.queryForObject("select count(*) from ledger_entry", Long.class);
        Map<String, Object> file = delivered(provider, name);
        assertThat(file.get("state")).isEqualTo("REFUSED");
        assertThat((String) file.get("refused_why")).contains(why);
        assertThat(jdbc.queryForObject("select count(*) from settlement_line where file_id = ?", Long.class, file.get("file_id"))).isZero();
        String reason = folder(provider, "rejected").stream().filter(other -> other.endsWith(name + ".reason.txt")).findFirst().orElseThrow();
        assertThat(Files.readString(inbox.resolve(provider).resolve("rejected").resolve(reason))).contains(why);
        assertThat(jdbc.queryForObject("select count(*) from ledger_entry", Long.class)).isEqualTo(entries);
    }

    /** A provider with files of the plain contract that no other test has touched. */
    private void plain(String name) {
        provider(name);
        camel.getRegistry().bind(name + "-settlement", camel.getRegistry().lookupByName("plain-csv-settlement"));
    }

    private List<String> results(Map<String, Object> file) {
        return jdbc.queryForList("select result from settlement_match where file_id = ? order by line_no", String.class, file.get("file_id"));
    }

    @Test
    void contentsAreKnownAndOnlyWhatIsNewIsBooked() throws IOException {
        plain("plain-again");
        Map<String, Object> first = delivered("plain-again", "plain_ok.csv");
        Map<String, Object> renamed = delivered("plain-again", "plain_ok_SAME_CONTENT_OTHER_NAME.csv");
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(Files.readAllBytes(CASES.resolve("plain_ok.csv")));
        }
        Map<String, Object> zipped = delivered("plain-again", "packed.csv", packed.toByteArray());
        assertThat(renamed.get("file_id")).isEqualTo(first.get("file_id")).isEqualTo(zipped.get("file_id"));
        Map<String, Object> more = delivered("plain-again", "plain_ok_REDELIVERED_PLUS_ONE.csv");
        assertThat(results(more)).containsExactly("KNOWN_LINE", "KNOWN_LINE", "UNKNOWN_TO_US");
        assertThat(folder("plain-again", "done")).hasSize(4);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "plain-bom|plain_bom.csv|UNKNOWN_TO_US,UNKNOWN_TO_US", "plain-end|plain_no_final_newline.csv|UNKNOWN_TO_US,UNKNOWN_TO_US",
        "plain-order|plain_columns_reordered.csv|UNKNOWN_TO_US", "plain-formula|plain_formula.csv|UNKNOWN_TO_US",
        "plain-thousands|plain_thousands.csv|UNKNOWN_TO_US,UNKNOWN_TO_US", "plain-total|plain_trailing_summary.csv|UNKNOWN_TO_US,UNKNOWN_TO_US",
        "plain-same|plain_identical_lines.csv|UNKNOWN_TO_US,DUPLICATE_LINE", "plain-twins|plain_twins_different_txn.csv|UNKNOWN_TO_US,UNKNOWN_TO_US"})
    void linesThatAreNotOursAreNobodysButNeverDropped(String provider, String name, String results) throws IOException {
        plain(provider);
        Map<String, Object> file = delivered(provider, name);
        assertThat(file.get("state")).isEqualTo("BOOKED");
        assertThat(results(file)).containsExactly(results.split(","));
    }
}
