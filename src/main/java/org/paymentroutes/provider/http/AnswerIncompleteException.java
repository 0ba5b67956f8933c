package org.paymentroutes.provider.http;

import java.io.IOException;
import java.util.Objects;

/**
 * The request may have left, but its answer was given up on: too late, too large, or a second request was refused. Proves
 * nothing about the payment. Its message is fixed text and holds no address, header or body.
 */
public final class AnswerIncompleteException extends IOException {

    private static final long serialVersionUID = 1L;

    private final SendFailure.Code code;

    /**
     * @param code  why the answer was given up on
     * @param cause what was thrown, or null
     * @throws IllegalArgumentException if the code claims that nothing was sent
     */
    public AnswerIncompleteException(SendFailure.Code code, Throwable cause) {
        super(Objects.requireNonNull(code, "code").reason(), cause);
        if (code.verdict() != SendFailure.Verdict.AMBIGUOUS) {
            throw new IllegalArgumentException(code + " claims a proof that an incomplete answer cannot give");
        }
        this.code = code;
    }

    /** @return why the answer was given up on; never null */
    public SendFailure.Code code() {
        return code;
    }
}
