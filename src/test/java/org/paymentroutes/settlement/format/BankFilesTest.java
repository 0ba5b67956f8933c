package org.paymentroutes.settlement.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.settlement.format.Contracts.Read;

/** Versions and variants of banks' files: interim reports, old messages, charges, pages, several statements. */
class BankFilesTest {

    private static String text(String file) {
        return new String(Contracts.bytes(file), StandardCharsets.UTF_8);
    }

    private static Read camt(String xml) {
        return Contracts.read("bank-camt", xml.getBytes(StandardCharsets.UTF_8));
    }

    private static Read swift(String text) {
        return Contracts.read("bank-mt940", text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<ControlTotal> wrong(Read read) {
        return read.header().controls().stream().filter(control -> !control.holds()).toList();
    }

    @Test
    void interimReport() {
        Read read = swift(text("mt942.sta"));
        assertThat(read.header().controls()).containsExactlyInAnyOrder(new ControlTotal("end", null, 1, 1),
                new ControlTotal("90D number", null, 2, 2), new ControlTotal("90D sum", "EUR", 100488, 100488),
                new ControlTotal("90C number", null, 1, 1), new ControlTotal("90C sum", "EUR", 129902, 129902));
        assertThat(read.lines()).extracting(SettlementLine::kind).containsExactly(SettlementKind.PAYMENT, SettlementKind.PAYMENT,
                SettlementKind.RETURN, SettlementKind.IGNORED);
        assertThat(read.lines()).extracting(SettlementLine::amountMinor).containsExactly(129902L, -80000L, -20488L, 7550L);
        assertThat(read.lines()).extracting(SettlementLine::reference).containsExactly("PAY20261023000101", "PAY20261023000102",
                "PAY20261023000103", "PAY20261023000104");
        assertThat(read.lines()).extracting(SettlementLine::providerLineId).containsExactly("B26J23QT0001", "B26J23QT0002",
                "B26J23QT0003", "B26J23QT0004");
        assertThat(read.header().entries()).isEqualTo(Map.of("EUR", 29414L));
        assertThat(read.header().opening()).isEmpty();
        assertThat(read.header().closing()).isEmpty();
        assertThat(read.header().periodTo()).as("a report within the day proves no absence").isNull();
    }

    @Test
    void theSecondReportOfADayWaitsForNoOther() {
        SettlementHeader header = swift(text("mt942.sta")).header();
        assertThat(header.statementId()).isEqualTo("00296");
        assertThat(header.pageNo()).isEqualTo(1);
        assertThat(header.lastPage()).isTrue();
    }

    @Test
    void aReportWhoseTotalsDoNotFit() {
        String text = text("mt942.sta");
        assertThat(wrong(swift(text.replace(":90C:1EUR1299,02", ":90C:2EUR1299,03"))))
                .containsExactly(new ControlTotal("90C number", null, 2, 1), new ControlTotal("90C sum", "EUR", 129903, 129902));
        assertThat(wrong(swift(text.replace(":90D:2EUR1004,88\r\n:90C:1EUR1299,02\r\n", "")))).as("totals are optional").isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {":34F:EURD500,|:34F:500,|column 34F: found something else, allowed a floor limit such as EUR0,",
        ":90C:1EUR1299,02|:90C:EUR1299,02|column 90C: found something else", ":90C:1EUR|:90C:1XXX|column 90C: found currency 'XXX'",
        "C1299,02|C1299.02|column 61: found something else", ":34F:|:99Z:|column 61: found an entry before its balance"})
    void brokenReports(String found, String other, String message) {
        String text = text("mt942.sta").replace(found, other);
        assertThatThrownBy(() -> swift(text)).isInstanceOf(SettlementRefusedException.class).hasMessageContaining(message);
    }

    @Test
    void aPageOfAStatementInSwift() {
        SettlementHeader first = swift(text("mt940.sta").replace(":62F:", ":62M:")).header();
        assertThat(first.pageNo() + " " + first.lastPage()).isEqualTo("1 false");
        SettlementHeader second = swift(text("mt940.sta").replace("00296/001", "00296/002").replace(":60F:", ":60M:")).header();
        assertThat(second.pageNo() + " " + second.lastPage()).isEqualTo("2 true");
        assertThat(second.statementId()).isEqualTo(first.statementId());
    }

    @Test
    void statementInTheOldVersion() {
        Read read = camt(text("camt053_v02.xml"));
        assertThat(wrong(read)).isEmpty();
        assertThat(read.header().controls()).contains(new ControlTotal("closing", "EUR", -13550, -13550),
                new ControlTotal("TtlNtries/NbOfNtries", null, 5, 5), new ControlTotal("TtlCdtNtries/Sum", "EUR", 71600, 71600),
                new ControlTotal("TtlDbtNtries/Sum", "EUR", 35150, 35150), new ControlTotal("TtlDbtNtries/NbOfNtries", null, 2, 2));
        assertThat(read.header().opening()).isEqualTo(Map.of("EUR", -50000L));
        assertThat(read.lines()).extracting(SettlementLine::reference).containsExactly("PAY20261023000201", "PAY20261023000202",
                "PAY20261023000203", "PAY20261023000204", null, "PAY20261023000205");
        assertThat(read.lines()).extracting(SettlementLine::amountMinor).containsExactly(10000L, -12000L, -18000L, -5000L, 61200L, 500L);
        assertThat(read.lines()).as("without an indicator the numbers tell which charges are inside").extracting(SettlementLine::feeMinor)
                .containsExactly(100L, 0L, 0L, 150L, 0L, 0L);
        assertThat(read.lines()).extracting(SettlementLine::netMinor).containsExactly(9900L, -12000L, -18000L, -5150L, 61200L, 500L);
        assertThat(read.lines()).allMatch(line -> line.settleAmountMinor() - line.feeMinor() == line.netMinor());
        assertThat(read.lines().subList(1, 3)).extracting(SettlementLine::batchId).containsOnly("V02-2");
        assertThat(read.lines().get(4).hints()).as("a batch without its parts").containsEntry("transactions", "7");
        assertThat(read.lines().get(0).at()).isEqualTo(Instant.parse("2026-10-23T07:30:00Z"));
        assertThat(read.header().pageNo() + " " + read.header().lastPage()).isEqualTo("1 true");
        assertThat(read.header().periodFrom()).isEqualTo(Instant.parse("2026-10-22T22:00:00Z"));
        assertThat(read.lines().toString()).doesNotContain("A Payer", "DE0212");
    }

    @Test
    void notificationWithChargesInRecords() {
        Read read = camt(text("camt054_v08_charges.xml"));
        assertThat(wrong(read)).isEmpty();
        assertThat(read.lines()).extracting(SettlementLine::reference).containsExactly("PAY20261023000301", "PAY20261023000302",
                "PAY20261023000303", "PAY20261023000304", "PAY20261023000305", null);
        assertThat(read.lines()).extracting(SettlementLine::amountMinor).containsExactly(2000L, 1000L, 10000L, 2000L, 1000L, -20L);
        assertThat(read.lines()).extracting(SettlementLine::feeMinor).containsExactly(60L, 30L, 100L, 0L, 0L, 0L);
        assertThat(read.lines().get(5).kind()).isEqualTo(SettlementKind.FEE);
        assertThat(read.lines().get(5).providerLineId()).isEqualTo("C-3/charges");
        assertThat(read.lines()).allMatch(line -> line.settleAmountMinor() - line.feeMinor() == line.netMinor());
        assertThat(read.header().entries()).isEqualTo(Map.of("CHF", 2910L + 9900 + 2980));
    }

    /** A page with one statement. */
    private static String page(int number, boolean last, String balances, String entry) {
        return "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\"><BkToCstmrStmt><GrpHdr><MsgId>M</MsgId><MsgPgntn><PgNb>" + number
                + "</PgNb><LastPgInd>" + last + "</LastPgInd></MsgPgntn></GrpHdr>" + statement("S-1", balances, entry) + "</BkToCstmrStmt></Document>";
    }

    private static String statement(String id, String balances, String entry) {
        return "<Stmt><Id>" + id + "</Id><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id></Acct>" + balances + entry + "</Stmt>";
    }

    private static String balance(String code, String amount, String day) {
        return "<Bal><Tp><CdOrPrtry><Cd>" + code + "</Cd></CdOrPrtry></Tp><Amt Ccy=\"EUR\">" + amount
                + "</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>" + day + "</Dt></Dt></Bal>";
    }

    private static String entry(String id, String amount) {
        return "<Ntry><Amt Ccy=\"EUR\">" + amount + "</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><AcctSvcrRef>" + id
                + "</AcctSvcrRef></Ntry>";
    }

    @ParameterizedTest
    @CsvSource({"ITBD,130.00,ITBD,130.00", "CLBD,150.00,OPBD,100.00"})
    void pagesOfOneStatement(String endOfFirst, String after, String startOfSecond, String before) {
        Read first = camt(page(1, false, balance("OPBD", "100.00", "2026-10-23") + balance(endOfFirst, after, "2026-10-23"), entry("A", "30.00")));
        Read second = camt(page(2, true, balance(startOfSecond, before, "2026-10-23") + balance("CLBD", "150.00", "2026-10-23"), entry("B", "20.00")));
        assertThat(wrong(first)).isEmpty();
        assertThat(wrong(second)).isEmpty();
        assertThat(first.header().pageNo() + " " + first.header().lastPage()).isEqualTo("1 false");
        assertThat(second.header().pageNo() + " " + second.header().lastPage()).isEqualTo("2 true");
        assertThat(second.header().statementId()).isEqualTo("S-1").isEqualTo(first.header().statementId());
        assertThat(first.header().opening()).isEqualTo(Map.of("EUR", 10000L));
        assertThat(second.header().closing()).isEqualTo(Map.of("EUR", 15000L));
    }

    @Test
    void anInterimBalanceOfAPageMustHold() {
        Read read = camt(page(1, false, balance("OPBD", "100.00", "2026-10-23") + balance("ITBD", "130.01", "2026-10-23"), entry("A", "30.00")));
        assertThat(wrong(read)).containsExactly(new ControlTotal("closing", "EUR", 13001, 13000));
    }

    @ParameterizedTest
    @CsvSource({"<NbOfNtries>5</NbOfNtries><Sum>,<NbOfNtries>6</NbOfNtries><Sum>,TtlNtries/NbOfNtries", "1067.50,1067.51,TtlNtries/Sum",
        "364.50</Ttl,364.51</Ttl,TtlNtries/TtlNetNtryAmt", "364.50</TtlNetNtryAmt><CdtDbtInd>CRDT,364.50</TtlNetNtryAmt><CdtDbtInd>DBIT,TtlNtries/TtlNetNtryAmt",
        "716.00,716.01,TtlCdtNtries/Sum", "351.50</Sum>,351.49</Sum>,TtlDbtNtries/Sum"})
    void eachTotalOfTheSummaryIsChecked(String right, String off, String name) {
        String xml = text("camt053_v02.xml");
        assertThat(xml).contains(right);
        assertThat(wrong(camt(xml))).isEmpty();
        assertThat(wrong(camt(xml.replace(right, off)))).extracting(ControlTotal::name).containsExactly(name);
    }

    @Test
    void theNetOfNewerVersionsIsCheckedToo() {
        String net = "<TtlNetNtryAmt>364.50</TtlNetNtryAmt><CdtDbtInd>CRDT</CdtDbtInd>";
        String xml = text("camt053_v02.xml");
        assertThat(xml).contains(net);
        assertThat(wrong(camt(xml.replace(net, "<TtlNetNtry><Amt>364.50</Amt><CdtDbtInd>CRDT</CdtDbtInd></TtlNetNtry>")))).isEmpty();
        assertThat(wrong(camt(xml.replace(net, "<TtlNetNtry><Amt>364.50</Amt><CdtDbtInd>DBIT</CdtDbtInd></TtlNetNtry>")))).hasSize(1);
        assertThat(wrong(camt(xml.replace(net, "<TtlNetNtry><Amt>0.00</Amt></TtlNetNtry>")))).hasSize(1);
    }

    @Test
    void expectedEntriesOfAReportAreNotBooked() {
        String text = text("mt942.sta");
        Read read = swift(text.replaceFirst("(:61:[0-9]+)C", "$1EC").replaceFirst(":90C:1EUR1299,02", ":90C:0EUR0,"));
        assertThat(wrong(read)).isEmpty();
        assertThat(read.lines().get(0).kind()).isEqualTo(SettlementKind.IGNORED);
        assertThat(read.header().entries()).isEqualTo(Map.of("EUR", -100488L));
    }

    @Test
    void onlyTheNamesOfPayoutsAreKeptOfAText() {
        SettlementContract contract = new SettlementContract();
        contract.getBank().setPayoutReference("batch ([0-9]+)");
        assertThat(contract.getBank().payouts("TX12 batch 118 Acme", null, "batch 118", "batch 119")).isEqualTo("118 119");
        assertThat(contract.getBank().payouts("somebody", (String) null)).isNull();
        assertThat(new BankRule().payouts("batch 118")).isNull();
    }

    private static String several(String secondClosing, String secondDay) {
        String first = statement("S-1", balance("OPBD", "100.00", "2026-10-23") + balance("CLBD", "130.00", "2026-10-23")
                + "<TxsSummry><TtlCdtNtries><NbOfNtries>1</NbOfNtries><Sum>30.00</Sum></TtlCdtNtries></TxsSummry>", entry("A", "30.00"));
        String second = statement("S-2", balance("OPBD", "10.00", secondDay) + balance("CLBD", secondClosing, secondDay)
                + "<TxsSummry><TtlCdtNtries><NbOfNtries>1</NbOfNtries><Sum>20.00</Sum></TtlCdtNtries></TxsSummry>", entry("B", "20.00"));
        return page(1, true, "", "").replaceFirst("<Stmt>.*</Stmt>", first + second);
    }

    @Test
    void severalStatementsHaveTheirOwnTotals() {
        Read read = camt(several("30.00", "2026-10-23"));
        assertThat(wrong(read)).isEmpty();
        assertThat(read.header().controls()).contains(new ControlTotal("closing", "EUR", 13000, 13000), new ControlTotal("closing S-2", "EUR", 3000, 3000),
                new ControlTotal("TtlCdtNtries/Sum", "EUR", 3000, 3000), new ControlTotal("TtlCdtNtries/Sum", "EUR", 2000, 2000));
        assertThat(read.header().statementId()).isEqualTo("M");
        assertThat(read.header().opening()).isEqualTo(Map.of("EUR", 11000L));
        assertThat(read.header().closing()).isEqualTo(Map.of("EUR", 16000L));
        assertThat(read.header().periodFrom()).isEqualTo(Instant.parse("2026-10-22T22:00:00Z"));
        assertThat(wrong(camt(several("30.01", "2026-10-23")))).containsExactly(new ControlTotal("closing S-2", "EUR", 3001, 3000));
    }

    @Test
    void statementsOfDifferentDaysProveNoPeriod() {
        Read read = camt(several("30.00", "2026-10-24"));
        assertThat(wrong(read)).isEmpty();
        assertThat(read.header().periodFrom()).isNull();
        assertThat(read.header().periodTo()).isNull();
    }

    @Test
    void severalStatementsInAPageAreRefused() {
        String pages = several("30.00", "2026-10-23").replace("<LastPgInd>true", "<LastPgInd>false");
        assertThatThrownBy(() -> camt(pages)).isInstanceOf(SettlementRefusedException.class)
                .hasMessageContaining("several statements in one file of pages, allowed one statement in a file of pages");
    }
}
