package org.paymentroutes.sandbox;

import java.math.BigDecimal;
import java.util.Currency;

/**
 * One movement of money as the settlement file shows it.
 *
 * @param id the provider's payment id
 * @param reference the caller's reference
 * @param operation CHARGE, PAYOUT or REFUND
 * @param refundOf reference of the payment that a refund gives money back of; null for others
 * @param amount minor units, positive
 * @param currency ISO 4217 code
 * @param bookedAt milliseconds since 1970
 */
public record SettlementLine(String id, String reference, String operation, String refundOf, long amount, String currency, long bookedAt) {

    private static final long FEE_PER_THOUSAND = 14;

    /** The provider's fee in minor units, rounded down; refunds are free. */
    public long fee() {
        // Split, because the product of a large amount would not fit.
        return refund() ? 0 : amount / 1000 * FEE_PER_THOUSAND + amount % 1000 * FEE_PER_THOUSAND / 1000;
    }

    boolean refund() {
        return "REFUND".equals(operation);
    }

    boolean charge() {
        return "CHARGE".equals(operation);
    }

    /** The amount from the caller's view: a charge brings money, everything else takes it. */
    long signed() {
        return charge() ? amount : -amount;
    }

    /** What the caller's account changes by. */
    long net() {
        return signed() - fee();
    }

    SettlementLine withAmount(long other) {
        return new SettlementLine(id, reference, operation, refundOf, other, currency, bookedAt);
    }

    SettlementLine withId(String other) {
        return new SettlementLine(other, reference, operation, refundOf, amount, currency, bookedAt);
    }

    /** Minor units as a decimal with the digits of the currency, and at least {@code digits}. */
    static String decimal(long minor, String currency, int digits) {
        int exponent = Math.max(Currency.getInstance(currency).getDefaultFractionDigits(), 0);
        String number = BigDecimal.valueOf(minor, exponent).toPlainString();
        return exponent >= digits ? number : (exponent == 0 ? number + "." : number) + "0".repeat(digits - exponent);
    }

    static String decimal(long minor, String currency) {
        return decimal(minor, currency, 0);
    }
}
