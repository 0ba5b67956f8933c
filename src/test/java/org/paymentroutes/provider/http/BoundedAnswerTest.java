package org.paymentroutes.provider.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.provider.http.SendFailure.Code;
import org.paymentroutes.provider.http.SendFailure.Verdict;
import org.paymentroutes.wire.CountingServer;
import org.paymentroutes.wire.Reply;
import org.paymentroutes.wire.TestKeys;

/** An answer is read whole, in time and in bounds, or it proves nothing. */
class BoundedAnswerTest {

    private static final String JSON = "{\"amount\":100}";
    private static final byte[] ANSWER = "{\"status\":\"SUCCEEDED\"}".getBytes(StandardCharsets.UTF_8);

    @TempDir
    static Path folder;
    private static TestKeys keys;

    @BeforeAll
    static void makeKey() throws Exception {
        keys = TestKeys.create(folder);
    }

    private static Exchange ask(Reply reply, String... parameters) throws Exception {
        try (CountingServer server = CountingServer.plain().always(reply);
                ProviderRoutes routes = new ProviderRoutes().post(server, parameters).start()) {
            Exchange answer = routes.send(JSON);
            assertThat(server.count()).isEqualTo(1);
            return answer;
        }
    }

    private static void assertAmbiguous(Exchange answer, Code code) {
        SendFailure failure = SendFailure.of(answer.getException());
        assertThat(failure.code()).as(String.valueOf(answer.getException())).isEqualTo(code);
        assertThat(failure.verdict()).isEqualTo(Verdict.AMBIGUOUS);
        assertThat(answer.getMessage().getHeader(Exchange.HTTP_RESPONSE_CODE)).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTricklingAnswerEndsAtTheDeadline(boolean tls) throws Exception {
        try (CountingServer server = (tls ? CountingServer.tls(keys.server()) : CountingServer.plain())
                .always(Reply.trickle(200, "{\"status\":\"SUCCEEDED\"}", 700));
                ProviderRoutes routes = new ProviderRoutes().trust(keys.client())) {
            ProviderRoutes made = tls ? routes.postTls(server.port(), "deadlineMs", "1500")
                    : routes.post(server, "deadlineMs", "1500");
            long before = System.nanoTime();
            assertAmbiguous(made.start().send(JSON), Code.DEADLINE);
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before)).isBetween(1400L, 2500L);
            assertThat(server.count()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerThatDoesNotReadTheBodyIsLeftAtTheDeadline(boolean tls) throws Exception {
        try (CountingServer server = (tls ? CountingServer.tls(keys.server()) : CountingServer.plain())
                .always(Reply.stall(20_000));
                ProviderRoutes routes = new ProviderRoutes().trust(keys.client())) {
            ProviderRoutes made = tls ? routes.postTls(server.port(), "deadlineMs", "1000")
                    : routes.post(server, "deadlineMs", "1000");
            long before = System.nanoTime();
            assertAmbiguous(made.start().send(new byte[30_000_000]), Code.DEADLINE);
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before)).isLessThan(3000);
        }
    }

