package org.paymentroutes.settlement.format;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Follows the elements of one camt document and hands over its entries. */
final class CamtStatement {

    private static final MoneyFormat MONEY = new MoneyFormat();
    private static final int FAILED_CONTROLS = 100;

    private final SettlementContract contract;
    private final Map<String, Integer> exponents;
    private final ZoneId zone;
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
    private Statement statement;
    private CamtEntry entry;
    private CamtEntry.Transaction transaction;
    private CamtEntry.Charge charge;
    private Balance balance;
    private String currency;
    private int failed;

    /** Sums of one statement. */
    private static final class Statement {
        private String id;
        private String account;
        private final List<Balance> balances = new ArrayList<>();
        private final Map<String, Long> booked = new TreeMap<>();
        private final Map<String, String> summary = new LinkedHashMap<>();
        private final long[] numbers = new long[3];
        private final Map<String, Long> debits = new TreeMap<>();
        private final Map<String, Long> credits = new TreeMap<>();
        private String currency;
        /** The direction of the declared net of all entries; null when the file does not say. */
        private Boolean netDebit;
        private Instant from;
        private Instant to;
    }

    private static final class Balance {
        private String code = "";
        private String currency;
        private Long amount;
        private boolean debit;
        private LocalDate date;

        private long signed() {
            return debit ? -amount : amount;
        }
    }

