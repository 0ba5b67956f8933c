package org.paymentroutes.provider.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.component.http.springboot.HttpComponentAutoConfiguration;
import org.apache.camel.spring.boot.CamelAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.paymentroutes.wire.CountingServer;
import org.paymentroutes.wire.Reply;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The same templates and the same check where Spring makes the beans and properties set the components. */
class HttpSafetyInSpringTest {

    private static ApplicationContextRunner application(CountingServer server) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(CamelAutoConfiguration.class, HttpComponentAutoConfiguration.class))
                .withUserConfiguration(HttpSafetyCheck.class)
                .withPropertyValues("acme.url=http://localhost:" + server.port() + "/pay", "acme.credential=Bearer own",
                        "camel.main.routes-include-pattern=classpath:wire/payment-safety.camel.yaml,"
                                + "file:routes/templates/provider-http.camel.yaml,classpath:wire/acme.camel.yaml",
                        "camel.component.http.skip-control-headers=true", "camel.component.http.copy-headers=false");
    }

    @Test
    void oneSwitchReachesHttpAndHttpsAndACallIsSentOnce() throws Exception {
        try (CountingServer server = CountingServer.plain().always(Reply.of(503, "{}", "Retry-After: 25"))) {
            application(server).withPropertyValues("camel.component.http.automatic-retries-disabled=true").run(spring -> {
                assertThat(spring).hasNotFailed();
                CamelContext camel = spring.getBean(CamelContext.class);
                assertThat(camel.getComponent("http", HttpComponent.class).isAutomaticRetriesDisabled()).isTrue();
                assertThat(camel.getComponent("https", HttpComponent.class).isAutomaticRetriesDisabled()).isTrue();
                Exchange answer = camel.createProducerTemplate().request("direct:acme-submit", exchange -> {
                    exchange.setVariable("paymentId", "0198f00d");
                    exchange.getMessage().setBody("{}");
                });
                assertThat(answer.getMessage().getHeader("CamelHttpResponseCode")).isEqualTo(503);
                assertThat(server.requests()).hasSize(1)
                        .allSatisfy(request -> assertThat(request.header("Authorization")).isEqualTo("Bearer own"));
            });
        }
    }

    @Test
    void withoutTheSwitchTheApplicationDoesNotStart() throws Exception {
        try (CountingServer server = CountingServer.plain()) {
            application(server).run(spring -> assertThat(spring).hasFailed().getFailure().hasStackTraceContaining(
                    "camel.component.http.automatic-retries-disabled: found false, allowed is true; "
                            + "camel.component.https.automatic-retries-disabled: found false, allowed is true"));
        }
    }
}
