package org.paymentroutes.payment;

/** The contract of the provider is refused: what is asked for cannot be done safely until it is mended. */
public final class ProviderRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param provider its name */
    public ProviderRefusedException(String provider) {
        super("The contract of provider " + provider + " is refused, so that no payment is accepted for it. Its operator has been told.");
    }
}
