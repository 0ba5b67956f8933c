package org.paymentroutes.sandbox;

/** How the sandbox signs its events. */
public enum WebhookScheme {
    /** {@code Sandbox-Signature: t=<unix>,v1=<hex>}, one v1 for each secret. */
    TIMESTAMPED_HMAC,
    /** {@code Sandbox-Signature: <hex>} over the body. */
    HMAC_HEX,
    /** {@code Sandbox-Signature: <Base64>} over the body. */
    HMAC_BASE64,
    /** {@code Sandbox-Signature: <Base64>} over event id, type, reference, id, amount and currency, joined by colons with backslash escapes. */
    FIELD_JOINED_HMAC,
    /** Four headers {@code Sandbox-…} as WeChat Pay v3 has them, under the RSA key of this process. */
    RSA_SERIAL,
    /**
     * The event as a form of event_id, type, reference, id, amount and currency, with {@code sign} over its sorted parameters,
     * as Alipay has it, under the RSA key of this process.
     */
    SORTED_FORM_RSA,
    /** RFC 9421 with label {@code sig1}, Ed25519 under the key of this process, over method, path and content digest. */
    HTTP_MESSAGE_SIGNATURES
}
