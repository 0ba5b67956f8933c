package org.paymentroutes.settlement.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.settlement.format.Contracts.Read;

/** Files of each format, read by the contracts that are shipped, to the cent; and broken ones, refused with their place. */
class SettlementFilesTest {

    private static Read read(String contract, String file) {
        return Contracts.read(contract, Contracts.bytes(file));
    }

    private static long sum(Read read, Predicate<SettlementLine> which) {
        return read.lines().stream().filter(which).mapToLong(SettlementLine::amountMinor).sum();
    }

    private static List<SettlementLine> kind(Read read, SettlementKind kind) {
        return read.lines().stream().filter(line -> line.kind() == kind).toList();
    }

    private static void holds(Read read) {
        assertThat(read.header().controls()).isNotEmpty().allMatch(ControlTotal::holds);
    }

    @Test
    void weChatBillWithRefunds() {
        Read read = read("wechat-pay", "wechat_tradebill_ALL_utf8bom.csv");
        holds(read);
        assertThat(read.header().controls()).contains(new ControlTotal("总交易单数", "CNY", 7, 7),
                new ControlTotal("订单总金额", "CNY", 154903, 154903), new ControlTotal("应结订单总金额", "CNY", 154403, 154403),
                new ControlTotal("手续费总金额", "CNY", 735, 735), new ControlTotal("退款总金额", "CNY", 31902, 31902));
        assertThat(kind(read, SettlementKind.PAYMENT)).hasSize(5);
        List<SettlementLine> refunds = kind(read, SettlementKind.REFUND);
        assertThat(refunds).extracting(SettlementLine::amountMinor).containsExactly(-29902L, -2000L);
        assertThat(refunds.get(0).reference()).isEqualTo("RFPAY20261023000001");
        assertThat(refunds.get(0).hints()).containsEntry("original", "PAY20261023000001").containsEntry("status", "PROCESSING");
        SettlementLine coupon = read.lines().get(1);
        assertThat(coupon.amountMinor()).isEqualTo(5000);
        assertThat(coupon.settleAmountMinor()).isEqualTo(4500);
        assertThat(coupon.feeMinor()).isEqualTo(27);
        assertThat(read.lines().get(0).at()).isEqualTo(Instant.parse("2026-10-22T16:00:01Z"));
        assertThat(read.header().periodFrom()).isEqualTo(Instant.parse("2026-10-22T16:00:00Z"));
        assertThat(read.header().periodTo()).isEqualTo(Instant.parse("2026-10-23T16:00:00Z"));
        assertThat(read.lines()).extracting(SettlementLine::providerPaymentId).doesNotHaveDuplicates();
        assertThat(read.lines().toString()).doesNotContain("oUSER");
    }

    @Test
    void weChatBillInAnotherLayoutIsReadByNames() {
        Read read = read("wechat-pay", "wechat_tradebill_SUCCESS.csv");
        holds(read);
        assertThat(sum(read, line -> true)).isEqualTo(1234);
        assertThat(read.lines()).extracting(SettlementLine::reference).containsExactly("PAY20261023000021");
    }

    @Test
    void alipayDetail() {
        Read read = read("alipay", "alipay_business_detail_gbk.csv");
        holds(read);
        assertThat(read.header().controls()).contains(new ControlTotal("payments", "CNY", 2, 2), new ControlTotal("paid", "CNY", 132256, 132256),
                new ControlTotal("refunds", "CNY", 1, 1), new ControlTotal("refunded", "CNY", -8800, -8800));
        SettlementLine refund = kind(read, SettlementKind.REFUND).get(0);
        assertThat(refund.reference()).isEqualTo("RFPAY20261023000031");
        assertThat(refund.amountMinor()).isEqualTo(-8800);
        assertThat(refund.feeMinor()).isEqualTo(-53);
        assertThat(read.lines().get(1).feeMinor()).isEqualTo(741);
        assertThat(read.header().periodFrom()).isEqualTo(Instant.parse("2026-10-22T16:00:00Z"));
        assertThat(read.header().periodTo()).isEqualTo(Instant.parse("2026-10-23T16:00:00Z"));
        assertThat(read.lines().toString()).as("the payer's account").doesNotContain("138****");
    }

