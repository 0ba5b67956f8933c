package org.paymentroutes.payment;

/** Knows which providers take no payments on this node because their contract is refused. */
public interface RefusedProviders {

    /**
     * @param provider a name from a request; may be null or unknown
     * @return whether nothing is accepted for it until its contract is mended
     */
    boolean isRefused(String provider);
}
