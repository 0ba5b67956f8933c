package org.paymentroutes.sandbox;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * One line of the journal: one POST that was received, and what it did.
 *
 * @param at milliseconds since 1970 on the provider's clock
 * @param act what it did
 * @param reference the caller's reference
 * @param key the idempotency key; null when none was sent
 * @param operation CHARGE, PAYOUT or REFUND
 * @param amount minor units
 * @param currency ISO 4217 code
 * @param refundOf reference of the payment that a REFUND gives money back of; null for other operations
 * @param fingerprint hash of the content
 * @param behaviour the behaviour that was played, as {@link Script} writes it
 * @param id the provider's payment id; null when nothing was booked
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record BookLine(long at, Act act, String reference, String key, String operation, long amount, String currency,
        String refundOf, String fingerprint, String behaviour, String id) {
}
