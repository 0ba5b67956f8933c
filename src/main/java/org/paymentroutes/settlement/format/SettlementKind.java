package org.paymentroutes.settlement.format;

/** What a line of a settlement file is about. */
public enum SettlementKind {
    /** Money of a payment of ours: a charge that came in, or a payout that went out. */
    PAYMENT,
    /** Money of a payment that goes back to the payer on our order. */
    REFUND,
    /** What the provider takes for its service, as a line of its own. */
    FEE,
    /** The provider's transfer of what it collected to our bank account: closes a batch, is no payment. */
    PAYOUT,
    /** A payment or refund that came back without our order, for example from the beneficiary's bank. */
    RETURN,
    /** A payer's bank takes a payment back, or gives it again. */
    CHARGEBACK,
    /** Anything else that moved money, named by the contract. */
    ADJUSTMENT,
    /** A line the contract names as no movement of money, for example an entry that is not booked yet. */
    IGNORED
}
