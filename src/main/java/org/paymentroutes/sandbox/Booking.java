package org.paymentroutes.sandbox;

/**
 * What one POST did, and what is to be told.
 *
 * @param act what it did
 * @param payment the books after it; for a replay, the payment of the key's first request
 * @param id the provider's payment id of this booking; null when nothing was booked by this or an earlier request
 */
public record Booking(Act act, PaymentView payment, String id) {
}
