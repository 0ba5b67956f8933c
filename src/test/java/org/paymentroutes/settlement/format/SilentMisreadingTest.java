package org.paymentroutes.settlement.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.paymentroutes.settlement.format.Contracts.Read;

/** Files that could be read without a complaint as something that they do not say. */
class SilentMisreadingTest {

    private static SettlementContract contract() {
        SettlementContract contract = new SettlementContract();
        contract.getText().setComment("HASH");
        contract.getTime().setFormat("uuuu-MM-dd HH:mm");
        contract.getTime().setZone("Europe/Berlin");
        contract.getRow().setReference("ref");
        contract.getRow().setAmount("amount");
        contract.getRow().setCurrency("ccy");
        contract.getRow().setAt("at");
        contract.getPayment().setWhen("kind = PAY");
        return contract;
    }

    private static Read read(SettlementContract contract, String text) {
        return Contracts.read(contract, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void refused(SettlementContract contract, String text, String why) {
        assertThatThrownBy(() -> read(contract, text)).isInstanceOf(SettlementRefusedException.class).hasMessageContaining(why);
    }

    @Test
    void rowsBetweenOldLineEndsAreNoPartOfTheHeader() {
        String rows = "ref,kind,amount,ccy,at,note\nA,PAY,1.00,EUR,2026-10-23 10:00,x\nB,PAY,2.00,EUR,2026-10-23 10:00,y\n";
        assertThat(read(contract(), rows).lines()).hasSize(2);
        assertThat(read(contract(), rows.replace("\n", "\r\n")).lines()).hasSize(2);
        refused(contract(), rows.replace('\n', '\r'), "a carriage return");
        refused(contract(), rows.replace("x\nB", "x\rB"), "a carriage return");
    }

    @Test
    void aDirectionIsNotToldTwice() {
        SettlementContract contract = contract();
        contract.getRow().setSign("dc");
        contract.getRow().setPositive("C");
        contract.getRow().setNegative("D");
        String rows = "ref,kind,amount,ccy,at,dc\nA,PAY,%s,EUR,2026-10-23 10:00,%s\n";
        assertThat(read(contract, rows.formatted("5.00", "D")).lines().get(0).amountMinor()).isEqualTo(-500);
        assertThat(read(contract, rows.formatted("5.00", "C")).lines().get(0).amountMinor()).isEqualTo(500);
        refused(contract, rows.formatted("-5.00", "D"), "Line 2, column amount");
        refused(contract, rows.formatted("-5.00", "C"), "Line 2, column amount");
    }

    @Test
    void aRowThatBeginsLikeACommentIsNotDropped() {
        String rows = "# a report, of today\nref,kind,amount,ccy,at\nA,PAY,1.00,EUR,2026-10-23 10:00\n%s,PAY,2.00,EUR,2026-10-23 10:00\n# two, rows\n";
        assertThat(read(contract(), rows.formatted("\"#17\"")).lines()).hasSize(2);
        refused(contract(), rows.formatted("#17"), "Line 4");
    }

    @Test
    void aTimeThatNeverWasIsNoOther() {
        String rows = "ref,kind,amount,ccy,at\nA,PAY,1.00,EUR,2026-03-29 0%d:30\n";
        assertThat(read(contract(), rows.formatted(1)).lines()).hasSize(1);
        assertThat(read(contract(), rows.formatted(3)).lines()).hasSize(1);
        refused(contract(), rows.formatted(2), "Line 2, column at");
    }

    @Test
    void aTotalOfAColumnThatStandsTwiceIsNoTotal() {
        SettlementContract contract = contract();
        contract.getTotals().setWhen("ref = TOTAL");
        contract.getTotals().setCurrency("ccy");
        contract.getTotals().setChecks("gross = sum gross");
        refused(contract, "ref,kind,amount,ccy,at,gross,gross\nA,PAY,1.00,EUR,2026-10-23 10:00,1.00,9.00\nTOTAL,,,EUR,,1.00,9.00\n", "two columns of this name");
    }

    private static Read camt(String from, String to) {
        String xml = new String(Contracts.bytes("camt053_v08.xml"), StandardCharsets.UTF_8);
        assertThat(xml).contains(from);
        return Contracts.read("bank-camt", xml.replaceFirst(java.util.regex.Pattern.quote(from), to).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void whatABankAddsInItsOwnWordsIsNoPartOfAnEntry() {
        Read plain = camt("</TxDtls>", "</TxDtls>");
        String own = "<%1$sNtry %2$s><%1$sAmt Ccy=\"EUR\">9.00</%1$sAmt><%1$sCdtDbtInd>CRDT</%1$sCdtDbtInd><%1$sRefs><%1$sEndToEndId>X</%1$sEndToEndId></%1$sRefs></%1$sNtry>";
        assertThat(camt("</TxDtls>", "<SplmtryData><Envlp>" + own.formatted("x:", "xmlns:x=\"urn:bank\"") + "</Envlp></SplmtryData></TxDtls>")).isEqualTo(plain);
        assertThat(camt("</TxDtls>", "<SplmtryData><Envlp>" + own.formatted("", "") + "</Envlp></SplmtryData></TxDtls>")).isEqualTo(plain);
        assertThat(camt("</TxDtls>", own.formatted("x:", "xmlns:x=\"urn:bank\"") + "</TxDtls>")).isEqualTo(plain);
    }

    @Test
    void entriesAreInTheCurrencyOfTheirAccount() {
        // Whatever another currency adds to the account, the balances do not tell.
        String entry = "<Ntry><Amt Ccy=\"USD\">50.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><AcctSvcrRef>U</AcctSvcrRef></Ntry></Stmt>";
        assertThatThrownBy(() -> camt("</Stmt>", entry)).isInstanceOf(SettlementRefusedException.class).hasMessageContaining("entries in USD");
        assertThat(camt("<Ccy>EUR</Ccy>", "").lines()).hasSize(9);
        String xml = new String(Contracts.bytes("camt053_v08.xml"), StandardCharsets.UTF_8).replace("<Ccy>EUR</Ccy>", "").replace("</Stmt>", entry);
        assertThatThrownBy(() -> Contracts.read("bank-camt", xml.getBytes(StandardCharsets.UTF_8))).isInstanceOf(SettlementRefusedException.class)
                .hasMessageContaining("entries in USD");
    }

    private static Read report(String from, String to) {
        String text = new String(Contracts.bytes("mt942.sta"), StandardCharsets.UTF_8);
        assertThat(text).contains(from);
        return Contracts.read("bank-mt940", text.replace(from, to).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aReportIsInOneCurrency() {
        assertThat(report(":34F:EURC0,", ":34F:EURC0,").lines()).allMatch(line -> line.currency().equals("EUR"));
        assertThatThrownBy(() -> report(":34F:EURC0,", ":34F:USDC0,")).isInstanceOf(SettlementRefusedException.class).hasMessageContaining("34F");
        assertThatThrownBy(() -> report(":90C:1EUR", ":90C:1USD")).isInstanceOf(SettlementRefusedException.class).hasMessageContaining("90C");
    }

    @Test
    void anAmountIsAllOfItsText() {
        assertThat(camt(">250.00<", ">25<!-- no digit -->0.00<")).isEqualTo(camt(">250.00<", ">250.00<"));
        assertThatThrownBy(() -> camt(">250.00<", ">25<x/>0.00<")).isInstanceOf(SettlementRefusedException.class).hasMessageContaining("text beside elements");
    }

    @Test
    void theCodesOfWhatIsReturnedAreNotThoseOfTheReturn() {
        String returned = "<RtrInf><OrgnlBkTxCd><Domn><Cd>ACMT</Cd><Fmly><Cd>MDOP</Cd><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></OrgnlBkTxCd>";
        String xml = new String(Contracts.bytes("camt053_v08.xml"), StandardCharsets.UTF_8);
        assertThat(xml).contains("<RtrInf><Rsn>");
        SettlementLine plain = Contracts.read("bank-camt", xml.getBytes(StandardCharsets.UTF_8)).lines().stream()
                .filter(line -> line.kind() == SettlementKind.RETURN).findFirst().orElseThrow();
        SettlementLine told = Contracts.read("bank-camt", xml.replaceFirst("<RtrInf>", returned).getBytes(StandardCharsets.UTF_8)).lines().stream()
                .filter(line -> line.lineNo() == plain.lineNo()).findFirst().orElseThrow();
        assertThat(told).isEqualTo(plain);
    }
}
