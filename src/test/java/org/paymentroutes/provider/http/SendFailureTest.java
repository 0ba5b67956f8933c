package org.paymentroutes.provider.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.apache.camel.RuntimeCamelException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.HttpHostConnectException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.protocol.BasicHttpContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.paymentroutes.provider.http.SendFailure.Code;
import org.paymentroutes.provider.http.SendFailure.Verdict;

/** The same exception proves something before the request began, and nothing after. */
class SendFailureTest {

    static Stream<Arguments> exceptions() {
        return Stream.of(
                Arguments.of(new HttpHostConnectException("refused"), Code.REFUSED),
                Arguments.of(new ConnectException("refused"), Code.REFUSED),
                Arguments.of(new UnknownHostException("h"), Code.UNKNOWN_HOST),
                Arguments.of(new ConnectionRequestTimeoutException("pool"), Code.NO_FREE_CONNECTION),
                Arguments.of(new ConnectTimeoutException("connect"), Code.CONNECT_TIMEOUT),
                Arguments.of(new SSLHandshakeException("trust"), Code.TLS_HANDSHAKE),
                Arguments.of(new SSLException("plain"), Code.TLS_HANDSHAKE),
                Arguments.of(new SocketException("Connection reset"), Code.CONNECT_FAILED),
                Arguments.of(new NoRouteToHostException("route"), Code.CONNECT_FAILED),
                Arguments.of(new SocketTimeoutException("read"), Code.CONNECT_FAILED),
                Arguments.of(new InterruptedIOException("aborted"), Code.CONNECT_FAILED),
                Arguments.of(new NoHttpResponseException("stale"), Code.CONNECT_FAILED),
                Arguments.of(new ConnectionClosedException("cut"), Code.CONNECT_FAILED),
                Arguments.of(new MalformedChunkCodingException("chunk"), Code.CONNECT_FAILED),
                Arguments.of(new EOFException("gzip"), Code.CONNECT_FAILED),
                Arguments.of(new IOException("any"), Code.CONNECT_FAILED));
    }

    @ParameterizedTest
    @MethodSource("exceptions")
    void beforeTheRequestBeganItIsNotExecuted(IOException thrown, Code expected) {
        Call call = Call.begin(new BasicHttpContext());
        SendFailure failure = SendFailure.of(new RuntimeCamelException(call.explain(thrown)));
        assertThat(failure).isEqualTo(new SendFailure(Verdict.NOT_EXECUTED, expected, expected.reason()));
    }

    @ParameterizedTest
    @MethodSource("exceptions")
    void afterTheRequestBeganItIsAmbiguous(IOException thrown, Code ignored) throws IOException {
        Call call = Call.begin(new BasicHttpContext());
        call.start();
        assertThat(SendFailure.of(call.explain(thrown)).verdict()).isEqualTo(Verdict.AMBIGUOUS);
    }

    @ParameterizedTest
    @MethodSource("exceptions")
    void withoutTheWitnessItIsAmbiguous(IOException thrown, Code ignored) {
        assertThat(SendFailure.of(thrown).verdict()).isEqualTo(Verdict.AMBIGUOUS);
        assertThat(SendFailure.of(new IllegalStateException(thrown)).verdict()).isEqualTo(Verdict.AMBIGUOUS);
    }

    @Test
    void aSecondRequestOfTheSameCallIsRefusedAndProvesNothing() throws IOException {
        Call call = Call.begin(new BasicHttpContext());
        call.start();
        assertThatThrownBy(call::start).isInstanceOfSatisfying(AnswerIncompleteException.class,
                e -> assertThat(SendFailure.of(e).code()).isEqualTo(Code.SECOND_REQUEST_REFUSED));
    }

    @Test
    void aRequestIsNotStartedAfterTheDeadline() {
        Call call = Call.begin(new BasicHttpContext());
        assertThat(call.expire()).isTrue();
        assertThatThrownBy(call::start).isInstanceOf(RequestNotSentException.class);
    }

    @Test
    void anAnswerThatLosesTheRaceAgainstTheDeadlineIsAmbiguous() throws IOException {
        Call call = Call.begin(new BasicHttpContext());
        call.start();
        assertThat(call.expire()).isTrue();
        assertThatThrownBy(call::complete).isInstanceOf(AnswerIncompleteException.class);
    }

    @Test
    void theDeadlineThatLosesTheRaceCancelsNothing() throws IOException {
        Call call = Call.begin(new BasicHttpContext());
        call.start();
        call.complete();
        assertThat(call.expire()).isFalse();
    }

    @Test
    void nothingAndLoopsProveNothing() {
        Exception first = new Exception("a");
        first.initCause(new Exception("b", first));
        assertThat(SendFailure.of(null).verdict()).isEqualTo(Verdict.AMBIGUOUS);
        assertThat(SendFailure.of(first).verdict()).isEqualTo(Verdict.AMBIGUOUS);
    }

    @Test
    void theReasonHoldsNothingOfTheException() {
        assertThat(SendFailure.of(new IOException("https://u:secret@host/pay?token=secret")).reason())
                .isEqualTo(Code.OTHER.reason());
    }

    @Test
    void aProofCannotBeMadeOfACodeThatProvesNothing() {
        assertThatThrownBy(() -> new RequestNotSentException(Code.DEADLINE, null))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new AnswerIncompleteException(Code.REFUSED, null))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
