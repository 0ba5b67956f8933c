package org.paymentroutes.payment;

/** Is told of each payment that was recorded on this node, after its commit. */
public interface PaymentRecorded {

    /** @param provider name of the payment's provider */
    void paymentRecorded(String provider);
}
