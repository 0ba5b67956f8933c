package org.paymentroutes.webhook;

import org.paymentroutes.provider.WebhookPolicy;

/** One way to prove that a delivery is the provider's. */
interface SignatureCheck {

    /**
     * What a signature says about time; the caller compares it with now.
     *
     * @param at      when it was made, in milliseconds since 1970; null for a scheme that signs no time
     * @param expires until when it is valid, in milliseconds since 1970; null when it does not say
     */
    record Signed(Long at, Long expires) {

        static final Signed TIMELESS = new Signed(null, null);

        static Signed at(long seconds) {
            return new Signed(seconds * 1000, null);
        }
    }

    /**
     * @param delivery what came
     * @param policy   the contract's
     * @param secrets  those that are valid now
     * @return what was signed about time
     * @throws RefusedDelivery when it proves nothing
     */
    Signed check(Delivery delivery, WebhookPolicy policy, WebhookSecrets secrets) throws RefusedDelivery;
}