    @Test
    void anEmptyDayIsAFile() {
        Read read = read("alipay", "alipay_business_detail_EMPTY_gbk.csv");
        holds(read);
        assertThat(read.lines()).isEmpty();
        assertThat(read.header().periodTo()).isNotNull();
    }

    @Test
    void stripePayout() {
        Read read = read("stripe", "stripe_payout_reconciliation_itemized.csv");
        holds(read);
        assertThat(read.lines()).hasSize(8);
        assertThat(read.header().controls()).containsExactly(new ControlTotal("payout po_01", "USD", 128049, 128049));
        assertThat(read.header().entries()).isEqualTo(Map.of("USD", 0L));
        SettlementLine yen = read.lines().get(1);
        assertThat(yen.amountMinor() + yen.currency()).isEqualTo("10000JPY");
        assertThat(yen.settleAmountMinor() + yen.settleCurrency()).isEqualTo("6712USD");
        assertThat(read.lines().get(2).amountMinor() + read.lines().get(2).currency()).isEqualTo("12340KWD");
        assertThat(read.lines()).extracting(SettlementLine::kind).containsExactly(SettlementKind.PAYMENT, SettlementKind.PAYMENT,
                SettlementKind.PAYMENT, SettlementKind.REFUND, SettlementKind.CHARGEBACK, SettlementKind.FEE, SettlementKind.RETURN,
                SettlementKind.PAYOUT);
        assertThat(read.lines()).allMatch(line -> line.settleAmountMinor() - line.feeMinor() == line.netMinor());
        assertThat(read.lines().get(3).amountMinor()).isEqualTo(-read.lines().get(6).amountMinor());
    }

    @Test
    void adyenBatch() {
        Read read = read("adyen", "adyen_settlement_detail_report_batch_118.csv");
        holds(read);
        assertThat(read.lines()).hasSize(8);
        assertThat(read.header().statementId()).isEqualTo("118");
        assertThat(read.header().controls()).containsExactly(new ControlTotal("payout 118", "EUR", 7858, 7858));
        assertThat(read.header().entries()).isEqualTo(Map.of("EUR", 0L));
        assertThat(read.lines()).allMatch(line -> line.settleAmountMinor() - line.feeMinor() == line.netMinor());
        SettlementLine yen = read.lines().get(1);
        assertThat(yen.amountMinor() + yen.currency()).isEqualTo("10000JPY");
        assertThat(yen.settleAmountMinor() + yen.settleCurrency()).isEqualTo("6120EUR");
        assertThat(yen.at()).isEqualTo(Instant.parse("2026-10-20T21:30:00Z"));
        assertThat(yen.providerPaymentId()).isEqualTo("PSP0000000000002");
        assertThat(yen.providerLineId()).isEqualTo("PSP0000000000012");
        assertThat(read.lines().get(2).netMinor()).isEqualTo(-510);
        assertThat(kind(read, SettlementKind.PAYOUT)).extracting(SettlementLine::amountMinor).containsExactly(-7858L);
    }

    @Test
    void statementOfABank() {
        Read read = read("bank-camt", "camt053_v08.xml");
        holds(read);
        assertThat(read.header().controls()).contains(new ControlTotal("closing", "EUR", 896050, 896050));
        assertThat(read.header().opening()).isEqualTo(Map.of("EUR", 1000000L));
        assertThat(read.header().statementId()).isEqualTo("STMT-2026-296");
        assertThat(read.header().lastPage()).isTrue();
        assertThat(read.lines()).hasSize(9);
        assertThat(kind(read, SettlementKind.IGNORED)).extracting(SettlementLine::reference).containsExactly("PAY20261023000075");
        SettlementLine back = kind(read, SettlementKind.RETURN).get(0);
        assertThat(back.amountMinor()).isEqualTo(20000);
        assertThat(back.hints()).containsEntry("reason", "AC04").containsEntry("original", "PAY20261023000073");
        SettlementLine charged = read.lines().get(6);
        assertThat(charged.amountMinor()).isEqualTo(-5000);
        assertThat(charged.feeMinor()).isEqualTo(150);
        assertThat(charged.netMinor()).isEqualTo(-5150);
        assertThat(read.lines().get(7).reference()).isNull();
        assertThat(read.lines()).filteredOn(line -> "PAY20261023000071".equals(line.reference()))
                .extracting(SettlementLine::providerPaymentId).containsExactly("SVC0001", "SVC0007");
        assertThat(read.lines().subList(1, 4)).allMatch(line -> line.batchId().equals("SVC0002"))
                .extracting(SettlementLine::providerLineId).containsExactly("SVC0002/1", "SVC0002/2", "SVC0002/3");
        assertThat(read.header().periodFrom()).isEqualTo(Instant.parse("2026-10-22T22:00:00Z"));
        assertThat(read.header().periodTo()).isEqualTo(Instant.parse("2026-10-23T22:00:00Z"));
        assertThat(read.lines().toString()).doesNotContain("DE8937");
    }

