package org.paymentroutes.provider.http;

import java.io.EOFException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.zip.ZipException;
import javax.net.ssl.SSLException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.ProtocolException;

/**
 * What an exception proves about a request.
 *
 * <p>The class of an exception alone proves nothing: {@link SocketException} and {@code InterruptedIOException} each mean
 * both "never sent" and "maybe paid", and a refused connection may belong to another call of the same route. So the only
 * proof that nothing was sent is a {@link RequestNotSentException}, which {@link ProviderHttpClient} throws because it saw
 * that the request was never handed to a connection.
 *
 * @param verdict what is proven
 * @param code    short stable word for storage and metrics
 * @param reason  one sentence for people; fixed text without secrets, addresses or bodies
 */
public record SendFailure(Verdict verdict, Code code, String reason) {

    /** What is proven about the request. */
    public enum Verdict {
        /** No byte of the request left. */
        NOT_EXECUTED,
        /** The request left, or may have left. */
        AMBIGUOUS
    }

    /** Why a call ended without a usable answer. */
    public enum Code {
        /** Nobody listens at the address. */
        REFUSED(Verdict.NOT_EXECUTED, "Connection refused before anything was sent"),
        /** The host name has no address. */
        UNKNOWN_HOST(Verdict.NOT_EXECUTED, "The host name of the provider could not be resolved"),
        /** All connections to the provider stayed in use. */
        NO_FREE_CONNECTION(Verdict.NOT_EXECUTED, "No pooled connection became free in time"),
        /** Connecting, with its TLS handshake, took too long. */
        CONNECT_TIMEOUT(Verdict.NOT_EXECUTED, "Connecting timed out before anything was sent"),
        /** The TLS handshake failed, so the request was not written. */
        TLS_HANDSHAKE(Verdict.NOT_EXECUTED, "The TLS handshake failed before the request was written"),
        /** The connection broke while it was being made. */
        CONNECT_FAILED(Verdict.NOT_EXECUTED, "The connection failed before the request was written"),
        /** The total deadline passed while connecting. */
        DEADLINE_BEFORE_REQUEST(Verdict.NOT_EXECUTED, "The deadline passed before the request was written"),
        /** The route built a request that this layer refuses to send. */
        INVALID_REQUEST(Verdict.NOT_EXECUTED, "The request was refused by our own checks and not sent"),
        /** The total deadline passed after the request began. */
        DEADLINE(Verdict.AMBIGUOUS, "The deadline passed before the answer was complete"),
        /** The answer is larger than the limit. */
        ANSWER_TOO_LARGE(Verdict.AMBIGUOUS, "The answer is larger than the limit"),
        /** Something below tried to send the request again. */
        SECOND_REQUEST_REFUSED(Verdict.AMBIGUOUS, "A second request for the same attempt was refused"),
        /** The peer closed, or a pooled connection was stale. */
        NO_ANSWER(Verdict.AMBIGUOUS, "The connection was closed without an answer"),
        /** Nothing arrived in time. */
        READ_TIMEOUT(Verdict.AMBIGUOUS, "No answer arrived in time"),
        /** The connection broke while writing or reading. */
        CONNECTION_LOST(Verdict.AMBIGUOUS, "The connection broke after the request began"),
        /** The answer ended too early or is damaged. */
        ANSWER_DAMAGED(Verdict.AMBIGUOUS, "The answer is cut or damaged"),
        /** TLS failed after the request began. */
        TLS(Verdict.AMBIGUOUS, "TLS failed after the request began"),
        /** The answer is not HTTP. */
        PROTOCOL(Verdict.AMBIGUOUS, "The answer is not valid HTTP"),
        /** Anything else. */
        OTHER(Verdict.AMBIGUOUS, "The call failed in a way that proves nothing");

        private final Verdict verdict;
        private final String reason;

        Code(Verdict verdict, String reason) {
            this.verdict = verdict;
            this.reason = reason;
        }

        /** @return what this code proves; never null */
        public Verdict verdict() {
            return verdict;
        }

        /** @return one sentence for people; never null */
        public String reason() {
            return reason;
        }
    }

    private static final int DEEPEST_CAUSE = 32;

    /**
     * Names what a failed call proves.
     *
     * @param thrown what the call threw, with its causes; null counts as "proves nothing"
     * @return the verdict; AMBIGUOUS unless {@link RequestNotSentException} is in the chain; never null
     */
    public static SendFailure of(Throwable thrown) {
        Code found = Code.OTHER;
        Throwable link = thrown;
        for (int depth = 0; link != null && depth < DEEPEST_CAUSE; depth++, link = link.getCause()) {
            if (link instanceof RequestNotSentException notSent) {
                return of(notSent.code());
            }
            if (link instanceof AnswerIncompleteException incomplete) {
                return of(incomplete.code());
            }
            if (found == Code.OTHER) {
                found = ambiguous(link);
            }
        }
        return of(found);
    }

    private static SendFailure of(Code code) {
        return new SendFailure(code.verdict(), code, code.reason());
    }

    private static Code ambiguous(Throwable link) {
        if (link instanceof NoHttpResponseException) {
            return Code.NO_ANSWER;
        }
        if (link instanceof ConnectionClosedException || link instanceof MalformedChunkCodingException
                || link instanceof EOFException || link instanceof ZipException) {
            return Code.ANSWER_DAMAGED;
        }
        if (link instanceof SocketTimeoutException) {
            return Code.READ_TIMEOUT;
        }
        if (link instanceof SSLException) {
            return Code.TLS;
        }
        if (link instanceof SocketException) {
            return Code.CONNECTION_LOST;
        }
        if (link instanceof ProtocolException) {
            return Code.PROTOCOL;
        }
        return Code.OTHER;
    }
}
