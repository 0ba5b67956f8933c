package org.paymentroutes.sandbox;

/**
 * A question about a payment.
 *
 * @param word the caller's reference or the provider's id
 * @param byId true when it is the provider's id
 */
public record PaymentQuery(String word, boolean byId) {
}
