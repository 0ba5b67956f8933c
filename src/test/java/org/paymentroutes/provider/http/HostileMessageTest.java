package org.paymentroutes.provider.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.Map;
import org.apache.camel.Exchange;
import org.apache.camel.Route;
import org.apache.camel.model.ModelCamelContext;
import org.apache.camel.support.PluginHelper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.wire.CountingServer;
import org.paymentroutes.wire.RawRequest;
import org.paymentroutes.wire.Reply;

/** Nothing of an inbound message steers a call, and the credential is on the wire and nowhere else. */
class HostileMessageTest {

    private static final String JSON = "{\"amount\":100}";
    private static final Object[] HOSTILE = {
        "CamelHttpUri", "http://localhost:1/evil", "cAmElHtTpUri", "http://localhost:1/evil", "CamelHttpPath", "evil",
        "CamelHttpQuery", "amount=999999", "CamelHttpRawQuery", "amount=999999", "CamelRestHttpUri", "http://localhost:1/evil",
        "CamelRestHttpQuery", "amount=999999", "CamelHttpMethod", "DELETE", "CamelHttpProtocolVersion", "HTTP/1.0",
        "CamelHttpResponseCode", 200, "Transfer-Encoding", "chunked", "Content-Length", "1", "Content-Encoding", "gzip",
        "Content-Type", "text/evil", "Host", "evil.example", "Connection", "close", "Expect", "100-continue",
        "Secretinternal", "abc", "Cookie", "session=1", "Authorization", "Basic ZXZpbDo=", "X-Forwarded-For", "1.2.3.4"};

    private static void assertOurRequest(RawRequest request, String line, String... names) {
        assertThat(request.line()).isEqualTo(line);
        assertThat(request.headerNames()).containsExactly(names);
        assertThat(request.head()).doesNotContain("evil").doesNotContain("abc").doesNotContain("999999");
    }

    @Test
    void inboundHeadersChangeNothingOnTheWire() throws Exception {
        try (CountingServer server = CountingServer.plain(); ProviderRoutes routes = new ProviderRoutes().post(server).start()) {
            assertThat(routes.send(JSON, HOSTILE).getException()).isNull();
            assertOurRequest(server.requests().get(0), "POST /pay HTTP/1.1",
                    "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent");
            assertThat(server.requests().get(0).header("Content-Type")).isEqualTo("application/json");
            assertThat(server.requests().get(0).header("Connection")).isEqualTo("keep-alive");
            assertThat(server.requests().get(0).text()).isEqualTo(JSON);
        }
    }

    private static ProviderRoutes acme(CountingServer server) throws Exception {
        return new ProviderRoutes().property("acme.url", "http://localhost:" + server.port() + "/pay")
                .property("acme.credential", "Bearer own").load("classpath:wire/acme.camel.yaml").start();
    }

    @Test
    void aProviderRouteSendsItsOwnKeyAndNotTheInboundOne() throws Exception {
        try (CountingServer server = CountingServer.plain(); ProviderRoutes routes = acme(server)) {
            Object[] hostile = Arrays.copyOf(HOSTILE, HOSTILE.length + 2);
            hostile[HOSTILE.length] = "Idempotency-Key";
            hostile[HOSTILE.length + 1] = "from-evil-inbound";
            routes.request("direct:acme-submit", JSON, Map.of("paymentId", "0198f00d"), hostile);
            assertOurRequest(server.requests().get(0), "POST /pay HTTP/1.1", "accept-encoding", "authorization",
                    "connection", "content-length", "content-type", "host", "idempotency-key", "user-agent");
            assertThat(server.requests().get(0).header("Idempotency-Key")).isEqualTo("0198f00d");
            assertThat(server.requests().get(0).header("Authorization")).isEqualTo("Bearer own");
        }
    }

