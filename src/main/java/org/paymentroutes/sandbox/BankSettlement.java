package org.paymentroutes.sandbox;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** Statements of a bank account over which the movements went, without fees. */
final class BankSettlement {

    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final DateTimeFormatter SWIFT_DAY = DateTimeFormatter.ofPattern("uuMMdd");
    private static final DateTimeFormatter MONTH_DAY = DateTimeFormatter.ofPattern("MMdd");
    private static final long OPENING = 1_000_000;
    private static final int SWIFT_REFERENCE = 16;
    private static final int SWIFT_LINE = 60;

    private BankSettlement() {
    }

    static String statement(SettlementContent content) {
        StringBuilder text = document("camt.053.001.08", "BkToCstmrStmt", content);
        for (String currency : content.currencies()) {
            SettlementContent one = content.only(row -> row.currency().equals(currency));
            String to = content.to().atZone(UTC).toLocalDate().toString();
            text.append("<Stmt><Id>SBX-").append(content.number()).append('-').append(currency).append("</Id><FrToDt><FrDtTm>").append(content.from())
                    .append("</FrDtTm><ToDtTm>").append(content.to()).append("</ToDtTm></FrToDt><Acct><Id><Othr><Id>sandbox</Id></Othr></Id><Ccy>")
                    .append(currency).append("</Ccy></Acct>\n");
            balance(text, "OPBD", OPENING, currency, to);
            balance(text, "CLBD", OPENING + one.sum(SettlementLine::signed), currency, to);
            one.rows().forEach(row -> entry(text, row, "<Sts><Cd>BOOK</Cd></Sts>"));
            text.append("</Stmt>\n");
        }
        return text.append("</BkToCstmrStmt></Document>\n").toString();
    }

    static String notification(SettlementContent content) {
        StringBuilder text = document("camt.054.001.04", "BkToCstmrDbtCdtNtfctn", content);
        for (String currency : content.currencies()) {
            SettlementContent one = content.only(row -> row.currency().equals(currency));
            text.append("<Ntfctn><Id>SBX-").append(content.number()).append('-').append(currency)
                    .append("</Id><Acct><Id><Othr><Id>sandbox</Id></Othr></Id><Ccy>").append(currency).append("</Ccy></Acct><TxsSummry><TtlCdtNtries><Sum>")
                    .append(SettlementLine.decimal(one.sum(row -> row.charge() ? row.amount() : 0), currency))
                    .append("</Sum></TtlCdtNtries><TtlDbtNtries><Sum>")
                    .append(SettlementLine.decimal(one.sum(row -> row.charge() ? 0 : row.amount()), currency))
                    .append("</Sum></TtlDbtNtries></TxsSummry>\n");
            one.rows().forEach(row -> entry(text, row, "<Sts>BOOK</Sts>"));
            text.append("</Ntfctn>\n");
        }
        return text.append("</BkToCstmrDbtCdtNtfctn></Document>\n").toString();
    }

    private static StringBuilder document(String message, String root, SettlementContent content) {
        return new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:").append(message)
                .append("\"><").append(root).append("><GrpHdr><MsgId>SBX-").append(content.number()).append("</MsgId><CreDtTm>").append(content.to())
                .append("</CreDtTm><MsgPgntn><PgNb>1</PgNb><LastPgInd>true</LastPgInd></MsgPgntn></GrpHdr>\n");
    }

    private static void balance(StringBuilder text, String code, long minor, String currency, String day) {
        text.append("<Bal><Tp><CdOrPrtry><Cd>").append(code).append("</Cd></CdOrPrtry></Tp>").append(amount(Math.abs(minor), currency))
                .append("<CdtDbtInd>").append(minor < 0 ? "DBIT" : "CRDT").append("</CdtDbtInd><Dt><Dt>").append(day).append("</Dt></Dt></Bal>\n");
    }

    private static void entry(StringBuilder text, SettlementLine row, String status) {
        String side = "<CdtDbtInd>" + (row.charge() ? "CRDT" : "DBIT") + "</CdtDbtInd>";
        String amount = amount(row.amount(), row.currency());
        text.append("<Ntry><NtryRef>").append(row.id()).append("</NtryRef>").append(amount).append(side).append("<RvslInd>false</RvslInd>").append(status)
                .append("<BookgDt><DtTm>").append(Instant.ofEpochMilli(row.bookedAt())).append("</DtTm></BookgDt><AcctSvcrRef>").append(row.id())
                .append("</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls><TxDtls>"
                        + "<Refs><EndToEndId>").append(row.reference()).append("</EndToEndId></Refs>").append(amount).append(side)
                .append("</TxDtls></NtryDtls></Ntry>\n");
    }

    private static String amount(long minor, String currency) {
        return "<Amt Ccy=\"" + currency + "\">" + SettlementLine.decimal(minor, currency) + "</Amt>";
    }

    static String mt940(SettlementContent content) {
        StringBuilder text = new StringBuilder();
        int statement = 0;
        for (String currency : content.currencies()) {
            SettlementContent one = content.only(row -> row.currency().equals(currency));
            statement++;
            text.append(":20:SBX").append(content.number()).append("\r\n:25:SANDBOX\r\n:28C:").append(statement).append("/1\r\n:60F:")
                    .append(swiftBalance(OPENING, currency, content.from())).append("\r\n");
            for (SettlementLine row : one.rows()) {
                ZonedDateTime day = Instant.ofEpochMilli(row.bookedAt()).atZone(UTC);
                String cut = row.reference().length() > SWIFT_REFERENCE ? row.reference().substring(0, SWIFT_REFERENCE) : row.reference();
                text.append(":61:").append(SWIFT_DAY.format(day)).append(MONTH_DAY.format(day)).append(row.charge() ? "C" : "D")
                        .append(swift(row.amount(), currency)).append("NTRF").append(cut).append("//").append(row.id()).append("\r\n")
                        .append(folded(":86:166?00SANDBOX?20EREF+" + row.reference())).append("\r\n");
            }
            text.append(":62F:").append(swiftBalance(OPENING + one.sum(SettlementLine::signed), currency, content.to())).append("\r\n-\r\n");
        }
        return text.toString();
    }

    private static String swiftBalance(long minor, String currency, Instant day) {
        return (minor < 0 ? "D" : "C") + SWIFT_DAY.format(day.atZone(UTC)) + currency + swift(Math.abs(minor), currency);
    }

    private static String swift(long minor, String currency) {
        String number = SettlementLine.decimal(minor, currency).replace('.', ',');
        return number.indexOf(',') < 0 ? number + "," : number;
    }

    private static String folded(String text) {
        return text.length() <= SWIFT_LINE ? text : text.substring(0, SWIFT_LINE) + "\r\n" + folded(text.substring(SWIFT_LINE));
    }
}
