package org.paymentroutes.provider;

/** How a provider proves that a webhook is its own. A contract names one; no other is looked at. */
public enum WebhookScheme {

    /** None: this provider sends no webhooks, and its address answers like one that does not exist. */
    NONE,

    /** {@code t=<unix seconds>,v1=<hex>}: HMAC-SHA256 over {@code <t>.<body>}. */
    TIMESTAMPED_HMAC,

    /** A header with the hex HMAC-SHA256 of the body. */
    HMAC_HEX,

    /** A header with the Base64 HMAC-SHA256 of the body. */
    HMAC_BASE64,

    /** Base64 HMAC-SHA256 over named fields of the body, joined by a separator; the signature is one more field. */
    FIELD_JOINED_HMAC,

    /** SHA256-RSA over {@code <timestamp>\n<nonce>\n<body>\n}, under the certificate that a header names by its serial. */
    RSA_SERIAL,

    /** SHA256-RSA over the sorted parameters of a form, all but {@code sign} and {@code sign_type}; {@code sign} is the signature. */
    SORTED_FORM_RSA,

    /** HTTP Message Signatures, RFC 9421. */
    HTTP_MESSAGE_SIGNATURES,

    /** Only the address that it comes from, which proves little: refused without the written acceptance. */
    ALLOW_LIST
}
