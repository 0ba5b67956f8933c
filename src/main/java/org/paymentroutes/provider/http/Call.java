package org.paymentroutes.provider.http;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.protocol.HttpContext;

/** How far one call got. Shared by the thread that sends and the timer that gives up. */
final class Call {

    private static final String ATTRIBUTE = Call.class.getName();

    private enum Phase { CONNECTING, STARTED, DONE, EXPIRED_CONNECTING, EXPIRED_STARTED }

    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.CONNECTING);

    /** Makes a new call and binds it to the context of one execution. */
    static Call begin(HttpContext context) {
        Call call = new Call();
        context.setAttribute(ATTRIBUTE, call);
        return call;
    }

    /** @return the call of this execution, or null if the context has none */
    static Call of(HttpContext context) {
        return (Call) context.getAttribute(ATTRIBUTE);
    }

    /**
     * Marks that the request is about to be written. From here on nothing is proven any more.
     *
     * @throws IOException if the deadline has passed, or if this call has sent a request before
     */
    void start() throws IOException {
        if (phase.compareAndSet(Phase.CONNECTING, Phase.STARTED)) {
            return;
        }
        if (phase.get() == Phase.EXPIRED_CONNECTING) {
            throw new RequestNotSentException(SendFailure.Code.DEADLINE_BEFORE_REQUEST, null);
        }
        throw new AnswerIncompleteException(SendFailure.Code.SECOND_REQUEST_REFUSED, null);
    }

    /** @return true if the call was still open and is now given up on */
    boolean expire() {
        return phase.compareAndSet(Phase.CONNECTING, Phase.EXPIRED_CONNECTING)
                || phase.compareAndSet(Phase.STARTED, Phase.EXPIRED_STARTED);
    }

    /**
     * Marks that the answer is complete.
     *
     * @throws AnswerIncompleteException if the deadline passed first
     */
    void complete() throws AnswerIncompleteException {
        if (!phase.compareAndSet(Phase.STARTED, Phase.DONE)) {
            throw new AnswerIncompleteException(SendFailure.Code.DEADLINE, null);
        }
    }

    /**
     * Says what a failure proves, by how far the call got and not by the class that was thrown.
     *
     * @param thrown what ended the call
     * @return the exception to throw instead; the same one if the request began and the deadline did not pass
     */
    IOException explain(IOException thrown) {
        if (thrown instanceof RequestNotSentException || thrown instanceof AnswerIncompleteException) {
            return thrown;
        }
        return switch (phase.get()) {
            case CONNECTING -> new RequestNotSentException(whyNotSent(thrown), thrown);
            case EXPIRED_CONNECTING -> new RequestNotSentException(SendFailure.Code.DEADLINE_BEFORE_REQUEST, thrown);
            case EXPIRED_STARTED -> new AnswerIncompleteException(SendFailure.Code.DEADLINE, thrown);
            case STARTED, DONE -> thrown;
        };
    }

    private static SendFailure.Code whyNotSent(IOException thrown) {
        if (thrown instanceof UnknownHostException) {
            return SendFailure.Code.UNKNOWN_HOST;
        }
        if (thrown instanceof ConnectionRequestTimeoutException) {
            return SendFailure.Code.NO_FREE_CONNECTION;
        }
        if (thrown instanceof ConnectTimeoutException) {
            return SendFailure.Code.CONNECT_TIMEOUT;
        }
        if (thrown instanceof ConnectException) {
            return SendFailure.Code.REFUSED;
        }
        if (thrown instanceof SSLException) {
            return SendFailure.Code.TLS_HANDSHAKE;
        }
        return SendFailure.Code.CONNECT_FAILED;
    }
}
