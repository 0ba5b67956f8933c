package org.paymentroutes.settlement.format;

import com.prowidesoftware.swift.model.field.Field28C;
import com.prowidesoftware.swift.model.field.Field60F;
import com.prowidesoftware.swift.model.field.Field61;
import com.prowidesoftware.swift.model.field.Field90D;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Follows the fields of MT940 and MT942 messages. Prowide's parsers take a field apart; patterns first refuse what is none. */
final class SwiftStatement {

    private static final Pattern BALANCE = Pattern.compile("[CD][0-9]{6}[A-Z]{3}[0-9]{1,15},[0-9]{0,4}");
    private static final Pattern ENTRY = Pattern.compile("[0-9]{6}(?:[0-9]{4})?(?:RC|RD|EC|ED|C|D)[A-Z]?[0-9]{1,15},[0-9]{0,4}"
            + "[A-Z][A-Z0-9]{3}[^/\\n]?[^\\n]*(?:\\n[^\\n]*)?");
    private static final Pattern TOTAL = Pattern.compile("[0-9]{1,5}[A-Z]{3}[0-9]{1,15},[0-9]{0,4}");
    private static final Pattern STATEMENT = Pattern.compile("[0-9]{1,5}(?:/[0-9]{1,5})?");
    private static final DateTimeFormatter DAY = TimeFormat.formatter("date", "uuMMdd");
    // From this length on the reference may have been cut: the field holds 16 characters.
    private static final int REFERENCE_MAX = 16;

    private final SettlementContract contract;
    private final Map<String, Integer> exponents;
    private final ZoneId zone;
    private final Consumer<SettlementLine> lines;
    private final Totalizer sums = new Totalizer(false);
    private final MoneyFormat money = new MoneyFormat();
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
        this.exponents = exponents;
        this.zone = contract.getTime().zone();
        this.lines = lines;
        money.setDecimal(",");
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
        demand(STATEMENT, value, "28C", line, "a statement number such as 00296/001");
        Field28C field = new Field28C(value);
        if (messages == 1) {
            statementId = field.getStatementNumber();
            page = field.getSequenceNumber() == null ? 1 : Math.max(Integer.parseInt(field.getSequenceNumber()), 1);
        }
    }

    private void opening(String value, long line) {
        Field60F field = balance(value, "60F", line);
        currency = known(field.getCurrency(), "60F", line);
        open = signed(field, "60F", line);
        opening.merge(currency, open, (a, b) -> a);
    }

    private void closing(String tag, String value, long line) {
        Field60F field = balance(value, tag, line);
        if (open == null || !currency.equals(field.getCurrency())) {
            throw new SettlementRefusedException(line, tag, "a closing balance in " + field.getCurrency() + " without its opening balance",
                    "both, in one currency");
        }
        close = signed(field, tag, line);
        last = tag.equals("62F");
        closing.put(currency, close);
        closingDay = day(field.getDate(), tag, line);
        controls.add(new ControlTotal(messages == 1 ? "closing" : "closing " + messages, currency, close, Totalizer.plus(open, booked, line)));
    }

    private void floor(String value, long line) {
        demand(Pattern.compile("[A-Z]{3}[CD]?[0-9]{1,15},[0-9]{0,4}"), value, "34F", line, "a floor limit such as EUR0,");
        report = true;
        currency = known(value.substring(0, 3), "34F", line);
    }

    private void total(String tag, String value, long line) {
        demand(TOTAL, value, tag, line, "a number and a sum such as 3EUR120,50");
        Field90D field = new Field90D(value);
        String code = known(field.getCurrency(), tag, line);
        int side = tag.equals("90C") ? 1 : 0;
        controls.add(new ControlTotal(tag + " number", null, Long.parseLong(field.getNumber()), numbers[side]));
        controls.add(new ControlTotal(tag + " sum", code, minor(field.getAmount(), code, tag, line), amounts[side]));
    }

    private void entry(String value, String info, long line) {
        demand(ENTRY, value, "61", line, "date, C or D, amount and type such as 2610231023C1299,02NTRFreference//bank");
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
        long amount = minor(field.getAmount(), currency, "61", line);
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
                signed, bookingDay(field, line).atStartOfDay(zone).toInstant(), null, raw(field, reference, bank), hints);
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

    private LocalDate bookingDay(Field61 field, long line) {
        LocalDate value = day(field.getValueDate(), "61", line);
        if (field.getEntryDate() == null) {
            return value;
        }
        // The entry date has no year: the one that is nearest to the value date.
        String monthDay = field.getEntryDate();
        for (int year : new int[] {value.getYear(), value.getYear() - 1, value.getYear() + 1}) {
            try {
                LocalDate day = LocalDate.of(year, Integer.parseInt(monthDay.substring(0, 2)), Integer.parseInt(monthDay.substring(2)));
                if (Math.abs(day.toEpochDay() - value.toEpochDay()) <= 183) {
                    return day;
                }
            }
            catch (DateTimeException e) {
                // The 29th of February exists in one of the years.
                continue;
            }
        }
        throw new SettlementRefusedException(line, "61", "entry date '" + monthDay + "'", "a month and a day near the value date");
    }

    private LocalDate day(String text, String tag, long line) {
        Instant day = TimeFormat.instant(DAY, text, ZoneId.of("Z"));
        if (day == null) {
            throw new SettlementRefusedException(line, tag, "date '" + text + "'", "a date such as 261023");
        }
        return day.atZone(ZoneId.of("Z")).toLocalDate();
    }

    private Field60F balance(String value, String tag, long line) {
        demand(BALANCE, value, tag, line, "a balance such as C261023EUR11194,13");
        return new Field60F(value);
    }

    private long signed(Field60F field, String tag, long line) {
        long amount = minor(field.getAmount(), known(field.getCurrency(), tag, line), tag, line);
        return field.getDCMark().equals("D") ? -amount : amount;
    }

    private long minor(String text, String code, String tag, long line) {
        // SWIFT writes the comma always, also without a digit after it.
        String amount = text.endsWith(",") ? text.substring(0, text.length() - 1) : text;
        try {
            return money.minor(amount, code, exponents.get(code));
        }
        catch (MoneyFormat.NotAnAmountException e) {
            throw new SettlementRefusedException(line, tag, "'" + text + "'", e.getMessage());
        }
    }

    private String known(String code, String tag, long line) {
        if (!exponents.containsKey(code)) {
            throw new SettlementRefusedException(line, tag, "currency '" + code + "'", "an ISO 4217 currency code");
        }
        return code;
    }

    private static void demand(Pattern pattern, String value, String tag, long line, String allowed) {
        Matcher matcher = pattern.matcher(value);
        if (!matcher.matches()) {
            throw new SettlementRefusedException(line, tag, "something else", allowed);
        }
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
