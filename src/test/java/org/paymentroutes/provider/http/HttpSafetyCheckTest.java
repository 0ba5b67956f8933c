package org.paymentroutes.provider.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.http.HttpComponent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.paymentroutes.wire.CountingServer;
import org.paymentroutes.wire.Reply;

/** The application does not start with a setting that could send twice or let a message steer a call. */
class HttpSafetyCheckTest {

    static Stream<Arguments> unsafeSettings() {
        Map<String, Consumer<HttpComponent>> changes = Map.of(
                "automatic-retries-disabled: found false, allowed is true", c -> c.setAutomaticRetriesDisabled(false),
                "follow-redirects: found true, allowed is false", c -> c.setFollowRedirects(true),
                "skip-control-headers: found false, allowed is true", c -> c.setSkipControlHeaders(false),
                "copy-headers: found true, allowed is false", c -> c.setCopyHeaders(true));
        return Stream.of("http", "https").flatMap(scheme -> changes.entrySet().stream()
                .map(change -> Arguments.of(scheme, change.getKey(), change.getValue())));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("unsafeSettings")
    void anUnsafeComponentStopsTheStart(String scheme, String message, Consumer<HttpComponent> change) throws Exception {
        try (CountingServer server = CountingServer.plain();
                ProviderRoutes routes = new ProviderRoutes().component(scheme, change)) {
            routes.post(server);
            assertThatThrownBy(routes::start).hasStackTraceContaining("camel.component." + scheme + "." + message);
            assertThat(server.connections()).isZero();
        }
    }

    @Test
    void allFindingsAreInOneMessage() throws Exception {
        try (ProviderRoutes routes = new ProviderRoutes()) {
            routes.component("http", c -> c.setFollowRedirects(true)).component("https", c -> c.setCopyHeaders(true));
            assertThatThrownBy(routes::start).hasStackTraceContaining("camel.component.http.follow-redirects")
                    .hasStackTraceContaining("camel.component.https.copy-headers");
        }
    }

    private static void assertRefused(String uri, String... findings) throws Exception {
        try (ProviderRoutes routes = new ProviderRoutes()) {
            routes.context().addRoutes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("direct:edited-post").routeId("edited-post").choice().when(constant(true)).to(uri).end();
                }
            });
            assertThatThrownBy(routes::start).satisfies(thrown -> {
                for (String finding : findings) {
                    assertThat(thrown).hasStackTraceContaining(finding);
                }
            });
        }
    }

    @Test
    void aMisspeltOptionStopsTheStart() throws Exception {
        assertRefused("http://localhost:1/pay?responseTimout=5000", "route edited-post address: found the query parameters "
                + "[responseTimout], allowed are none (is an option misspelt?)");
    }

    @Test
    void aPostThatGoesAroundTheTemplateStopsTheStart() throws Exception {
        assertRefused("http://localhost:1/pay?skipControlHeaders=false&copyHeaders=true&followRedirects=true",
                "route edited-post skipControlHeaders: found false, allowed is true",
                "route edited-post copyHeaders: found true, allowed is false",
                "route edited-post followRedirects: found true, allowed is false",
                "route edited-post uses ProviderHttpClient: found false, allowed is true");
    }

    @Test
    void userInfoInTheAddressStopsTheStartAndIsNotShown() throws Exception {
        try (ProviderRoutes routes = new ProviderRoutes()) {
            routes.template("provider-http", "acme", "http://user:s3cret@localhost:1/pay");
            assertThatThrownBy(routes::start).satisfies(thrown -> assertThat(thrown.toString()).doesNotContain("s3cret"))
                    .hasStackTraceContaining("route acme-post address: found user info, allowed is none");
        }
    }

    @Test
    void theClientOfTheTemplateSendsOnceEvenIfTheComponentWouldNot() throws Exception {
        try (CountingServer server = CountingServer.plain().always(Reply.of(503, "{}", "Retry-After: 25"));
                ProviderRoutes routes = new ProviderRoutes()) {
            routes.component("http", c -> {
                c.setAutomaticRetriesDisabled(false);
                c.setFollowRedirects(true);
            }).post(server).component("http", c -> {
                c.setAutomaticRetriesDisabled(true);
                c.setFollowRedirects(false);
            }).start();
            assertThat(routes.send("{}").getMessage().getHeader("CamelHttpResponseCode")).isEqualTo(503);
            assertThat(server.count()).isEqualTo(1);
        }
    }
}
