package org.paymentroutes.settlement.format;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How a provider's files write amounts. One way is allowed and every other is refused: "1.299" is either one thousand two
 * hundred ninety-nine or one and a bit, and only the contract knows.
 */
public final class MoneyFormat {

    /** How the number is written. */
    public enum Style {
        /** With a decimal character: 12.34. */
        DECIMAL,
        /** Integer minor units: 1234 for 12.34 EUR. */
        MINOR
    }

    private static final int MAX_DIGITS = 18;

    private Style style = Style.DECIMAL;
    private char decimal = '.';
    private char thousands;
    private String currency;
    private final Map<String, Integer> exponents = new HashMap<>();

    /** @param style how amounts are written */
    public void setStyle(Style style) {
        this.style = style;
    }

    /** @param text the decimal character, {@code .} or {@code ,} */
    public void setDecimal(String text) {
        this.decimal = Options.character("money.decimal", text);
    }

    /** @param text the character between thousands, or NONE. A number that uses it must have its decimals */
    public void setThousands(String text) {
        this.thousands = Options.character("money.thousands", text);
    }

    /** @param currency ISO 4217 code of all amounts of files that do not name one */
    public void setCurrency(String currency) {
        this.currency = currency;
    }

    /** @return currency of amounts without one; null when the file names each */
    public String getCurrency() {
        return currency;
    }

    /** @param text exponents in this provider's minor units that differ from ISO 4217, for example {@code ISK=2,UGX=2} */
    public void setExponents(String text) {
        Options.pairs("money.exponents", text).forEach((code, exponent) -> {
            if (!code.matches("[A-Z]{3}") || !exponent.matches("[0-4]")) {
                throw Options.wrong("money.exponents", code + "=" + exponent, "for example ISK=2");
            }
            exponents.put(code, Integer.valueOf(exponent));
        });
    }

    void check() {
        if (decimal == thousands) {
            throw Options.wrong("money.thousands", thousands, "another character than money.decimal");
        }
    }

    /**
     * @param text        what the file says
     * @param code        ISO 4217 code
     * @param isoExponent its exponent by ISO 4217
     * @return minor units by ISO 4217
     * @throws NotAnAmountException when it is not exactly an amount in this format
     */
    long minor(String text, String code, int isoExponent) {
        boolean negative = text.startsWith("-");
        String number = negative ? text.substring(1) : text;
        if (style == Style.MINOR) {
            long value = rescaled(digits(number, isoExponent), exponents.getOrDefault(code, isoExponent), isoExponent);
            return negative ? -value : value;
        }
        int point = number.indexOf(decimal);
        String whole = point < 0 ? number : number.substring(0, point);
        String fraction = point < 0 ? "" : number.substring(point + 1);
        if (point >= 0 && fraction.isEmpty()) {
            throw new NotAnAmountException(allowed(isoExponent));
        }
        String plain = ungrouped(whole, point >= 0, isoExponent);
        StringBuilder all = new StringBuilder(plain);
        for (int i = 0; i < Math.max(isoExponent, fraction.length()); i++) {
            char digit = i < fraction.length() ? fraction.charAt(i) : '0';
            if (i < isoExponent) {
                all.append(digit);
            }
            else if (digit != '0') {
                throw new NotAnAmountException(allowed(isoExponent));
            }
        }
        if (plain.isEmpty()) {
            throw new NotAnAmountException(allowed(isoExponent));
        }
        long value = digits(all.toString(), isoExponent);
        return negative ? -value : value;
    }

    private long rescaled(long minor, int from, int to) {
        long value = minor;
        for (int i = from; i < to; i++) {
            if (value > Long.MAX_VALUE / 10) {
                throw new NotAnAmountException(allowed(to));
            }
            value *= 10;
        }
        for (int i = to; i < from; i++) {
            if (value % 10 != 0) {
                throw new NotAnAmountException("an amount without a fraction of our minor unit");
            }
            value /= 10;
        }
        return value;
    }

    private String ungrouped(String whole, boolean decimals, int isoExponent) {
        if (thousands == 0 || whole.indexOf(thousands) < 0) {
            return whole;
        }
        String[] groups = whole.split(Pattern.quote(String.valueOf(thousands)), -1);
        boolean fine = !groups[0].isEmpty() && groups[0].length() <= 3;
        for (int i = 1; i < groups.length; i++) {
            fine &= groups[i].length() == 3;
        }
        // Without decimals the separator could as well be the decimal character of another style.
        if (!fine || (!decimals && isoExponent > 0)) {
            throw new NotAnAmountException(allowed(isoExponent));
        }
        return String.join("", groups);
    }

    private long digits(String number, int isoExponent) {
        if (number.isEmpty() || number.length() > MAX_DIGITS) {
            throw new NotAnAmountException(allowed(isoExponent));
        }
        long value = 0;
        for (int i = 0; i < number.length(); i++) {
            int digit = number.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                throw new NotAnAmountException(allowed(isoExponent));
            }
            value = value * 10 + digit;
        }
        return value;
    }

    private String allowed(int exponent) {
        if (style == Style.MINOR) {
            return "an integer of minor units such as 1234";
        }
        String group = thousands == 0 ? "1234" : "1" + thousands + "234";
        return "an amount such as " + group + (exponent == 0 ? "" : decimal + "5600".substring(0, exponent));
    }

    /** A text that is not an amount in the format; the message tells what is allowed. */
    static final class NotAnAmountException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotAnAmountException(String allowed) {
            super(allowed, null, false, false);
        }
    }
}
