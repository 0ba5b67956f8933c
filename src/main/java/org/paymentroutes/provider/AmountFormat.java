package org.paymentroutes.provider;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;

/**
 * How a provider writes amounts: as integer minor units or as exact decimals, with its own exponents where it differs
 * from ISO 4217. Converts exactly or refuses; nothing is rounded.
 */
public final class AmountFormat {

    /** How the number is written. */
    public enum Style {
        /** Integer minor units: 1234 for 12.34 EUR. */
        MINOR,
        /** A decimal in a JSON string: "12.34". */
        DECIMAL_STRING
    }

    private Style style = Style.MINOR;
    private final Map<String, Integer> exponents = new HashMap<>();

    public Style getStyle() {
        return style;
    }

    /** @param style how amounts are written */
    public void setStyle(Style style) {
        this.style = style;
    }

    /** @param text exponents of this provider that differ from ISO 4217, for example {@code ISK=2,UGX=2} */
    public void setExponents(String text) {
        for (String entry : text.split(",")) {
            String[] pair = entry.strip().split("=");
            if (pair.length != 2 || !pair[0].matches("[A-Z]{3}") || !pair[1].matches("[0-4]")) {
                throw new IllegalArgumentException("Option amounts.exponents: found '" + entry + "', allowed is for example ISK=2");
            }
            exponents.put(pair[0], Integer.valueOf(pair[1]));
        }
    }

    /**
     * @param amountMinor our amount in minor units
     * @param currency    ISO 4217 code
     * @param isoExponent exponent of the currency by ISO 4217
     * @return what goes to the provider: a Long or a String
     * @throws ArithmeticException when the provider's exponent cannot hold the amount exactly
     */
    public Object toWire(long amountMinor, String currency, int isoExponent) {
        BigDecimal amount = BigDecimal.valueOf(amountMinor, isoExponent);
        int exponent = exponents.getOrDefault(currency, isoExponent);
        BigDecimal exact = amount.setScale(exponent);
        return style == Style.MINOR ? (Object) exact.unscaledValue().longValueExact() : exact.toPlainString();
    }

    /**
     * @param wire        what the provider wrote: an integral number, or a text in the style DECIMAL_STRING
     * @param currency    ISO 4217 code
     * @param isoExponent exponent of the currency by ISO 4217
     * @return our minor units; null when it is not an exact amount in this format
     */
    public Long fromWire(String wire, String currency, int isoExponent) {
        if (!wire.matches("-?[0-9]{1,19}(\\.[0-9]{1,9})?") || (style == Style.MINOR && wire.contains("."))) {
            return null;
        }
        int exponent = exponents.getOrDefault(currency, isoExponent);
        BigDecimal amount = style == Style.MINOR ? new BigDecimal(wire).movePointLeft(exponent) : new BigDecimal(wire);
        try {
            return amount.setScale(isoExponent).movePointRight(isoExponent).longValueExact();
        }
        catch (ArithmeticException e) {
            return null;
        }
    }
}
