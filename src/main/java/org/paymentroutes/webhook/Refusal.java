package org.paymentroutes.webhook;

/** Why a delivery is refused. The sender never learns which; metrics and the table of refusals do. */
enum Refusal {
    /** No provider of this name takes webhooks. */
    PROVIDER,
    /** It comes from an address that is not on the list. */
    SOURCE,
    /** The body is larger than the contract allows, as it is or after decompression. */
    SIZE,
    /** Its sender did not send all of it in time. */
    CUT,
    /** The content encoding is unknown or broken. */
    ENCODING,
    /** The signature is missing, given twice, or not in its form. */
    HEADER,
    /** The key that the signature names is not one of the contract's. */
    KEY,
    /** The signature does not fit. */
    SIGNATURE,
    /** The signature fits, and its time is too far from now. */
    TIME,
    /** The signature covers less than the contract demands, or the digest is not the body's. */
    COVERAGE
}
