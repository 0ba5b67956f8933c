package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.TemplatedRouteBuilder;
import org.apache.camel.support.PluginHelper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.settlement.SettlementPolicy;
import org.paymentroutes.support.SettlementFiles;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The public cases of settlement files against the payments that they are about, through the real route, to the last cent:
 * what becomes of each line, and that the control equation holds.
 */
@FlowTest
class SettlementCasesIT {

    private static final Path CASES = Path.of("src/test/resources/settlement");

    @Autowired
    CamelContext camel;
    @Autowired
    JdbcTemplate jdbc;
    @Value("${payment-routes.settlement.inbox}")
    Path inbox;

    @ParameterizedTest(name = "{1}")
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "wechat-pay|wechat_tradebill_ALL_utf8bom.csv|C 1 129902 CNY,C 2 5000 CNY,C 3 1 CNY,R 1 29902 CNY,C 4 2000 CNY,C 5 10000 CNY,C 6 10000 CNY"
            + "|MATCHED,MATCHED,MATCHED,MATCHED,UNKNOWN_TO_US,MATCHED,MATCHED",
        "alipay|alipay_business_detail_gbk.csv|C 31 8800 CNY,C 32 123456 CNY,R 31 8800 CNY|MATCHED,MATCHED,MATCHED",
        "bank-camt|camt053_v08.xml|P 71 25000 EUR,P 72 10000 EUR,P 73 20000 EUR,P 74 30000 EUR,P 75 7770 EUR,P 76 5000 EUR"
            + "|DOUBLE_PAY,MATCHED,MATCHED,MATCHED,MATCHED,MATCHED,UNKNOWN_TO_US,DOUBLE_PAY",
        "bank-camt|camt054_v04.xml|C 81 1500 CHF,C 82 900 CHF,C 83 5656 CHF,C 84 600 CHF,C 85 1553 CHF|MATCHED,MATCHED,MATCHED,MATCHED,MATCHED",
        "bank-mt940|mt940.sta|C 91 129902 EUR,P 92 80000 EUR,C 93 20488 EUR,C 94 10000 EUR|MATCHED,MATCHED,MATCHED,MATCHED,MATCHED,FEE",
        "stripe|stripe_payout_reconciliation_itemized.csv|C 41 129902 USD,C 42 10000 JPY,C 43 12340 KWD,R 41 29902 USD"
            + "|MATCHED,MATCHED,MATCHED,MATCHED,MATCHED,FEE,MATCHED,PAYOUT",
        "adyen|adyen_settlement_detail_report_batch_118.csv|C 51 4599 EUR,C 52 10000 JPY,R 51 500 EUR,C 53 2000 EUR,C 54 2000 EUR"
            + "|MATCHED,MATCHED,MATCHED,MATCHED,MATCHED,FEE,ADJUSTMENT,PAYOUT",
        "plain-csv|plain_ok.csv|C 201 10000 CNY,C 202 129902 CNY|MATCHED,MATCHED",
        "plain-csv|plain_identical_lines.csv|C 201 10000 CNY|MATCHED,DUPLICATE_LINE",
        "plain-csv|plain_twins_different_txn.csv|C 201 10000 CNY|DOUBLE_PAY,DOUBLE_PAY",
        "plain-csv|plain_thousands.csv|C 201 10000 CNY,C 202 129902 CNY|MATCHED,MATCHED",
        "plain-csv|plain_trailing_summary.csv|C 201 10000 CNY,C 202 129902 CNY|MATCHED,MATCHED",
        "plain-csv|plain_formula.csv|-|UNKNOWN_TO_US"})
    void eachLineComesToWhatItShould(String contract, String name, String payments, String results) throws Exception {
        String provider = "case-" + UUID.randomUUID().toString().substring(0, 8);
        install(contract, provider);
        for (String payment : payments == null ? new String[0] : payments.split(",")) {
            seed(provider, payment.split(" "));
        }
        Path folder = Files.createDirectories(inbox.resolve(provider));
        Files.copy(CASES.resolve(name), folder.resolve(name + ".part"));
        Files.move(folder.resolve(name + ".part"), folder.resolve(name));
        await().atMost(Duration.ofSeconds(30)).until(() -> !Files.exists(folder.resolve(name)));

        SettlementFiles files = new SettlementFiles(jdbc, provider);
        long file = jdbc.queryForObject("select file_id from settlement_file where provider = ?", Long.class, provider);
        assertThat(files.state(file)).as(jdbc.queryForList("select * from settlement_problems(?)", file).toString()).isEqualTo("BOOKED");
        assertThat(files.results(file)).as(jdbc.queryForList("select m.*, l.raw from settlement_match m join settlement_line l using (file_id, line_no)"
                + " where file_id = ? order by line_no", file).toString()).containsExactly(results.split(","));
        assertThat(files.equationHolds(file)).as(jdbc.queryForList("select * from settlement_equation(?)", file).toString()).isTrue();
        camel.getRouteController().stopRoute("settlement-" + provider);
        camel.removeRoute("settlement-" + provider);
    }

    private void install(String contract, String provider) throws Exception {
        if (camel.getRegistry().lookupByName(contract + "-settlement") == null) {
            PluginHelper.getRoutesLoader(camel).loadRoutes(PluginHelper.getResourceLoader(camel)
                    .resolveResource("file:routes/settlement/" + contract + ".camel.yaml"));
        }
        jdbc.update("""
                insert into provider (name, account, can_query, lease_ms, quiet_ms, query_delays_ms, inconclusive_max,
                                      time_limit_ms, send_time_limit_ms, backoff_base_ms, backoff_cap_ms, review_query_ms,
                                      retry_after_cap_ms, contract_digest)
                values (?, 'main', true, 10000, 1000, '{1000}', 3, 60000, 3600000, 100, 1000, 10000, 10000, 'test')""", provider);
        SettlementPolicy policy = new SettlementPolicy();
        policy.setReference(SettlementPolicy.Reference.SOURCE_REFERENCE);
        camel.getRegistry().bind(provider + "-reconciliation", policy);
        camel.getRegistry().bind(provider + "-settlement", camel.getRegistry().lookupByName(contract + "-settlement"));
        TemplatedRouteBuilder.builder(camel, "settlement").parameter("provider", provider).routeId("settlement-" + provider)
                .prefixId("settlement-" + provider + "-").add();
    }

    /** A payment that SUCCEEDED: C(harge) or P(ayout) of this number, or the R(efund) of the charge of this number. */
    private void seed(String provider, String[] payment) {
        String number = "PAY20261023" + "0".repeat(6 - payment[1].length()) + payment[1];
        String operation = switch (payment[0]) {
            case "C" -> "CHARGE";
            case "P" -> "PAYOUT";
            default -> "REFUND";
        };
        new TransactionTemplate(new DataSourceTransactionManager(jdbc.getDataSource())).executeWithoutResult(status -> {
            List<Object> values = new ArrayList<>(List.of(UUID.randomUUID(), operation.equals("REFUND") ? "RF" + number : number, operation,
                    provider, Long.parseLong(payment[2]), payment[3]));
            jdbc.execute("set local session_replication_role = replica");
            jdbc.update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,"
                    + " amount_minor, currency, state, version, attempts, first_sent_at, refund_of, due_at)"
                    + " select v.id, 'cases', v.id::text, 'f', v.reference, v.operation, v.provider, 'main', v.amount, v.currency, 'SUCCEEDED', 3, 1,"
                    + " clock_timestamp(), (select o.payment_id from payment o where o.provider = v.provider and o.source_reference = ?"
                    + " and v.operation = 'REFUND'), clock_timestamp()"
                    + " from (values (?::uuid, ?, ?, ?, ?::bigint, ?)) v (id, reference, operation, provider, amount, currency)",
                    number, values.get(0), values.get(1), values.get(2), values.get(3), values.get(4), values.get(5));
            if (operation.equals("REFUND")) {
                jdbc.update("update payment set given_back_minor = ?::bigint where provider = ? and source_reference = ?", values.get(4), provider, number);
            }
        });
    }
}
