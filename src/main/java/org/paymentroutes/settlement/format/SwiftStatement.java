package org.paymentroutes.settlement.format;

import com.prowidesoftware.swift.model.field.Field28C;
import com.prowidesoftware.swift.model.field.Field60F;
import com.prowidesoftware.swift.model.field.Field61;
import com.prowidesoftware.swift.model.field.Field90D;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Follows the fields of MT940 and MT942 messages. Prowide's parsers take a field apart; patterns first refuse what is none. */
final class SwiftStatement {

    private static final Pattern ENTRY = Pattern.compile("[0-9]{6}(?:[0-9]{4})?(?:RC|RD|EC|ED|C|D)[A-Z]?[0-9]{1,15},[0-9]{0,4}"
            + "[A-Z][A-Z0-9]{3}[^/\\n]?[^\\n]*(?:\\n[^\\n]*)?");
    private static final Pattern TOTAL = Pattern.compile("[0-9]{1,5}[A-Z]{3}[0-9]{1,15},[0-9]{0,4}");
    private static final Pattern STATEMENT = Pattern.compile("[0-9]{1,5}(?:/[0-9]{1,5})?");
    // From this length on the reference may have been cut: the field holds 16 characters.
    private static final int REFERENCE_MAX = 16;

    private final SettlementContract contract;
    private final SwiftValues values;
    private final ZoneId zone;
    private final Consumer<SettlementLine> lines;
    private final Totalizer sums = new Totalizer(false);
    private final List<ControlTotal> controls = new ArrayList<>();
    private final Map<String, Long> opening = new TreeMap<>();
    private final Map<String, Long> closing = new TreeMap<>();

    private int messages;
    private String statementId;
    private int page = 1;
    private boolean last = true;
    private LocalDate closingDay;
    private boolean inMessage;
    private boolean report;
    private String currency;
    private Long open;
    private Long close;
    private long booked;
    private final long[] numbers = new long[2];
    private final long[] amounts = new long[2];
    private String pending;
    private long pendingLine;

    SwiftStatement(SettlementContract contract, Map<String, Integer> exponents, Consumer<SettlementLine> lines) {
        this.contract = contract;
        this.values = new SwiftValues(exponents);
        this.zone = contract.getTime().zone();
        this.lines = lines;
    }

    /** @return whether a message has begun and not ended */
    boolean open() {
        return inMessage;
    }

    void field(String tag, String value, long line) {
        if (!inMessage) {
            if (!tag.equals("20")) {
                throw new SettlementRefusedException(line, tag, "a message that begins with :" + tag + ":", ":20: first");
            }
            begin();
        }
        if (tag.equals("86") && pending != null) {
            entry(pending, value, pendingLine);
            pending = null;
            return;
        }
        flush();
        switch (tag) {
            case "25", "25P" -> account(value, line);
            case "28C", "28" -> number(value, line);
            case "60F", "60M" -> opening(value, line);
            case "61" -> {
                pending = value;
                pendingLine = line;
            }
            case "62F", "62M" -> closing(tag, value, line);
            case "34F" -> floor(value, line);
            case "90C", "90D" -> total(tag, value, line);
            default -> {
                // Available balances, related references, text on the statement.
            }
        }
    }

    private void begin() {
        inMessage = true;
        messages++;
        report = false;
        open = null;
        close = null;
        currency = null;
        booked = 0;
        numbers[0] = 0;
        numbers[1] = 0;
        amounts[0] = 0;
        amounts[1] = 0;
    }

    private void flush() {
        if (pending != null) {
            entry(pending, "", pendingLine);
            pending = null;
        }
    }

    private void account(String value, long line) {
        String expected = contract.getBank().account();
        if (expected != null && !expected.equals(value.split("\n")[0].replace(" ", ""))) {
            throw new SettlementRefusedException(line, "25", "another account than the contract's", "a statement of the contract's account");
        }
    }

