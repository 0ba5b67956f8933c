package org.paymentroutes.settlement.format;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Follows the elements of one camt document and hands over its entries. */
final class CamtStatement {

    private static final int FAILED_CONTROLS = 100;

    private final SettlementContract contract;
    private final ZoneId zone;
    private final CamtValues values;
    private final CamtLines lines;
    private final Deque<String> path = new ArrayDeque<>();
    private final List<ControlTotal> controls = new ArrayList<>();
    private final Map<String, Long> opening = new TreeMap<>();
    private final Map<String, Long> closing = new TreeMap<>();

    private String messageId;
    private String statementId;
    private int statements;
    private Integer messagePage;
    private Boolean messageLast;
    private Integer page;
    private Boolean last;
    private Instant from;
    private Instant to;
    private boolean onePeriod = true;
    private CamtSums statement;
    private CamtEntry entry;
    private CamtEntry.Transaction transaction;
    private CamtEntry.Charge charge;
    private CamtSums.Balance balance;
    private String currency;
    private int failed;

    CamtStatement(SettlementContract contract, Map<String, Integer> exponents, Consumer<SettlementLine> lines) {
        this.contract = contract;
        this.zone = contract.getTime().zone();
        this.values = new CamtValues(exponents, zone, this::column);
        this.lines = new CamtLines(contract.getBank(), lines);
    }

    /** @return the element that is being read, for messages */
    String column() {
        return path.isEmpty() ? null : path.peekLast();
    }

    void start(String name, int depth, String ccy, long line) {
        path.addLast(name);
        currency = ccy;
        switch (name) {
            case "Stmt", "Ntfctn" -> {
                if (depth == 3) {
                    statement = new CamtSums();
                    statements++;
                }
            }
            case "Bal" -> balance = depth == 4 ? new CamtSums.Balance() : null;
            case "Ntry" -> {
                if (depth == 4) {
                    if (statement == null) {
                        throw new SettlementRefusedException(line, name, "an entry outside of a statement", "Stmt or Ntfctn around it");
                    }
                    entry = new CamtEntry(line);
                    charge = new CamtEntry.Charge();
                }
            }
            case "TxDtls" -> {
                if (entry != null) {
                    transaction = entry.transaction();
                }
            }
            case "Rcrd" -> {
                if (under("Chrgs") && entry != null) {
                    charge = new CamtEntry.Charge();
                }
            }
            case "Chrgs" -> {
                // Version 02 writes each charge as an element of its own, without records.
                if (entry != null) {
                    charge = new CamtEntry.Charge();
                }
            }
            default -> {
                // Nothing begins here.
            }
        }
    }

    void end(String name, int depth, String text, long line) {
        if (entry != null) {
            inEntry(name, depth, text, line);
        }
        else if (statement != null) {
            inStatement(name, depth, text, line);
        }
        else if (depth == 4 && under("GrpHdr") && name.equals("MsgId")) {
            messageId = text;
        }
        else if (depth == 5 && under("MsgPgntn")) {
            messagePage = name.equals("PgNb") ? (Integer) values.number(text, line) : messagePage;
            messageLast = name.equals("LastPgInd") ? (Boolean) values.truth(text, line) : messageLast;
        }
        path.removeLast();
    }

    private void inStatement(String name, int depth, String text, long line) {
        String parent = parent();
        if (balance != null && depth > 4) {
            inBalance(name, parent, text, line);
            return;
        }
        switch (parent + "/" + name) {
            case "Stmt/Id", "Ntfctn/Id" -> {
                statement.id = text;
                statementId = statements == 1 ? text : messageId;
            }
            case "StmtPgntn/PgNb", "NtfctnPgntn/PgNb" -> page = values.number(text, line);
            case "StmtPgntn/LastPgInd", "NtfctnPgntn/LastPgInd" -> last = values.truth(text, line);
            case "FrToDt/FrDtTm" -> statement.from = values.dateTime(text, line);
            case "FrToDt/ToDtTm" -> statement.to = values.dateTime(text, line);
            case "Id/IBAN", "Othr/Id" -> account(text, depth, line);
            case "Acct/Ccy" -> statement.currency = values.currency(text, line);
            case "TtlNtries/NbOfNtries", "TtlCdtNtries/NbOfNtries", "TtlDbtNtries/NbOfNtries", "TtlCdtNtries/Sum",
                    "TtlDbtNtries/Sum", "TtlNtries/Sum", "TtlNtries/TtlNetNtryAmt", "TtlNetNtry/Amt" ->
                    statement.summary.put(parent + "/" + name, text);
            case "TtlNtries/CdtDbtInd", "TtlNetNtry/CdtDbtInd" -> statement.netDebit = values.debit(text, line);
            default -> {
                if (depth == 4 && name.equals("Bal")) {
                    statement.add(balance, line);
                    balance = null;
                }
                else if (depth == 3) {
                    endOfStatement(line);
                }
            }
        }
    }

