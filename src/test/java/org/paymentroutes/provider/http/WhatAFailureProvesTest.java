package org.paymentroutes.provider.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.camel.Exchange;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.provider.http.SendFailure.Code;
import org.paymentroutes.provider.http.SendFailure.Verdict;
import org.paymentroutes.wire.CountingServer;
import org.paymentroutes.wire.Reply;
import org.paymentroutes.wire.TestKeys;

/** Real failures on real sockets: only those before the first byte of the request prove that nothing was executed. */
class WhatAFailureProvesTest {

    private static final String JSON = "{\"amount\":100}";

    @TempDir
    static Path folder;
    private static TestKeys keys;

    @BeforeAll
    static void makeKey() throws Exception {
        keys = TestKeys.create(folder);
    }

    private static void assertFailure(Exchange answer, Verdict verdict, Code code) {
        SendFailure failure = SendFailure.of(answer.getException());
        assertThat(failure.code()).as(String.valueOf(answer.getException())).isEqualTo(code);
        assertThat(failure.verdict()).isEqualTo(verdict);
        assertThat(answer.getMessage().getHeader(Exchange.HTTP_RESPONSE_CODE)).isNull();
    }

    private static int unusedPort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void refusedIsNotExecuted() throws Exception {
        try (ProviderRoutes routes = new ProviderRoutes()
                .template("provider-http", "acme", "http://localhost:" + unusedPort() + "/pay").start()) {
            assertFailure(routes.send(JSON), Verdict.NOT_EXECUTED, Code.REFUSED);
        }
    }

    @Test
    void anUnknownHostIsNotExecuted() throws Exception {
        try (ProviderRoutes routes = new ProviderRoutes()
                .template("provider-http", "acme", "http://no-such-host.invalid/pay").start()) {
            assertFailure(routes.send(JSON), Verdict.NOT_EXECUTED, Code.UNKNOWN_HOST);
        }
    }

    @Test
    void noFreeConnectionIsNotExecuted() throws Exception {
        try (CountingServer server = CountingServer.plain().always(Reply.silence());
                ProviderRoutes routes = new ProviderRoutes().post(server, "maxConnections", "1").start()) {
            CompletableFuture<Exchange> first = CompletableFuture.supplyAsync(() -> routes.send(JSON));
            await().until(() -> server.count() == 1);
            assertFailure(routes.send(JSON), Verdict.NOT_EXECUTED, Code.NO_FREE_CONNECTION);
            assertThat(server.count()).isEqualTo(1);
            assertThat(SendFailure.of(first.get(10, TimeUnit.SECONDS).getException()).verdict()).isEqualTo(Verdict.AMBIGUOUS);
        }
    }

