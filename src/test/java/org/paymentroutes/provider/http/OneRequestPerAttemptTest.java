package org.paymentroutes.provider.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.paymentroutes.wire.CountingServer;
import org.paymentroutes.wire.Reply;
import org.paymentroutes.wire.TestKeys;

/** Counts requests at the socket: whatever the answer, one call is one request, and nothing waits for Retry-After. */
class OneRequestPerAttemptTest {

    private static final String JSON = "{\"amount\":100,\"name\":\"Zo\u00eb \u4e2d\"}";

    @TempDir
    static Path folder;
    private static TestKeys keys;

    @BeforeAll
    static void makeKey() throws Exception {
        keys = TestKeys.create(folder);
    }

    static Stream<Arguments> answersThatInviteASecondRequest() {
        List<String[]> answers = new ArrayList<>();
        for (String status : new String[] {"503", "429"}) {
            for (String after : new String[] {"", "25", "86400", "0", "-5", "1.5", "junk", "Wed, 21 Oct 2015 07:28:00 GMT",
                "Fri, 31 Dec 9999 23:59:59 GMT"}) {
                answers.add(new String[] {status, after.isEmpty() ? "X-None: 1" : "Retry-After: " + after});
            }
        }
        for (String status : new String[] {"301", "302", "303", "307", "308"}) {
            answers.add(new String[] {status, "Location: /elsewhere"});
        }
        answers.add(new String[] {"401", "WWW-Authenticate: Basic realm=\"pay\""});
        answers.add(new String[] {"407", "Proxy-Authenticate: Basic realm=\"pay\""});
        for (String status : new String[] {"408", "421", "425", "500", "502", "504"}) {
            answers.add(new String[] {status, "X-None: 1"});
        }
        return answers.stream().flatMap(a -> Stream.of(
                Arguments.of(Integer.valueOf(a[0]), a[1], JSON),
                Arguments.of(Integer.valueOf(a[0]), a[1], JSON.getBytes(StandardCharsets.UTF_8))));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("answersThatInviteASecondRequest")
    void isSentOnceOverHttp(int status, String header, Object body) throws Exception {
        try (CountingServer server = CountingServer.plain().always(Reply.of(status, "{}", header));
                ProviderRoutes routes = new ProviderRoutes().post(server).start()) {
            assertSentOnce(server, routes, status, body);
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("answersThatInviteASecondRequest")
    void isSentOnceOverHttps(int status, String header, Object body) throws Exception {
        try (CountingServer server = CountingServer.tls(keys.server()).always(Reply.of(status, "{}", header));
                ProviderRoutes routes = new ProviderRoutes().trust(keys.client()).postTls(server.port()).start()) {
            assertSentOnce(server, routes, status, body);
        }
    }

    private static void assertSentOnce(CountingServer server, ProviderRoutes routes, int status, Object body) {
        Instant before = Instant.now();
        Exchange answer = routes.send(body);
        assertThat(answer.getException()).isNull();
        assertThat(answer.getMessage().getHeader(Exchange.HTTP_RESPONSE_CODE)).isEqualTo(status);
        assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofMillis(ProviderRoutes.DEADLINE_MS));
        assertThat(server.count()).isEqualTo(1);
        assertThat(server.requests().get(0).line()).isEqualTo("POST /pay HTTP/1.1");
        assertThat(server.requests().get(0).text()).isEqualTo(JSON);
    }

    @Test
    void aRedirectToAnotherHostGetsNeitherKeyNorCredential() throws Exception {
        try (CountingServer other = CountingServer.plain();
                CountingServer server = CountingServer.plain().always(
                        Reply.of(307, "", "Location: http://localhost:" + other.port() + "/pay"));
                ProviderRoutes routes = new ProviderRoutes().property("acme.key", "Bearer s3cret")
                        .post(server, "authorization", "acme.key").start()) {
            routes.send(JSON, "Idempotency-Key", "k1");
            assertThat(server.requests().get(0).header("Authorization")).isEqualTo("Bearer s3cret");
            assertThat(other.connections()).isZero();
        }
    }

    @Test
    void cookiesOfOneAnswerAreNotSentWithTheNext() throws Exception {
        try (CountingServer server = CountingServer.plain().always(Reply.of(200, "{}", "Set-Cookie: session=1; Path=/"));
                ProviderRoutes routes = new ProviderRoutes().post(server).start()) {
            routes.send(JSON);
            routes.send(JSON);
            assertThat(server.requests()).hasSize(2).allSatisfy(r -> assertThat(r.header("Cookie")).isNull());
        }
    }

    @Test
    void theServerWouldSeeTheSecondRequestOfAnUnprotectedClient() throws Exception {
        try (CountingServer server = CountingServer.plain().always(Reply.of(503, "{}"));
                CamelContext unprotected = new DefaultCamelContext()) {
            unprotected.start();
            unprotected.createProducerTemplate().request(
                    "http://localhost:" + server.port() + "/pay?throwExceptionOnFailure=false",
                    exchange -> exchange.getMessage().setBody(JSON));
            assertThat(server.count()).isEqualTo(2);
        }
    }
}