    private void number(String value, long line) {
        SwiftValues.demand(STATEMENT, value, "28C", line, "a statement number such as 00296/001");
        Field28C field = new Field28C(value);
        if (messages == 1) {
            statementId = field.getStatementNumber();
            page = field.getSequenceNumber() == null ? 1 : Math.max(Integer.parseInt(field.getSequenceNumber()), 1);
        }
    }

    private void opening(String value, long line) {
        Field60F field = values.balance(value, "60F", line);
        currency = one(values.known(field.getCurrency(), "60F", line), "60F", line);
        open = values.signed(field, "60F", line);
        opening.merge(currency, open, (a, b) -> a);
    }

    private void closing(String tag, String value, long line) {
        Field60F field = values.balance(value, tag, line);
        if (open == null || !currency.equals(field.getCurrency())) {
            throw new SettlementRefusedException(line, tag, "a closing balance in " + field.getCurrency() + " without its opening balance",
                    "both, in one currency");
        }
        close = values.signed(field, tag, line);
        last = tag.equals("62F");
        closing.put(currency, close);
        closingDay = values.day(field.getDate(), tag, line);
        controls.add(new ControlTotal(messages == 1 ? "closing" : "closing " + messages, currency, close, Totalizer.plus(open, booked, line)));
    }

    private void floor(String value, long line) {
        SwiftValues.demand(Pattern.compile("[A-Z]{3}[CD]?[0-9]{1,15},[0-9]{0,4}"), value, "34F", line, "a floor limit such as EUR0,");
        report = true;
        currency = one(values.known(value.substring(0, 3), "34F", line), "34F", line);
    }

    /** @return the code; refused when the message has another currency already, in which its entries would be read */
    private String one(String code, String tag, long line) {
        if (currency != null && !currency.equals(code)) {
            throw new SettlementRefusedException(line, tag, "currency " + code, currency + " as before in the message");
        }
        return code;
    }

    private void total(String tag, String value, long line) {
        SwiftValues.demand(TOTAL, value, tag, line, "a number and a sum such as 3EUR120,50");
        Field90D field = new Field90D(value);
        String code = one(values.known(field.getCurrency(), tag, line), tag, line);
        int side = tag.equals("90C") ? 1 : 0;
        controls.add(new ControlTotal(tag + " number", null, Long.parseLong(field.getNumber()), numbers[side]));
        controls.add(new ControlTotal(tag + " sum", code, values.minor(field.getAmount(), code, tag, line), amounts[side]));
    }

    private void entry(String value, String info, long line) {
        SwiftValues.demand(ENTRY, value, "61", line, "date, C or D, amount and type such as 2610231023C1299,02NTRFreference//bank");
        Field61 field = new Field61(value);
        String mark = field.getDebitCreditMark();
        if (currency == null || mark == null || field.getAmount() == null || field.getIdentificationCode() == null) {
            throw new SettlementRefusedException(line, "61", currency == null ? "an entry before its balance or floor limit" : "an entry that is not whole",
                    "date, C or D, amount and type after :60F: or :34F:");
        }
        if (close != null) {
            throw new SettlementRefusedException(line, "61", "an entry after the closing balance", "nothing");
        }
        boolean expected = mark.startsWith("E");
        // A reversal of a credit takes money, a reversal of a debit gives it back.
        boolean negative = mark.equals("D") || mark.equals("ED") || mark.equals("RC");
        long amount = values.minor(field.getAmount(), currency, "61", line);
        long signed = negative ? -amount : amount;
        if (!expected) {
            booked = Totalizer.plus(booked, signed, line);
            numbers[negative ? 0 : 1]++;
            amounts[negative ? 0 : 1] = Totalizer.plus(amounts[negative ? 0 : 1], amount, line);
        }
        SwiftText text = new SwiftText(info);
        String own = reference(field.getReferenceForTheAccountOwner());
        String reference = text.reference() != null ? text.reference() : own;
        String bank = reference(field.getReferenceOfTheAccountServicingInstitution());
        SettlementKind kind = kind(field, mark, text, expected);
        Map<String, String> hints = hints(field, text, mark);
        if (kind == SettlementKind.RETURN && text.reference() != null) {
            hints.put("original", text.reference());
        }
        SettlementLine read = new SettlementLine(line, kind, reference,
                text.reference() == null && own != null && own.length() >= REFERENCE_MAX, bank, bank, signed, currency, 0L, signed, currency,
                signed, values.bookingDay(field, line).atStartOfDay(zone).toInstant(), null, raw(field, reference, bank), hints);
        sums.add(read);
        lines.accept(read);
    }

