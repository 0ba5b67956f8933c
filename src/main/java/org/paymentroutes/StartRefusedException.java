package org.paymentroutes;

/** The configuration or the surroundings are not safe to run with. Its message says all: option, found, allowed. */
public final class StartRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param message one sentence: what was found and what is allowed; no secret */
    public StartRefusedException(String message) {
        super(message);
    }
}
