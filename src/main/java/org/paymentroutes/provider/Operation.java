package org.paymentroutes.provider;

/** What a payment asks a provider for. */
public enum Operation {
    /** Takes money in. */
    CHARGE,
    /** Pays money out. */
    PAYOUT,
    /** Gives money of an earlier payment back. */
    REFUND
}
