package org.paymentroutes.payment;

/** Told that a payment was committed, so that it is sent at once instead of at the next poll. May be told too often. */
public interface PaymentRecorded {

    /** @param provider name of its provider */
    void paymentRecorded(String provider);
}
