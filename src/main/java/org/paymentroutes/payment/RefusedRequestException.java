package org.paymentroutes.payment;

import java.util.List;

/** A request that is not accepted, whoever repeats it. Says everything that is wrong with it. */
public final class RefusedRequestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** In which respect it is wrong. */
    public enum Kind {
        /** Not a JSON object that can be read without doubt. */
        MALFORMED,
        /** Readable, but its fields are not those of a payment. */
        INVALID,
        /** No usable idempotency key. */
        KEY
    }

    private final Kind kind;
    private final transient List<FieldError> errors;

    /**
     * @param kind    in which respect it is wrong
     * @param message one sentence without any value of the request
     * @param errors  each field that is wrong; may be empty
     */
    public RefusedRequestException(Kind kind, String message, List<FieldError> errors) {
        super(message);
        this.kind = kind;
        this.errors = List.copyOf(errors);
    }

    public Kind kind() {
        return kind;
    }

    /** @return each field that is wrong; may be empty */
    public List<FieldError> errors() {
        return errors;
    }
}
