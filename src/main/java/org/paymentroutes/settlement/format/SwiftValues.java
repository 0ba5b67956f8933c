package org.paymentroutes.settlement.format;

import com.prowidesoftware.swift.model.field.Field60F;
import com.prowidesoftware.swift.model.field.Field61;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what stands in the fields of MT940 and MT942. What is none is refused, with its line and tag. */
final class SwiftValues {

    private static final Pattern BALANCE = Pattern.compile("[CD][0-9]{6}[A-Z]{3}[0-9]{1,15},[0-9]{0,4}");
    private static final DateTimeFormatter DAY = TimeFormat.formatter("date", "uuMMdd");

    private final Map<String, Integer> exponents;
    private final MoneyFormat money = new MoneyFormat();

    /** @param exponents the currencies that exist, with their decimals */
    SwiftValues(Map<String, Integer> exponents) {
        this.exponents = exponents;
        money.setDecimal(",");
    }

    /** Refuses a field that does not match; what it says is not repeated, as it may be personal. */
    static void demand(Pattern pattern, String value, String tag, long line, String allowed) {
        Matcher matcher = pattern.matcher(value);
        if (!matcher.matches()) {
            throw new SettlementRefusedException(line, tag, "something else", allowed);
        }
    }

    /** @return the currency code, which exists */
    String known(String code, String tag, long line) {
        if (!exponents.containsKey(code)) {
            throw new SettlementRefusedException(line, tag, "currency '" + code + "'", "an ISO 4217 currency code");
        }
        return code;
    }

    /** @return minor units */
    long minor(String text, String code, String tag, long line) {
        // SWIFT writes the comma always, also without a digit after it.
        String amount = text.endsWith(",") ? text.substring(0, text.length() - 1) : text;
        try {
            return money.minor(amount, code, exponents.get(code));
        }
        catch (MoneyFormat.NotAnAmountException e) {
            throw new SettlementRefusedException(line, tag, "'" + text + "'", e.getMessage());
        }
    }

    /** @return an opening or closing balance */
    Field60F balance(String value, String tag, long line) {
        demand(BALANCE, value, tag, line, "a balance such as C261023EUR11194,13");
        return new Field60F(value);
    }

    /** @return minor units; a debit is negative */
    long signed(Field60F field, String tag, long line) {
        long amount = minor(field.getAmount(), known(field.getCurrency(), tag, line), tag, line);
        return field.getDCMark().equals("D") ? -amount : amount;
    }

    LocalDate day(String text, String tag, long line) {
        Instant day = TimeFormat.instant(DAY, text, ZoneId.of("Z"));
        if (day == null) {
            throw new SettlementRefusedException(line, tag, "date '" + text + "'", "a date such as 261023");
        }
        return day.atZone(ZoneId.of("Z")).toLocalDate();
    }

    /** @return the day on which an entry was booked */
    LocalDate bookingDay(Field61 field, long line) {
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
}