    private SettlementKind kind(Field61 field, String mark, SwiftText text, boolean expected) {
        if (expected) {
            return SettlementKind.IGNORED;
        }
        Set<String> codes = new LinkedHashSet<>();
        codes.add(field.getTransactionType() + field.getIdentificationCode());
        if (text.code() != null) {
            codes.add(text.code());
        }
        SettlementKind kind = contract.getBank().kind(codes);
        if (kind != null) {
            return kind;
        }
        return mark.startsWith("R") ? SettlementKind.RETURN : SettlementKind.PAYMENT;
    }

    private Map<String, String> hints(Field61 field, SwiftText text, String mark) {
        Map<String, String> hints = new LinkedHashMap<>();
        hints.put("valueDate", field.getValueDate());
        hints.put("mark", mark);
        if (text.code() != null) {
            hints.put("code", text.code());
        }
        String payouts = contract.getBank().payouts(text.text(), text.reference(), field.getReferenceForTheAccountOwner());
        if (payouts != null) {
            hints.put("payout", Kept.text(payouts, 140));
        }
        if (text.text() != null && contract.getBank().keepText()) {
            hints.put("text", Kept.freeText(text.text(), 140));
        }
        return hints;
    }

    private static String raw(Field61 field, String reference, String bank) {
        return Kept.text(String.join(" ", field.getValueDate(), field.getDebitCreditMark(), field.getAmount(),
                field.getTransactionType() + field.getIdentificationCode(), reference == null ? "" : reference, bank == null ? "" : bank),
                SettlementLine.RAW_MAX);
    }

    private static String reference(String text) {
        String clean = text == null ? "" : text.strip();
        return clean.isEmpty() || clean.equals("NONREF") || clean.equals("NOTPROVIDED") ? null : Kept.text(clean, 255);
    }

    /** Ends a message. */
    void end(long line) {
        if (!inMessage) {
            throw new SettlementRefusedException(line, null, "the end of a message that did not begin", ":20: first");
        }
        flush();
        String message = report ? "MT942" : "MT940";
        if (!contract.getBank().messages().contains(message)) {
            throw new SettlementRefusedException(line, null, message, "one of " + contract.getBank().messages());
        }
        if (report) {
            // Reports of one day are numbered like pages, but nothing tells which is the last; each stands alone.
            page = 1;
            last = true;
        }
        else if (close == null) {
            throw new SettlementRefusedException(line, "62F", "a statement without a closing balance", ":62F: or :62M:");
        }
        inMessage = false;
    }

    SettlementHeader header() {
        if (messages == 0) {
            throw new SettlementRefusedException(0, null, "no message", "fields from :20: on");
        }
        controls.add(0, new ControlTotal("end", null, 1, 1));
        // Of several messages the last ones may be cut off, and nothing would tell.
        boolean whole = contract.getPeriod().dayOfClosing() && closingDay != null && messages == 1;
        return new SettlementHeader(statementId, page, last, whole ? closingDay.atStartOfDay(zone).toInstant() : null,
                whole ? closingDay.plusDays(1).atStartOfDay(zone).toInstant() : null, sums.count(), controls, opening, closing, sums.entries());
    }
}
