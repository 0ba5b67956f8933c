package org.paymentroutes.settlement.format;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.function.Supplier;

/** Reads the values of a camt document. What is none is refused, with its line and element. */
final class CamtValues {

    private static final MoneyFormat MONEY = new MoneyFormat();

    private final Map<String, Integer> exponents;
    private final ZoneId zone;
    private final Supplier<String> element;

    /**
     * @param exponents the currencies that exist, with their decimals
     * @param zone      of times without an offset, and of days
     * @param element   the element that is being read, for messages
     */
    CamtValues(Map<String, Integer> exponents, ZoneId zone, Supplier<String> element) {
        this.exponents = exponents;
        this.zone = zone;
        this.element = element;
    }

    String currency(String code, long line) {
        if (code == null || !exponents.containsKey(code)) {
            throw wrong(line, "currency '" + code + "'", "an ISO 4217 currency code");
        }
        return code;
    }

    /** @return minor units; never negative, the direction stands elsewhere */
    long money(String text, String code, long line) {
        currency(code, line);
        try {
            if (text.startsWith("-")) {
                throw new MoneyFormat.NotAnAmountException("an amount without a sign");
            }
            return MONEY.minor(text, code, exponents.get(code));
        }
        catch (MoneyFormat.NotAnAmountException e) {
            throw wrong(line, "'" + text + "'", e.getMessage());
        }
    }

    boolean debit(String text, long line) {
        if (!text.equals("CRDT") && !text.equals("DBIT")) {
            throw wrong(line, "'" + text + "'", "CRDT or DBIT");
        }
        return text.equals("DBIT");
    }

    boolean truth(String text, long line) {
        return switch (text) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw wrong(line, "'" + text + "'", "true or false");
        };
    }

    int number(String text, long line) {
        if (!text.matches("[0-9]{1,9}")) {
            throw wrong(line, "'" + text + "'", "a number");
        }
        return Integer.parseInt(text);
    }

    /** @param name {@code Dt} for the start of a day, else a time */
    Instant time(String name, String text, long line) {
        return name.equals("Dt") ? date(text, line).atStartOfDay(zone).toInstant() : dateTime(text, line);
    }

    LocalDate date(String text, long line) {
        // A date may carry an offset; the day counts.
        Instant at = TimeFormat.instant(DateTimeFormatter.ISO_DATE, text, ZoneId.of("Z"));
        if (at == null) {
            throw wrong(line, "'" + text + "'", "a date such as 2026-10-23");
        }
        return at.atZone(ZoneId.of("Z")).toLocalDate();
    }

    Instant dateTime(String text, long line) {
        Instant at = TimeFormat.instant(DateTimeFormatter.ISO_DATE_TIME, text, zone);
        if (at == null) {
            throw wrong(line, "'" + text + "'", "a time such as 2026-10-23T05:00:00+02:00");
        }
        return at;
    }

    private SettlementRefusedException wrong(long line, String found, String allowed) {
        return new SettlementRefusedException(line, element.get(), found, allowed);
    }
}