    static Stream<Arguments> cutAnswers() {
        byte[] gzip = Reply.gzip(ANSWER);
        return Stream.of(
                Arguments.of("content-length", Reply.thenClose(
                        Reply.bytes(Reply.head(200, "Content-Length: 500"), ANSWER))),
                Arguments.of("chunk", Reply.thenClose(Reply.bytes(Reply.head(200, "Transfer-Encoding: chunked"),
                        "40\r\n".getBytes(StandardCharsets.US_ASCII), ANSWER))),
                Arguments.of("last chunk missing", Reply.thenClose(Reply.bytes(Reply.head(200, "Transfer-Encoding: chunked"),
                        (Integer.toHexString(ANSWER.length) + "\r\n").getBytes(StandardCharsets.US_ASCII), ANSWER,
                        "\r\n".getBytes(StandardCharsets.US_ASCII)))),
                Arguments.of("gzip", Reply.keepOpen(Reply.bytes(
                        Reply.head(200, "Content-Encoding: gzip", "Content-Length: " + gzip.length / 2),
                        Arrays.copyOf(gzip, gzip.length / 2)))),
                Arguments.of("not gzip", Reply.of(200, "{}{}{}{}{}{}{}{}", "Content-Encoding: gzip")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cutAnswers")
    void aCutAnswerIsAmbiguous(String name, Reply reply) throws Exception {
        assertAmbiguous(ask(reply), Code.ANSWER_DAMAGED);
    }

    @Test
    void aCutAnswerWithoutALengthLooksWholeSoTheParserMustRefuseIt() throws Exception {
        Exchange answer = ask(Reply.thenClose(Reply.bytes(Reply.head(200, "Connection: close"), Arrays.copyOf(ANSWER, 12))));
        assertThat(answer.getException()).isNull();
        assertThat(answer.getMessage().getBody()).isEqualTo(Arrays.copyOf(ANSWER, 12));
    }

    @Test
    void aWholeGzipAnswerArrivesAsPlainBytes() throws Exception {
        byte[] gzip = Reply.gzip(ANSWER);
        Exchange answer = ask(Reply.keepOpen(Reply.bytes(
                Reply.head(200, "Content-Encoding: gzip", "Content-Length: " + gzip.length), gzip)));
        assertThat(answer.getException()).isNull();
        assertThat(answer.getMessage().getBody()).isEqualTo(ANSWER);
    }

    static Stream<Arguments> emptyAnswers() {
        return Stream.of(
                Arguments.of(204, Reply.headOnly(204)),
                Arguments.of(204, Reply.headOnly(204, "Content-Encoding: gzip", "Content-Length: 20")),
                Arguments.of(202, Reply.of(202, "")),
                Arguments.of(202, Reply.of(202, "", "Content-Encoding: gzip")),
                Arguments.of(200, Reply.of(200, "")),
                Arguments.of(304, Reply.headOnly(304)),
                Arguments.of(200, Reply.of(200, "x", "Content-Type: application/x-java-serialized-object")));
    }

    @ParameterizedTest
    @MethodSource("emptyAnswers")
    void anAnswerWithoutABodyHasAnEmptyBodyAndNeverNull(int status, Reply reply) throws Exception {
        Exchange answer = ask(reply);
        assertThat(answer.getException()).isNull();
        assertThat(answer.getMessage().getHeader(Exchange.HTTP_RESPONSE_CODE)).isEqualTo(status);
        assertThat(answer.getMessage().getBody()).isEqualTo(new byte[0]);
    }

    @Test
    void fiftyMegabytesAreNotRead() throws Exception {
        assertAmbiguous(ask(Reply.large(50_000_000)), Code.ANSWER_TOO_LARGE);
    }

    @Test
    void anAnnouncedLengthAboveTheLimitIsNotRead() throws Exception {
        assertAmbiguous(ask(Reply.keepOpen(Reply.head(200, "Content-Length: 50000000"))), Code.ANSWER_TOO_LARGE);
    }

    @Test
    void aGzipBombIsStoppedAtTheLimit() throws Exception {
        byte[] bomb = Reply.gzip(new byte[60_000_000]);
        assertThat(bomb.length).isLessThan(65536);
        assertAmbiguous(ask(Reply.keepOpen(Reply.bytes(
                Reply.head(200, "Content-Encoding: gzip", "Content-Length: " + bomb.length), bomb))), Code.ANSWER_TOO_LARGE);
    }

    @Test
    void anAnswerOfExactlyTheLimitIsRead() throws Exception {
        Exchange answer = ask(Reply.of(200, "0123456789"), "maxAnswerBytes", "10");
        assertThat(answer.getMessage().getBody()).isEqualTo("0123456789".getBytes(StandardCharsets.US_ASCII));
        assertAmbiguous(ask(Reply.of(200, "0123456789A"), "maxAnswerBytes", "10"), Code.ANSWER_TOO_LARGE);
    }

    @Test
    void aConnectionIsUsedAgainAfterAWholeAnswerButNotAfterAFailedOne() throws Exception {
        try (CountingServer server = CountingServer.plain().then(Reply.of(200, "{}"), Reply.of(200, "{}"),
                Reply.keepOpen(Reply.head(200, "Content-Length: 50000000")), Reply.of(200, "{}"));
                ProviderRoutes routes = new ProviderRoutes().post(server, "maxConnections", "1").start()) {
            routes.send(JSON);
            routes.send(JSON);
            assertThat(server.connections()).isEqualTo(1);
            assertAmbiguous(routes.send(JSON), Code.ANSWER_TOO_LARGE);
            assertThat(routes.send(JSON).getException()).isNull();
            assertThat(server.connections()).isEqualTo(2);
        }
    }
}