    @Test
    void tlsToAPlainPortIsNotExecuted() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ProviderRoutes routes = new ProviderRoutes().trust(keys.client()).postTls(plain.getLocalPort()).start()) {
            CompletableFuture<Void> answered = CompletableFuture.runAsync(() -> {
                try (Socket socket = plain.accept()) {
                    socket.getInputStream().read(new byte[64]);
                    socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    socket.shutdownOutput();
                    socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            assertFailure(routes.send(JSON), Verdict.NOT_EXECUTED, Code.TLS_HANDSHAKE);
            answered.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void anUntrustedCertificateIsNotExecuted() throws Exception {
        try (CountingServer server = CountingServer.tls(keys.server());
                ProviderRoutes routes = new ProviderRoutes()
                        .template("provider-http", "acme", "https://localhost:" + server.port() + "/pay").start()) {
            assertFailure(routes.send(JSON), Verdict.NOT_EXECUTED, Code.TLS_HANDSHAKE);
            assertThat(server.count()).isZero();
        }
    }

    @Test
    void aStalledHandshakeIsNotExecutedAndEndsInTime() throws Exception {
        try (CountingServer server = CountingServer.silent();
                ProviderRoutes routes = new ProviderRoutes().trust(keys.client()).postTls(server.port()).start()) {
            assertFailure(routes.send(JSON), Verdict.NOT_EXECUTED, Code.CONNECT_TIMEOUT);
        }
    }

    @Test
    void theDeadlineEndsAStalledHandshakeBeforeTheConnectTimeoutDoes() throws Exception {
        try (CountingServer server = CountingServer.silent();
                ProviderRoutes routes = new ProviderRoutes().trust(keys.client())
                        .postTls(server.port(), "connectTimeoutMs", "60000", "deadlineMs", "700").start()) {
            long before = System.nanoTime();
            assertFailure(routes.send(JSON), Verdict.NOT_EXECUTED, Code.DEADLINE_BEFORE_REQUEST);
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before)).isLessThan(3000);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aResetWhileALargeBodyIsWrittenIsAmbiguous(boolean text) throws Exception {
        byte[] large = new byte[30_000_000];
        Arrays.fill(large, (byte) 'x');
        try (CountingServer server = CountingServer.plain().always(Reply.resetWhileReading(100_000));
                ProviderRoutes routes = new ProviderRoutes().post(server).start()) {
            assertFailure(routes.send(text ? new String(large, StandardCharsets.US_ASCII) : large),
                    Verdict.AMBIGUOUS, Code.CONNECTION_LOST);
            assertThat(server.count()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aResetAfterTheRequestWasReadIsAmbiguous(boolean tls) throws Exception {
        try (CountingServer server = (tls ? CountingServer.tls(keys.server()) : CountingServer.plain()).always(Reply.reset());
                ProviderRoutes routes = routesTo(server, tls)) {
            SendFailure failure = SendFailure.of(routes.send(JSON).getException());
            assertThat(failure.verdict()).isEqualTo(Verdict.AMBIGUOUS);
            assertThat(failure.code()).isIn(Code.CONNECTION_LOST, Code.TLS, Code.NO_ANSWER);
            assertThat(server.count()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closedWithoutAnAnswerIsAmbiguous(boolean tls) throws Exception {
        try (CountingServer server = (tls ? CountingServer.tls(keys.server()) : CountingServer.plain())
                .always(Reply.thenClose(new byte[0]));
                ProviderRoutes routes = routesTo(server, tls)) {
            assertFailure(routes.send(JSON), Verdict.AMBIGUOUS, Code.NO_ANSWER);
            assertThat(server.count()).isEqualTo(1);
        }
    }

    @Test
    void noAnswerAtAllIsAmbiguous() throws Exception {
        try (CountingServer server = CountingServer.plain().always(Reply.silence());
                ProviderRoutes routes = new ProviderRoutes().post(server, "deadlineMs", "800").start()) {
            SendFailure failure = SendFailure.of(routes.send(JSON).getException());
            assertThat(failure.verdict()).isEqualTo(Verdict.AMBIGUOUS);
            assertThat(failure.code()).isIn(Code.DEADLINE, Code.READ_TIMEOUT);
        }
    }

    @Test
    void anAnswerThatIsNotHttpIsAmbiguous() throws Exception {
        try (CountingServer server = CountingServer.plain()
                .always(Reply.thenClose("220 smtp ready\r\n".getBytes(StandardCharsets.US_ASCII)));
                ProviderRoutes routes = new ProviderRoutes().post(server).start()) {
            assertThat(SendFailure.of(routes.send(JSON).getException()).verdict()).isEqualTo(Verdict.AMBIGUOUS);
            assertThat(server.count()).isEqualTo(1);
        }
    }

    @Test
    void aStalePooledConnectionProvesNothingAndIsNotRetried() throws Exception {
        try (CountingServer server = CountingServer.plain();
                ProviderRoutes routes = new ProviderRoutes().post(server).start()) {
            assertThat(routes.send(JSON).getException()).isNull();
            server.closeConnections();
            assertThat(SendFailure.of(routes.send(JSON).getException()).verdict()).isEqualTo(Verdict.AMBIGUOUS);
            assertThat(server.count()).isEqualTo(1);
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void withoutKeepAliveEachCallHasItsOwnConnection() throws Exception {
        try (CountingServer server = CountingServer.plain();
                ProviderRoutes routes = new ProviderRoutes().post(server, "keepAliveMs", "0").start()) {
            routes.send(JSON);
            routes.send(JSON);
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void aBodyThatCannotBeSentIsNotExecuted() throws Exception {
        try (CountingServer server = CountingServer.plain();
                ProviderRoutes routes = new ProviderRoutes().post(server).start()) {
            assertFailure(routes.send(null), Verdict.NOT_EXECUTED, Code.INVALID_REQUEST);
            assertFailure(routes.send(JSON, "Idempotency-Key", "a\r\nX-Evil: 1"), Verdict.NOT_EXECUTED, Code.INVALID_REQUEST);
            assertThat(server.connections()).isZero();
        }
    }

    private static ProviderRoutes routesTo(CountingServer server, boolean tls) throws Exception {
        ProviderRoutes routes = new ProviderRoutes().trust(keys.client());
        return (tls ? routes.postTls(server.port()) : routes.post(server)).start();
    }
}