    private void account(String text, int depth, long line) {
        boolean own = depth == 6 && path.contains("Acct") || depth == 7 && path.contains("Acct");
        if (own && statement.account == null) {
            statement.account = text.replace(" ", "");
            String expected = contract.getBank().account();
            if (expected != null && !expected.equals(statement.account)) {
                // Account numbers do not go into messages.
                throw new SettlementRefusedException(line, "Acct", "another account than the contract's", "a statement of the contract's account");
            }
        }
    }

    private void inBalance(String name, String parent, String text, long line) {
        switch (parent + "/" + name) {
            case "CdOrPrtry/Cd" -> balance.code = text;
            case "Bal/Amt" -> {
                balance.currency = values.currency(currency, line);
                balance.amount = values.money(text, currency, line);
            }
            case "Bal/CdtDbtInd" -> balance.debit = values.debit(text, line);
            case "Dt/Dt" -> balance.date = values.date(text, line);
            case "Dt/DtTm" -> balance.date = values.dateTime(text, line).atZone(zone).toLocalDate();
            default -> {
                // Other parts of a balance are not ours.
            }
        }
    }

    private void endOfStatement(long line) {
        CamtSums.Balance open = statement.opening();
        CamtSums.Balance close = statement.closing();
        statement.oneCurrency(line);
        if (open != null) {
            opening.merge(open.currency, open.signed(), (a, b) -> Totalizer.plus(a, b, line));
        }
        if (close != null && close != open) {
            closing.merge(close.currency, close.signed(), (a, b) -> Totalizer.plus(a, b, line));
            if (contract.getPeriod().dayOfClosing() && statement.from == null && close.date != null) {
                statement.from = close.date.atStartOfDay(zone).toInstant();
                statement.to = close.date.plusDays(1).atStartOfDay(zone).toInstant();
            }
            // Banks that repeat the balances of the whole statement on each page say nothing about the page.
            boolean ofPage = whole() || open != null && open.code.equals("ITBD") || close.code.equals("ITBD");
            if (ofPage && open != null && open.currency.equals(close.currency)) {
                controls.add(new ControlTotal(statements == 1 ? "closing" : "closing " + statement.id, close.currency, close.signed(),
                        Totalizer.plus(open.signed(), statement.booked(open.currency), line)));
            }
        }
        controls.addAll(statement.declared(values, line));
        if (statements > 1 && !whole()) {
            throw new SettlementRefusedException(line, "Stmt", "several statements in one file of pages", "one statement in a file of pages");
        }
        // Accounts with different periods: no time is covered for all of them.
        onePeriod &= statements == 1 || Objects.equals(from, statement.from) && Objects.equals(to, statement.to);
        from = statement.from;
        to = statement.to;
        statement = null;
    }

    /** @return whether the file is no page of something larger */
    private boolean whole() {
        return pageNo() == 1 && lastPage();
    }

    private int pageNo() {
        return page != null ? page : messagePage == null ? 1 : messagePage;
    }

    private boolean lastPage() {
        return last != null ? last : messageLast == null || messageLast;
    }

    private void inEntry(String name, int depth, String text, long line) {
        String parent = parent();
        switch (parent + "/" + name) {
            case "Ntry/NtryRef" -> entry.reference = text;
            case "Ntry/Amt" -> {
                entry.currency = values.currency(currency, line);
                entry.amount = values.money(text, currency, line);
            }
            case "Ntry/CdtDbtInd" -> entry.debit = values.debit(text, line);
            case "Ntry/RvslInd" -> entry.reversal = values.truth(text, line);
            case "Ntry/Sts", "Sts/Cd", "Sts/Prtry" -> entry.status = text.isEmpty() ? entry.status : text;
            case "Ntry/AddtlNtryInf" -> entry.info = text;
            case "Ntry/AcctSvcrRef" -> entry.bankReference = text;
            case "BookgDt/Dt", "BookgDt/DtTm" -> entry.booked = values.time(name, text, line);
            case "ValDt/Dt", "ValDt/DtTm" -> entry.valueDate = text;
            case "Btch/NbOfTxs" -> entry.declaredTransactions += values.number(text, line);
            case "Domn/Cd" -> code(0, text);
            case "Fmly/Cd" -> code(1, text);
            case "Fmly/SubFmlyCd" -> code(2, text);
            case "Prtry/Cd" -> code(3, text);
            case "Rcrd/Amt", "Chrgs/Amt" -> {
                charge.currency = values.currency(currency, line);
                charge.amount = values.money(text, currency, line);
            }
            case "Rcrd/CdtDbtInd", "Chrgs/CdtDbtInd" -> charge.credit = !values.debit(text, line);
            case "Rcrd/ChrgInclInd" -> charge.included = values.truth(text, line);
            case "Chrgs/Rcrd" -> keepCharge();
            default -> inTransaction(parent, name, depth, text, line);
        }
    }