    @Test
    void aProviderRouteNamesAFailureInItsCatchBranchWithoutReadingAStaleCode() throws Exception {
        try (CountingServer server = CountingServer.plain().always(Reply.reset()); ProviderRoutes routes = acme(server)) {
            Exchange answer = routes.request("direct:acme-submit", JSON, Map.of("paymentId", "p"), "CamelHttpResponseCode", 200);
            assertThat(answer.getException()).isNull();
            assertThat(answer.getVariable("failure", SendFailure.class).verdict()).isEqualTo(SendFailure.Verdict.AMBIGUOUS);
            assertThat(answer.getMessage().getHeader("CamelHttpResponseCode")).isNull();
            assertThat(answer.getMessage().getHeaders().toString()).doesNotContain("Bearer");
            assertThat(server.count()).isEqualTo(1);
        }
    }

    @Test
    void theAnswerGivesOnlyItsCodeAndTheAllowedHeaders() throws Exception {
        try (CountingServer server = CountingServer.plain().always(Reply.of(429, "{}", "Retry-After: 25",
                "CamelSqlQuery: drop", "JMSReplyTo: evil", "Idempotency-Key: evil", "Content-Type: application/json"));
                ProviderRoutes routes = new ProviderRoutes().post(server).start()) {
            Exchange answer = routes.send(JSON, "Idempotency-Key", "k1", "internal", "x");
            assertThat(answer.getMessage().getHeaders()).isEqualTo(Map.of("CamelHttpResponseCode", 429,
                    "Retry-After", "25", "Content-Type", "application/json"));
        }
    }

    @Test
    void aCodeOfAnEarlierCallIsNotSeenAfterAFailure() throws Exception {
        try (CountingServer server = CountingServer.plain().always(Reply.reset());
                ProviderRoutes routes = new ProviderRoutes().post(server).start()) {
            Exchange answer = routes.send(JSON, "CamelHttpResponseCode", 200, "CamelHttpResponseText", "OK");
            assertThat(answer.getException()).isNotNull();
            assertThat(answer.getMessage().getHeaders()).doesNotContainKeys("CamelHttpResponseCode", "CamelHttpResponseText");
        }
    }

    @Test
    void theCredentialIsOnTheWireAndNowhereElse() throws Exception {
        String secret = "Bearer s3cret-value";
        try (CountingServer server = CountingServer.plain().then(Reply.of(200, "{}")).always(Reply.reset());
                ProviderRoutes routes = new ProviderRoutes().property("acme.credential", secret)
                        .post(server, "authorization", "acme.credential", "authorizationHeader", "X-Api-Key").start()) {
            Exchange ok = routes.send(JSON);
            Exchange failed = routes.send(JSON);
            assertThat(server.requests()).hasSize(2)
                    .allSatisfy(request -> assertThat(request.header("X-Api-Key")).isEqualTo(secret));
            assertThat(ok.getMessage().getHeaders() + " " + failed.getMessage().getHeaders()).doesNotContain("s3cret");
            assertThat(failed.getException()).hasStackTraceContaining("reset");
            assertThat(failed.getException().toString()).doesNotContain("s3cret");
            assertThat(routes.context().getEndpoints().toString()).doesNotContain("s3cret");
            ModelCamelContext model = (ModelCamelContext) routes.context();
            assertThat(PluginHelper.getModelToXMLDumper(model)
                    .dumpModelAsXml(model, model.getRouteDefinition("acme-post"), true, true, true)).doesNotContain("s3cret");
        }
    }

