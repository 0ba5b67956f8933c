package org.paymentroutes.provider;

/** What one answer proves, by the provider's own contract. The first five are the outcomes of an attempt. */
public enum Verdict {

    /** The money moved: complete, parsed answer with the contract's success value about our reference, amount and currency. */
    SUCCEEDED,

    /** This money did not move and will not: a value on the contract's list of final refusals. */
    REJECTED,

    /** The provider has it and is not done. */
    ACCEPTED,

    /** The request provably did not reach the provider's books. */
    NOT_EXECUTED,

    /** It proves nothing. For a query: inconclusive. */
    AMBIGUOUS,

    /** Only of a query: the provider does not know the payment (now). */
    NOT_FOUND,

    /** Only of a query: the provider could not be asked, or told us to come back later. */
    UNREACHABLE
}