    @Test
    void notificationOfABank() {
        Read read = read("bank-camt", "camt054_v04.xml");
        holds(read);
        assertThat(read.lines()).hasSize(5);
        assertThat(read.header().entries()).isEqualTo(Map.of("CHF", 5903L));
        assertThat(read.lines()).extracting(SettlementLine::providerLineId).doesNotHaveDuplicates();
        assertThat(kind(read, SettlementKind.RETURN)).extracting(SettlementLine::amountMinor).containsExactly(-600L, -1553L);
        assertThat(kind(read, SettlementKind.RETURN)).allMatch(line -> line.hints().get("chargesNotIncludedMinor").equals("70"));
        assertThat(read.header().closing()).isEmpty();
    }

    @Test
    void mt940OfABank() {
        Read read = read("bank-mt940", "mt940.sta");
        holds(read);
        assertThat(read.header().controls()).contains(new ControlTotal("closing", "EUR", 1119413, 1119413));
        assertThat(read.header().statementId()).isEqualTo("00296");
        assertThat(read.lines()).extracting(SettlementLine::reference).containsExactly("PAY20261023000091", "PAY20261023000092",
                "PAY20261023000092", "PAY20261023000093", "PAY20261023000094", null);
        assertThat(read.lines()).noneMatch(SettlementLine::referenceTruncated);
        assertThat(read.lines()).extracting(SettlementLine::amountMinor).containsExactly(129902L, -80000L, 80000L, -20488L, 10000L, -1L);
        assertThat(read.lines()).extracting(SettlementLine::kind).containsExactly(SettlementKind.PAYMENT, SettlementKind.PAYMENT,
                SettlementKind.RETURN, SettlementKind.RETURN, SettlementKind.PAYMENT, SettlementKind.FEE);
        assertThat(read.lines()).extracting(SettlementLine::providerLineId).doesNotHaveDuplicates().doesNotContainNull();
    }

    @Test
    void severalMessagesInOneFileProveNoPeriod() {
        String text = new String(Contracts.bytes("mt940.sta"), StandardCharsets.US_ASCII);
        assertThat(read("bank-mt940", "mt940.sta").header().periodTo()).isNotNull();
        Read read = Contracts.read("bank-mt940", (text + text).getBytes(StandardCharsets.US_ASCII));
        holds(read);
        assertThat(read.lines()).hasSize(12);
        assertThat(read.header().periodTo()).isNull();
    }