    @Test
    void aCredentialPropertyWithoutAValueStopsTheStart() throws Exception {
        try (CountingServer server = CountingServer.plain(); ProviderRoutes routes = new ProviderRoutes()) {
            routes.post(server, "authorization", "acme.missing");
            assertThatThrownBy(routes::start).hasStackTraceContaining("authorization: found the property name 'acme.missing'");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Host", "content-length", "Transfer-Encoding", "CamelHttpUri", "*", "Idempotency-Key,", "a b"})
    void anAllowListThatWouldSteerTheCallStopsTheStart(String headers) throws Exception {
        try (CountingServer server = CountingServer.plain(); ProviderRoutes routes = new ProviderRoutes()) {
            assertThatThrownBy(() -> routes.post(server, "headers", headers).start()).hasStackTraceContaining("headers: found ");
        }
    }

    @Test
    void aStreamIsNotSent() throws Exception {
        try (CountingServer server = CountingServer.plain(); ProviderRoutes routes = new ProviderRoutes().post(server).start()) {
            Exchange answer = routes.send(new ByteArrayInputStream(new byte[3]));
            assertThat(SendFailure.of(answer.getException()).code()).isEqualTo(SendFailure.Code.INVALID_REQUEST);
            assertThat(server.connections()).isZero();
        }
    }

    @Test
    void aQueryAsksForThePathOfOurRowOnly() throws Exception {
        try (CountingServer server = CountingServer.plain(); ProviderRoutes routes = getRoutes(server)) {
            Exchange answer = routes.request("direct:acme-get", JSON, Map.of("httpPath", "payments/0198f00d",
                    "httpQuery", "expand=refunds&at=10%3A00"), HOSTILE);
            assertThat(answer.getException()).isNull();
            assertOurRequest(server.requests().get(0), "GET /v1/payments/0198f00d?expand=refunds&at=10%3A00 HTTP/1.1",
                    "accept-encoding", "connection", "host", "user-agent");
            routes.request("direct:acme-get", null, Map.of("httpPath", "payments/2"), HOSTILE);
            assertThat(server.requests().get(1).line()).isEqualTo("GET /v1/payments/2 HTTP/1.1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/etc", "a/../b", "..", ".", "a/.", "a//b", "a/", "//evil.example/x", "http://evil.example/",
        "a?b=c", "a#b", "a%2e%2e", "a b", "a\r\nX: 1", "a;b", "a\\b", "a@b", "{{sys.user.home}}"})
    void aPathThatIsNotCleanIsNotSent(String path) throws Exception {
        try (CountingServer server = CountingServer.plain(); ProviderRoutes routes = getRoutes(server)) {
            assertInvalid(routes.request("direct:acme-get", null, Map.of("httpPath", path)));
            assertInvalid(routes.request("direct:acme-get", null, Map.of(), "httpPath", "payments/1", "CamelHttpPath", "x"));
            assertInvalid(routes.request("direct:acme-get", null, Map.of("httpPath", "p", "httpQuery", "a=#" + path)));
            assertThat(server.connections()).isZero();
        }
    }

    private static void assertInvalid(Exchange answer) {
        assertThat(SendFailure.of(answer.getException()).code()).isEqualTo(SendFailure.Code.INVALID_REQUEST);
    }

    private static ProviderRoutes getRoutes(CountingServer server) throws Exception {
        return new ProviderRoutes().template("provider-http-get", "acme", "http://localhost:" + server.port() + "/v1").start();
    }

    @Test
    void twoProvidersHaveTheirOwnRoutesStepsAndCredentials() throws Exception {
        try (CountingServer one = CountingServer.plain(); CountingServer two = CountingServer.plain();
                ProviderRoutes routes = new ProviderRoutes().property("k1", "one-key").property("k2", "two-key")
                        .template("provider-http", "one", "http://localhost:" + one.port() + "/a", "authorization", "k1")
                        .template("provider-http", "two", "http://localhost:" + two.port() + "/b", "authorization", "k2")
                        .template("provider-http-get", "two", "http://localhost:" + two.port(), "authorization", "k2").start()) {
            routes.request("direct:one-post", JSON, Map.of());
            routes.request("direct:two-post", JSON, Map.of());
            routes.request("direct:two-get", null, Map.of("httpPath", "b"));
            assertThat(one.requests()).extracting(r -> r.header("Authorization")).containsExactly("one-key");
            assertThat(two.requests()).extracting(r -> r.header("Authorization")).containsExactly("two-key", "two-key");
            assertThat(routes.context().getRoutes()).extracting(Route::getRouteId)
                    .containsExactlyInAnyOrder("one-post", "two-post", "two-get");
            assertThat(routes.context().getRoute("two-post").filter("two-post-send")).hasSize(1);
            assertThat(routes.context().getRoutes()).allSatisfy(
                    route -> assertThat(route.getConfigurationId()).isEqualTo("payment-safety"));
        }
    }
}
