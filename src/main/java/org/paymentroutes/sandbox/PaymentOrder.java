package org.paymentroutes.sandbox;

/**
 * A payment as a caller asked for it, checked.
 *
 * @param reference the caller's reference
 * @param key the {@code Idempotency-Key} header; null when there was none
 * @param operation CHARGE, PAYOUT or REFUND
 * @param amount minor units, greater than 0
 * @param currency three capital letters
 * @param refundOf the caller's reference of the payment that a REFUND gives money back of; null for other operations
 * @param fingerprint hash of everything that must be the same when the key is used again
 * @param behaviour the behaviour that the request named; null when it named none
 * @param redirected true when the request came to the address that a redirect had named, where keys are unknown
 */
public record PaymentOrder(String reference, String key, String operation, long amount, String currency,
        String refundOf, String fingerprint, Script behaviour, boolean redirected) {
}
