package org.paymentroutes.payment;

import java.util.Map;

/**
 * What a refund takes over from its payment.
 *
 * @param paymentId       its id, with hyphens
 * @param sourceReference its obligation
 * @param provider        name of its provider
 * @param account         our account there
 * @param currency        ISO 4217 code
 * @param recipient       the provider's token for the other side
 */
public record RefundedPayment(String paymentId, String sourceReference, String provider, String account, String currency,
        String recipient) {

    /** @return the payment in a row of {@code sql/refunded-payment.sql} */
    public static RefundedPayment of(Map<?, ?> row) {
        return new RefundedPayment((String) row.get("payment_id"), (String) row.get("source_reference"), (String) row.get("provider"),
                (String) row.get("account"), (String) row.get("currency"), (String) row.get("recipient"));
    }
}
