package org.paymentroutes.provider.http;

import java.io.IOException;
import java.util.Objects;

/**
 * Proof that no byte of the request left: thrown only by the layer that saw the call end before it handed the request to
 * a connection. Its message is fixed text and holds no address, header or body.
 */
public final class RequestNotSentException extends IOException {

    private static final long serialVersionUID = 1L;

    private final SendFailure.Code code;

    /**
     * @param code  why nothing was sent; its verdict must be {@link SendFailure.Verdict#NOT_EXECUTED}
     * @param cause what was thrown, or null
     * @throws IllegalArgumentException if the code does not stand for a request that was not sent
     */
    public RequestNotSentException(SendFailure.Code code, Throwable cause) {
        super(Objects.requireNonNull(code, "code").reason(), cause);
        if (code.verdict() != SendFailure.Verdict.NOT_EXECUTED) {
            throw new IllegalArgumentException(code + " does not prove that nothing was sent");
        }
        this.code = code;
    }

    /** @return why nothing was sent; never null */
    public SendFailure.Code code() {
        return code;
    }
}