    @Test
    void aReferenceThatFillsItsFieldIsACandidateOnly() {
        String text = new String(Contracts.bytes("mt940.sta"), StandardCharsets.US_ASCII).replaceAll("(?m)^:86:.*\r\n|^\\?21.*\r\n", "");
        Read read = Contracts.read("bank-mt940", text.getBytes(StandardCharsets.US_ASCII));
        assertThat(read.lines().subList(0, 5)).allMatch(line -> line.referenceTruncated() && line.reference().equals("PAY2026102300009"));
        assertThat(read.lines().get(5).referenceTruncated()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"plain_ok.csv,2,139902", "plain_ok_SAME_CONTENT_OTHER_NAME.csv,2,139902", "plain_ok_REDELIVERED_PLUS_ONE.csv,3,140402",
        "plain_bom.csv,2,139902", "plain_no_final_newline.csv,2,139902", "plain_columns_reordered.csv,1,10000",
        "plain_identical_lines.csv,2,20000", "plain_twins_different_txn.csv,2,20000", "plain_thousands.csv,2,139902",
        "plain_formula.csv,1,100", "plain_trailing_summary.csv,2,139902"})
    void plainFiles(String file, int rows, long total) {
        Read read = read("plain-csv", file);
        assertThat(read.lines()).hasSize(rows);
        assertThat(sum(read, line -> true)).isEqualTo(total);
        assertThat(read.lines()).allMatch(line -> line.amountMinor() - line.feeMinor() == line.netMinor());
        assertThat(read.header().controls()).allMatch(ControlTotal::holds);
        assertThat(read.header().controls().isEmpty()).isEqualTo(!file.contains("summary"));
    }

    @Test
    void aFormulaIsData() {
        assertThat(read("plain-csv", "plain_formula.csv").lines().get(0).reference()).isEqualTo("=HYPERLINK(\"http://x.invalid\")");
    }