    private void inTransaction(String parent, String name, int depth, String text, long line) {
        if (name.equals("Ntry") && depth == 4) {
            endOfEntry(line);
            return;
        }
        if (name.equals("Chrgs")) {
            keepCharge();
            return;
        }
        if (transaction == null) {
            return;
        }
        switch (parent + "/" + name) {
            case "NtryDtls/TxDtls" -> transaction = null;
            case "Refs/EndToEndId" -> transaction.endToEnd = text.equals("NOTPROVIDED") || text.isEmpty() ? null : text;
            case "Refs/AcctSvcrRef" -> transaction.bankReference = text;
            case "Refs/TxId" -> transaction.transactionId = text;
            case "TxDtls/Amt", "TxAmt/Amt" -> {
                if (transaction.amount == null || parent.equals("TxDtls")) {
                    transaction.currency = values.currency(currency, line);
                    transaction.amount = values.money(text, currency, line);
                }
            }
            case "TxDtls/CdtDbtInd" -> transaction.debit = values.debit(text, line);
            case "Rsn/Cd", "Rsn/Prtry" -> transaction.returnReason = path.contains("RtrInf") ? text : transaction.returnReason;
            case "Refs/InstrId", "Refs/PmtInfId", "CdtrRefInf/Ref", "TxDtls/AddtlTxInf" ->
                    transaction.references = transaction.references == null ? text : transaction.references + " " + text;
            case "RmtInf/Ustrd" -> transaction.text = transaction.text == null ? text : transaction.text + " " + text;
            default -> {
                // Parties, agents, purposes: personal data, and not ours.
            }
        }
    }

    /** A return tells the codes of what is returned too, in OrgnlBkTxCd: they are not its own. */
    private void code(int part, String text) {
        if (path.contains("BkTxCd")) {
            (transaction == null ? entry.codes : transaction.codes).set(part, text);
        }
    }

    private void keepCharge() {
        if (charge != null && charge.amount != null) {
            (transaction == null ? entry.charges : transaction.charges).add(charge);
        }
        charge = new CamtEntry.Charge();
    }

    private void endOfEntry(long line) {
        if (entry.amount == null || entry.debit == null) {
            throw new SettlementRefusedException(entry.line, "Ntry", "an entry without " + (entry.amount == null ? "Amt" : "CdtDbtInd"),
                    "both");
        }
        if (!List.of("BOOK", "PDNG", "INFO", "FUTR").contains(entry.status)) {
            throw new SettlementRefusedException(entry.line, "Sts", "'" + entry.status + "'", "BOOK, PDNG, INFO or FUTR");
        }
        statement.add(entry, line);
        ControlTotal wrong = lines.emit(entry);
        if (wrong != null && failed++ < FAILED_CONTROLS) {
            controls.add(wrong);
        }
        entry = null;
        transaction = null;
    }

    SettlementHeader header() {
        if (statements == 0) {
            throw new SettlementRefusedException(0, null, "no statement", "Stmt or Ntfctn");
        }
        // The end of the document is the end mark: XML that is cut is no XML.
        controls.add(0, new ControlTotal("end", null, 1, 1));
        boolean period = onePeriod && from != null && to != null;
        return new SettlementHeader(statements == 1 ? statementId : messageId, pageNo(), lastPage(), period ? from : null, period ? to : null,
                lines.sums().count(), controls, opening, closing, lines.sums().entries());
    }

    private boolean under(String name) {
        return name.equals(parent());
    }

    private String parent() {
        if (path.size() < 2) {
            return "";
        }
        String own = path.removeLast();
        String parent = path.peekLast();
        path.addLast(own);
        return parent;
    }
}
