package org.paymentroutes.provider;

/** What differs for one operation: a refund can be weaker than a charge at the same provider. */
public final class OperationPolicy {

    private final ResendPolicy resend = new ResendPolicy();

    /** @return what may be sent again, and on which proof; what it does not say is as for all operations */
    public ResendPolicy getResend() {
        return resend;
    }
}
