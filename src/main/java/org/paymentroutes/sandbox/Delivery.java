package org.paymentroutes.sandbox;

/** How the bytes of an answer reach the caller. */
public enum Delivery {
    /** Complete and correct. */
    WHOLE,
    /** No byte; the connection is closed in order. */
    CLOSED,
    /** No byte; the connection is reset (RST). */
    RESET,
    /** Content-Length promises more than comes before the connection closes. */
    TRUNCATED_LENGTH,
    /** The connection closes in the middle of a chunk. */
    TRUNCATED_CHUNK,
    /** The length is right, but the gzip stream in it ends half-way. */
    TRUNCATED_GZIP,
    /** No length, {@code Connection: close}, and the close comes in the middle of the JSON: no client sees an error. */
    TRUNCATED_CLOSE,
    /** One byte at a time. */
    TRICKLE,
    /** Fifty megabytes of JSON. */
    HUGE,
    /** Status 204 that names a gzip body of 20 bytes, and sends it. */
    NO_CONTENT_GZIP
}