    CamtStatement(SettlementContract contract, Map<String, Integer> exponents, Consumer<SettlementLine> lines) {
        this.contract = contract;
        this.exponents = exponents;
        this.zone = contract.getTime().zone();
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
                    statement = new Statement();
                    statements++;
                }
            }
            case "Bal" -> balance = depth == 4 ? new Balance() : null;
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
            messagePage = name.equals("PgNb") ? (Integer) number(text, line) : messagePage;
            messageLast = name.equals("LastPgInd") ? (Boolean) truth(text, line) : messageLast;
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
            case "StmtPgntn/PgNb", "NtfctnPgntn/PgNb" -> page = number(text, line);
            case "StmtPgntn/LastPgInd", "NtfctnPgntn/LastPgInd" -> last = truth(text, line);
            case "FrToDt/FrDtTm" -> statement.from = dateTime(text, line);
            case "FrToDt/ToDtTm" -> statement.to = dateTime(text, line);
            case "Id/IBAN", "Othr/Id" -> account(text, depth, line);
            case "Acct/Ccy" -> statement.currency = known(text, line);
            case "TtlNtries/NbOfNtries", "TtlCdtNtries/NbOfNtries", "TtlDbtNtries/NbOfNtries", "TtlCdtNtries/Sum",
                    "TtlDbtNtries/Sum", "TtlNtries/Sum", "TtlNtries/TtlNetNtryAmt", "TtlNetNtry/Amt" ->
                    statement.summary.put(parent + "/" + name, text);
            case "TtlNtries/CdtDbtInd", "TtlNetNtry/CdtDbtInd" -> statement.netDebit = debit(text, line);
            default -> {
                if (depth == 4 && name.equals("Bal")) {
                    balance(line);
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
                balance.currency = known(currency, line);
                balance.amount = money(text, currency, line);
            }
            case "Bal/CdtDbtInd" -> balance.debit = debit(text, line);
            case "Dt/Dt" -> balance.date = date(text, line);
            case "Dt/DtTm" -> balance.date = dateTime(text, line).atZone(zone).toLocalDate();
            default -> {
                // Other parts of a balance are not ours.
            }
        }
    }

    private void balance(long line) {
        if (balance.amount == null) {
            throw new SettlementRefusedException(line, "Bal", "a balance without an amount", "Amt with a currency");
        }
        statement.balances.add(balance);
        balance = null;
    }

    private void endOfStatement(long line) {
        Balance open = find(false, "OPBD", "PRCD", "ITBD");
        Balance close = find(true, "CLBD", "ITBD");
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
                        Totalizer.plus(open.signed(), statement.booked.getOrDefault(open.currency, 0L), line)));
            }
        }
        String ccy = statement.currency != null ? statement.currency : statement.booked.keySet().stream().findFirst().orElse(null);
        statement.summary.forEach((name, declared) -> summary(name, declared, ccy, line));
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

    private Balance find(boolean fromEnd, String... codes) {
        for (String code : codes) {
            List<Balance> found = statement.balances.stream().filter(one -> one.code.equals(code)).toList();
            if (!found.isEmpty()) {
                return found.get(fromEnd ? found.size() - 1 : 0);
            }
        }
        return null;
    }

    private void summary(String name, String declared, String ccy, long line) {
        boolean all = name.startsWith("TtlNtries");
        boolean credit = name.startsWith("TtlCdt");
        if (name.endsWith("NbOfNtries")) {
            long counted = all ? statement.numbers[2] : statement.numbers[credit ? 1 : 0];
            controls.add(new ControlTotal(name, null, number(declared, line), counted));
        }
        else if (ccy != null) {
            long credits = statement.credits.getOrDefault(ccy, 0L);
            long debits = statement.debits.getOrDefault(ccy, 0L);
            long told = money(declared, ccy, line);
            if (name.startsWith("TtlNet") || name.endsWith("TtlNetNtryAmt")) {
                long net = credits - debits;
                // Without a direction only the size is told.
                controls.add(new ControlTotal(name, ccy, Boolean.TRUE.equals(statement.netDebit) ? -told : told,
                        statement.netDebit == null ? Math.abs(net) : net));
            }
            else {
                controls.add(new ControlTotal(name, ccy, told, all ? Totalizer.plus(credits, debits, line) : credit ? credits : debits));
            }
        }
    }

    private void inEntry(String name, int depth, String text, long line) {
        String parent = parent();
        switch (parent + "/" + name) {
            case "Ntry/NtryRef" -> entry.reference = text;
            case "Ntry/Amt" -> {
                entry.currency = known(currency, line);
                entry.amount = money(text, currency, line);
            }
            case "Ntry/CdtDbtInd" -> entry.debit = debit(text, line);
            case "Ntry/RvslInd" -> entry.reversal = truth(text, line);
            case "Ntry/Sts", "Sts/Cd", "Sts/Prtry" -> entry.status = text.isEmpty() ? entry.status : text;
            case "Ntry/AddtlNtryInf" -> entry.info = text;
            case "Ntry/AcctSvcrRef" -> entry.bankReference = text;
            case "BookgDt/Dt", "BookgDt/DtTm" -> entry.booked = time(name, text, line);
            case "ValDt/Dt", "ValDt/DtTm" -> entry.valueDate = text;
            case "Btch/NbOfTxs" -> entry.declaredTransactions += number(text, line);
            case "Domn/Cd" -> code().set(0, text);
            case "Fmly/Cd" -> code().set(1, text);
            case "Fmly/SubFmlyCd" -> code().set(2, text);
            case "Prtry/Cd" -> {
                if (path.contains("BkTxCd")) {
                    code().set(3, text);
                }
            }
            case "Rcrd/Amt", "Chrgs/Amt" -> {
                charge.currency = known(currency, line);
                charge.amount = money(text, currency, line);
            }
            case "Rcrd/CdtDbtInd", "Chrgs/CdtDbtInd" -> charge.credit = !debit(text, line);
            case "Rcrd/ChrgInclInd" -> charge.included = truth(text, line);
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
                    transaction.currency = known(currency, line);
                    transaction.amount = money(text, currency, line);
                }
            }
            case "TxDtls/CdtDbtInd" -> transaction.debit = debit(text, line);
            case "Rsn/Cd", "Rsn/Prtry" -> transaction.returnReason = path.contains("RtrInf") ? text : transaction.returnReason;
            case "Refs/InstrId", "Refs/PmtInfId", "CdtrRefInf/Ref", "TxDtls/AddtlTxInf" ->
                    transaction.references = transaction.references == null ? text : transaction.references + " " + text;
            case "RmtInf/Ustrd" -> transaction.text = transaction.text == null ? text : transaction.text + " " + text;
            default -> {
                // Parties, agents, purposes: personal data, and not ours.
            }
        }
    }

    private List<String> code() {
        return transaction == null ? entry.codes : transaction.codes;
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
        statement.numbers[2]++;
        statement.numbers[entry.debit ? 0 : 1]++;
        if (entry.status.equals("BOOK")) {
            statement.booked.merge(entry.currency, entry.signed(), (a, b) -> Totalizer.plus(a, b, line));
        }
        (entry.debit ? statement.debits : statement.credits).merge(entry.currency, entry.amount, (a, b) -> Totalizer.plus(a, b, line));
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

    private String known(String code, long line) {
        if (code == null || !exponents.containsKey(code)) {
            throw new SettlementRefusedException(line, column(), "currency '" + code + "'", "an ISO 4217 currency code");
        }
        return code;
    }

    private long money(String text, String code, long line) {
        known(code, line);
        try {
            if (text.startsWith("-")) {
                throw new MoneyFormat.NotAnAmountException("an amount without a sign");
            }
            return MONEY.minor(text, code, exponents.get(code));
        }
        catch (MoneyFormat.NotAnAmountException e) {
            throw new SettlementRefusedException(line, column(), "'" + text + "'", e.getMessage());
        }
    }

    private boolean debit(String text, long line) {
        if (!text.equals("CRDT") && !text.equals("DBIT")) {
            throw new SettlementRefusedException(line, column(), "'" + text + "'", "CRDT or DBIT");
        }
        return text.equals("DBIT");
    }

    private boolean truth(String text, long line) {
        return switch (text) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw new SettlementRefusedException(line, column(), "'" + text + "'", "true or false");
        };
    }

    private int number(String text, long line) {
        if (!text.matches("[0-9]{1,9}")) {
            throw new SettlementRefusedException(line, column(), "'" + text + "'", "a number");
        }
        return Integer.parseInt(text);
    }

    private Instant time(String name, String text, long line) {
        return name.equals("Dt") ? date(text, line).atStartOfDay(zone).toInstant() : dateTime(text, line);
    }

    private LocalDate date(String text, long line) {
        // A date may carry an offset; the day counts.
        Instant at = TimeFormat.instant(DateTimeFormatter.ISO_DATE, text, ZoneId.of("Z"));
        if (at == null) {
            throw new SettlementRefusedException(line, column(), "'" + text + "'", "a date such as 2026-10-23");
        }
        return at.atZone(ZoneId.of("Z")).toLocalDate();
    }

    private Instant dateTime(String text, long line) {
        Instant at = TimeFormat.instant(DateTimeFormatter.ISO_DATE_TIME, text, zone);
        if (at == null) {
            throw new SettlementRefusedException(line, column(), "'" + text + "'", "a time such as 2026-10-23T05:00:00+02:00");
        }
        return at;
    }
}