    @Test
    void decimalCommas() {
        SettlementContract contract = plain();
        contract.getText().setDelimiter(";");
        contract.getMoney().setDecimal(",");
        contract.getMoney().setThousands(".");
        Read read = Contracts.read(contract, Contracts.bytes("plain_eu_semicolon.csv"));
        assertThat(read.lines()).extracting(SettlementLine::amountMinor).containsExactly(10000L, 129902L);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "plain-csv|plain_empty_0_bytes.csv|The file: found no header",
        "plain-csv|plain_eu_semicolon.csv|Line 1, column type: found no column of this name",
        "plain-csv|plain_cut_in_amount.csv|Line 3: found 5 cells, allowed 8 as in the header",
        "plain-csv|plain_extra_missing_columns.csv|Line 2: found 9 cells, allowed 8 as in the header",
        "alipay|alipay_business_detail_gbk_TRUNCATED.csv|Line 10, column 1: found bytes that are no character of GB18030",
        "wechat-pay|wechat_tradebill_ALL_TRUNCATED.csv|Line 6: found 7 cells, allowed 27 as in the header",
        "bank-camt|mt940.sta|Line 1: found broken XML",
        "bank-mt940|camt054_v04.xml|Line 1: found text outside of a message",
        "stripe|plain_ok.csv|column of this name"})
    void brokenFilesAreRefusedWithTheirPlace(String contract, String file, String message) {
        assertThatThrownBy(() -> read(contract, file)).isInstanceOf(SettlementRefusedException.class).hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"1,299.02|129902", "1299.02|129902", "-5.00|-500", "0|0", "7|700", "5.1|510", "5.100|510",
        "1,234,567.89|123456789"})
    void amountsInTheStyleOfTheContract(String text, long minor) {
        assertThat(amount(text)).isEqualTo(minor);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"1,299", "1.299,02", "12,99.02", "1.299", "-$299.02", "1 299.02", "1e3", "5.", ".5", "+5.00", "５.00",
        "99999999999999999.00", "1,2,3.00", "--5.00"})
    void otherStylesAreRefused(String text) {
        assertThatThrownBy(() -> amount(text)).isInstanceOf(SettlementRefusedException.class)
                .hasMessageStartingWith("Line 2, column gross: found '" + text + "', allowed an amount such as 1,234.56");
    }

    private static long amount(String text) {
        String csv = "merchant_ref,provider_txn_id,type,currency,gross,fee,net,settled_at\n"
                + "a,b,PAYMENT,EUR,\"" + text + "\",0,1.00,2026-10-23T10:00:00Z\n";
        return Contracts.read(plain(), csv.getBytes(StandardCharsets.UTF_8)).lines().get(0).amountMinor();
    }

    /** A contract of its own, that a test may change. */
    static SettlementContract plain() {
        SettlementContract contract = new SettlementContract();
        contract.getMoney().setThousands(",");
        contract.getRow().setReference("merchant_ref");
        contract.getRow().setProviderPaymentId("provider_txn_id");
        contract.getRow().setAmount("gross");
        contract.getRow().setCurrency("currency");
        contract.getRow().setFee("fee");
        contract.getRow().setNet("net");
        contract.getRow().setAt("settled_at");
        contract.getPayment().setWhen("type = PAYMENT");
        contract.getRefund().setWhen("type = REFUND");
        return contract;
    }

    @Test
    void aColumnMayTellTheDirectionAndAmountsMayBeMinorUnits() {
        SettlementContract contract = plain();
        contract.getText().setDelimiter("TAB");
        contract.getMoney().setThousands("NONE");
        contract.getMoney().setStyle(MoneyFormat.Style.MINOR);
        contract.getMoney().setExponents("ISK=2");
        contract.getRow().setSign("dc");
        contract.getRow().setNegative("D, DR");
        contract.getRow().setPositive("C");
        contract.getRow().setFee("NONE");
        contract.getRow().setNet("NONE");
        String header = "merchant_ref\tprovider_txn_id\ttype\tcurrency\tgross\tdc\tsettled_at\n";
        Read read = Contracts.read(contract, (header + "a\tb\tPAYMENT\tISK\t12300\tDR\t2026-10-23T10:00:00Z\n"
                + "a\tb\tPAYMENT\tEUR\t12345\tC\t2026-10-23T10:00:00Z\n").getBytes(StandardCharsets.UTF_8));
        assertThat(read.lines()).extracting(SettlementLine::amountMinor).containsExactly(-123L, 12345L);
        assertThatThrownBy(() -> Contracts.read(contract, (header + "a\tb\tPAYMENT\tISK\t12345\tC\t2026-10-23T10:00:00Z\n")
                .getBytes(StandardCharsets.UTF_8))).hasMessageContaining("Line 2, column gross: found '12345'");
        assertThatThrownBy(() -> Contracts.read(contract, (header + "a\tb\tPAYMENT\tEUR\t1\tX\t2026-10-23T10:00:00Z\n")
                .getBytes(StandardCharsets.UTF_8))).hasMessageContaining("Line 2, column dc: found 'X'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "PAYMENT,XXX,1.00,2026-10-23T10:00:00Z|Line 2, column currency: found 'XXX'",
        "GIFT,EUR,1.00,2026-10-23T10:00:00Z|Line 2, column type: found 'GIFT', allowed a row that the contract names: PAYMENT, REFUND",
        "PAYMENT,EUR,1.00,2026-10-23 10:00:00|Line 2, column settled_at: found '2026-10-23 10:00:00'",
        "PAYMENT,EUR,1.00,2026-02-30T10:00:00Z|Line 2, column settled_at",
        "PAYMENT,EUR,,2026-10-23T10:00:00Z|Line 2, column gross: found nothing",
        "PAYMENT,EUR,\"1.00,2026-10-23T10:00:00Z|Line 2, column 5: found the end of the file in a quoted cell",
        "PAYMENT,EUR,\"1.0\"0,2026-10-23T10:00:00Z|Line 2, column 5: found text after a closing quote"})
    void cellsThatTheContractDoesNotNameAreRefused(String cells, String message) {
        String[] parts = cells.split(",", 3);
        String csv = "merchant_ref,provider_txn_id,type,currency,gross,settled_at,fee,net\n"
                + "a,b," + parts[0] + "," + parts[1] + "," + parts[2] + ",0,1.00\n";
        assertThatThrownBy(() -> Contracts.read(plain(), csv.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(SettlementRefusedException.class).hasMessageContaining(message);
    }

    @Test
    void anAmountThatTheEndOfTheFileMayHaveCutIsRefused() {
        String csv = "settled_at,merchant_ref,provider_txn_id,type,currency,fee,net,gross\n2026-10-23T10:00:00Z,a,b,PAYMENT,EUR,0,12.00,12.0";
        assertThatThrownBy(() -> Contracts.read(plain(), csv.getBytes(StandardCharsets.UTF_8)))
                .hasMessageContaining("Line 2, column gross: found the end of the file in this row");
        assertThat(Contracts.read(plain(), (csv + "0\n").getBytes(StandardCharsets.UTF_8)).lines()).hasSize(1);
    }

    @Test
    void aCentTooMuchIsAControlThatFails() {
        String text = new String(Contracts.bytes("wechat_tradebill_ALL_utf8bom.csv"), StandardCharsets.UTF_8);
        Read off = Contracts.read("wechat-pay", text.replace("`1549.03", "`1549.04").getBytes(StandardCharsets.UTF_8));
        assertThat(off.header().controls()).filteredOn(control -> !control.holds())
                .containsExactly(new ControlTotal("订单总金额", "CNY", 154904, 154903));
        String camt = new String(Contracts.bytes("camt053_v08.xml"), StandardCharsets.UTF_8);
        Read entry = Contracts.read("bank-camt", camt.replace(">300.00<", ">300.01<").getBytes(StandardCharsets.UTF_8));
        assertThat(entry.header().controls()).filteredOn(control -> !control.holds())
                .containsExactly(new ControlTotal("entry SVC0002", "EUR", -60000, -60001));
        String mt = new String(Contracts.bytes("mt940.sta"), StandardCharsets.US_ASCII);
        Read missing = Contracts.read("bank-mt940", mt.replace("C1299,02", "C1299,01").getBytes(StandardCharsets.US_ASCII));
        assertThat(missing.header().controls()).filteredOn(control -> !control.holds())
                .containsExactly(new ControlTotal("closing", "EUR", 1119413, 1119412));
    }

    @Test
    void errorBodiesInPlaceOfAFileAreShown() {
        byte[] json = "{\"code\":\"NO_STATEMENT_EXIST\",\"message\":\"no bill\"}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> Contracts.read("wechat-pay", json)).hasMessageContaining("NO_STATEMENT_EXIST");
        byte[] xml = "<xml><return_code>FAIL</return_code></xml>".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> Contracts.read("wechat-pay", xml)).hasMessageContaining("FAIL");
    }

    @Test
    void nothingOutsideOfAnXmlFileIsRead() {
        String camt = new String(Contracts.bytes("camt054_v04.xml"), StandardCharsets.UTF_8);
        String head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
        for (String dtd : List.of("<!DOCTYPE Document SYSTEM \"file:///etc/hostname\">",
                "<!DOCTYPE Document [<!ENTITY a SYSTEM \"file:///etc/hostname\">]>", "<!DOCTYPE Document [<!ENTITY a \"b\">]>")) {
            byte[] hostile = camt.replace(head, head + dtd).replace("NT20261023001", "&a;").getBytes(StandardCharsets.UTF_8);
            assertThatThrownBy(() -> Contracts.read("bank-camt", hostile)).isInstanceOf(SettlementRefusedException.class)
                    .hasMessageContaining("document type declaration");
        }
    }

    @ParameterizedTest
    @CsvSource({"camt.053.001.01,false", "camt.053.001.02,true", "camt.053.001.08,true", "camt.053.001.10,true", "pain.001.001.09,false"})
    void onlyMessagesOfTheContractAreRead(String message, boolean read) {
        byte[] camt = new String(Contracts.bytes("camt053_v08.xml"), StandardCharsets.UTF_8).replace("camt.053.001.08", message)
                .getBytes(StandardCharsets.UTF_8);
        if (read) {
            holds(Contracts.read("bank-camt", camt));
        }
        else {
            assertThatThrownBy(() -> Contracts.read("bank-camt", camt)).hasMessageContaining("Line 2, column Document");
        }
    }

    @Test
    void theCharacterSetIsTheContracts() {
        byte[] gbk = new String(Contracts.bytes("wechat_tradebill_SUCCESS.csv"), StandardCharsets.UTF_8).getBytes(Charset.forName("GBK"));
        assertThatThrownBy(() -> Contracts.read("wechat-pay", gbk)).hasMessageContaining("no character of UTF-8");
    }

    @Test
    void everyShippedContractIsRight() {
        for (String name : List.of("wechat-pay", "alipay", "stripe", "adyen", "bank-camt", "bank-mt940", "plain-csv")) {
            Contracts.contract(name).check();
        }
    }
}
