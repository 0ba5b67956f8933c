package org.paymentroutes.webhook;

/** A delivery that is not believed. It has no stack and no message: there may be very many of them. */
final class RefusedDelivery extends Exception {

    private static final long serialVersionUID = 1L;

    private final Refusal refusal;

    RefusedDelivery(Refusal refusal) {
        super(refusal.name(), null, false, false);
        this.refusal = refusal;
    }

    /** @return why */
    Refusal refusal() {
        return refusal;
    }
}
