package org.paymentroutes.provider;

/** What differs for one operation: a refund can be weaker than a charge at the same provider. */
public final class OperationPolicy {

    private final ResendPolicy resend = new ResendPolicy();

    public ResendPolicy getResend() {
        return resend;
    }
}
