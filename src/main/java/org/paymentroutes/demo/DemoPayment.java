package org.paymentroutes.demo;

/**
 * One payment of the demo as it stands.
 *
 * @param paymentId our payment id, with hyphens
 * @param behaviour what the sandbox does with it
 * @param state     its state; null when the API does not know it any more
 * @param attempts  HTTP requests made for it
 * @param moved     how often its money moved, by the sandbox's books
 * @param reason    why it is in its state; null when it is not known any more
 */
record DemoPayment(String paymentId, String behaviour, String state, int attempts, int moved, String reason) {

    /** @return whether a webhook decided its state */
    boolean byWebhook() {
        return reason != null && reason.startsWith("webhook ");
    }


    /** @return whether automation is done with it */
    boolean settled() {
        return "SUCCEEDED".equals(state) || "FAILED".equals(state) || "REVIEW".equals(state);
    }

    /**
     * @return whether it is lost: accepted and not known any more, or final against the provider's books. UNKNOWN and
     *         REVIEW are not lost: they say that something is open, and work on it goes on
     */
    boolean lost() {
        return state == null || "SUCCEEDED".equals(state) && moved == 0 || "FAILED".equals(state) && moved > 0;
    }
}
