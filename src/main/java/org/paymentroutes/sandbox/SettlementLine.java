package org.paymentroutes.sandbox;

/**
 * One movement of money as the settlement file shows it.
 *
 * @param id the provider's payment id
 * @param reference the caller's reference
 * @param amount minor units
 * @param currency ISO 4217 code
 * @param bookedAt milliseconds since 1970
 */
public record SettlementLine(String id, String reference, long amount, String currency, long bookedAt) {

    private static final long FEE_PER_THOUSAND = 14;

    /** The provider's fee in minor units, rounded down. */
    public long fee() {
        // Split, because the product of a large amount would not fit.
        return amount / 1000 * FEE_PER_THOUSAND + amount % 1000 * FEE_PER_THOUSAND / 1000;
    }
}
