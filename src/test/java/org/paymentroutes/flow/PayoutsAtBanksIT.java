package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.camel.CamelContext;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.builder.TemplatedRouteBuilder;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.settlement.SettlementPolicy;
import org.paymentroutes.support.SettlementFiles;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;

/** A provider's payout and the line of the bank that is the same money, through both inboxes and the real routes, in either order. */
@FlowTest
class PayoutsAtBanksIT {

    private static final String CAMT = """
            <?xml version="1.0" encoding="UTF-8"?>
            <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
            <GrpHdr><MsgId>M-%1$s</MsgId><CreDtTm>2026-10-25T05:00:00Z</CreDtTm></GrpHdr>
            <Stmt><Id>S-%1$s</Id><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>USD</Ccy></Acct>
            <Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="USD">0.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-10-24</Dt></Dt></Bal>
            <Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="USD">1280.49</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-10-24</Dt></Dt></Bal>
            <Ntry><Amt Ccy="USD">1280.49</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-10-24</Dt></BookgDt>
            <AcctSvcrRef>B-%1$s</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>
            <Amt Ccy="USD">1280.49</Amt><CdtDbtInd>CRDT</CdtDbtInd><RmtInf><Ustrd>STRIPE PAYOUT PO-01 THANK YOU</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
            </Stmt></BkToCstmrStmt></Document>
            """;

    @Autowired
    CamelContext camel;
    @Autowired
    ProducerTemplate producer;
    @Autowired
    JdbcTemplate jdbc;
    @Value("${payment-routes.settlement.inbox}")
    Path inbox;

    private String provider;
    private String bank;

    @BeforeEach
    void install() throws Exception {
        String suffix = UUID.randomUUID().toString().substring(0, 8);
        provider = "stripe-" + suffix;
        bank = "bank-" + suffix;
        SettlementPolicy paysOut = new SettlementPolicy();
        paysOut.setPayoutsArriveAt(bank);
        // Everything in these files is long ago.
        paysOut.setPayoutLagMs(Duration.ofDays(36500).toMillis());
        install(provider, "stripe", "row.batch:", "row.batch:", paysOut);
        install(bank, "bank-camt", "bank.messages:", "bank.payoutReference: \"PO-[0-9]+\"\n        bank.messages:", new SettlementPolicy());
    }

    private void install(String name, String contract, String option, String with, SettlementPolicy policy) throws Exception {
        String yaml = Files.readString(Path.of("routes/settlement", contract + ".camel.yaml")).replace(contract + "-settlement", name + "-settlement")
                .replace(option, with);
        PluginHelper.getRoutesLoader(camel).loadRoutes(ResourceHelper.fromString(name + ".camel.yaml", yaml));
        jdbc.update("""
                insert into provider (name, account, can_query, lease_ms, quiet_ms, query_delays_ms, inconclusive_max,
                                      time_limit_ms, send_time_limit_ms, backoff_base_ms, backoff_cap_ms, review_query_ms,
                                      retry_after_cap_ms, contract_digest)
                values (?, 'main', true, 10000, 1000, '{1000}', 3, 60000, 3600000, 100, 1000, 10000, 10000, 'test')""", name);
        camel.getRegistry().bind(name + "-reconciliation", policy);
        TemplatedRouteBuilder.builder(camel, "settlement").parameter("provider", name).routeId("settlement-" + name)
                .prefixId("settlement-" + name + "-").add();
    }

    @AfterEach
    void remove() throws Exception {
        for (String name : List.of(provider, bank)) {
            camel.getRouteController().stopRoute("settlement-" + name);
            camel.removeRoute("settlement-" + name);
            camel.getRegistry().unbind(name + "-reconciliation");
            camel.getRegistry().unbind(name + "-settlement");
        }
    }

    private long delivered(String name, byte[] content) throws IOException {
        Path folder = Files.createDirectories(inbox.resolve(name));
        Files.move(Files.write(folder.resolve("file.part"), content), folder.resolve("file"));
        await().atMost(Duration.ofSeconds(30)).until(() -> !Files.exists(folder.resolve("file")));
        long file = jdbc.queryForObject("select file_id from settlement_file where provider = ?", Long.class, name);
        assertThat(new SettlementFiles(jdbc, name).state(file)).as(jdbc.queryForList("select * from settlement_file where file_id = ?", file).toString())
                .isEqualTo("BOOKED");
        return file;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theMoneyOfAPayoutIsAtTheBankOnce(boolean inOrder) throws Exception {
        byte[] payout = Files.readAllBytes(Path.of("src/test/resources/settlement/stripe_payout_reconciliation_itemized.csv"));
        byte[] statement = CAMT.formatted(bank).getBytes(StandardCharsets.UTF_8);
        long first = inOrder ? delivered(provider, payout) : delivered(bank, statement);
        assertThat(balance("bank", provider) + balance("bank", bank)).isEqualTo(inOrder ? 0 : 128049);
        long second = inOrder ? delivered(bank, statement) : delivered(provider, payout);
        producer.sendBody("sql:classpath:sql/settlement-payouts.sql?usePlaceholder=false", "");

        SettlementFiles ofBank = new SettlementFiles(jdbc, bank);
        assertThat(ofBank.results(inOrder ? second : first)).containsExactly(inOrder ? "PAYOUT_ARRIVED" : "UNKNOWN_TO_US");
        assertThat(ofBank.cases(inOrder ? second : first)).isEmpty();
        assertThat(jdbc.queryForObject("select rule from payout_arrival join payout_in_transit using (file_id, line_no) where provider = ?", String.class,
                provider)).isEqualTo("REFERENCE");
        assertThat(balance("bank", provider)).isEqualTo(128049);
        assertThat(balance("bank", bank)).isZero();
        assertThat(balance("payouts_in_transit", provider)).isZero();
        assertThat(balance("suspense", bank)).isZero();
        assertThat(List.of(first, second)).allMatch(ofBank::equationHolds);
    }

    private long balance(String account, String of) {
        return jdbc.queryForObject("select coalesce(sum(balance_minor), 0) from ledger_balance where (account, provider, currency) = (?, ?, 'USD')",
                Long.class, account, of);
    }
}
