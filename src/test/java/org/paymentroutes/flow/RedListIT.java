package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.Route;
import org.apache.camel.component.direct.DirectConsumerNotAvailableException;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.model.ModelCamelContext;
import org.apache.camel.model.RouteDefinition;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;

/** Rows of docs/red-list.md that only the running application can show. */
@FlowTest
class RedListIT {

    @Autowired
    CamelContext camel;
    @Autowired
    ProducerTemplate template;
    @Autowired
    Environment environment;
    @Autowired
    JdbcTemplate jdbc;

    @Test
    void r01NeitherSchemeSendsAgainByItself() {
        for (String scheme : List.of("http", "https")) {
            assertThat(camel.getComponent(scheme, HttpComponent.class).isAutomaticRetriesDisabled()).as(scheme).isTrue();
            assertThat(camel.getComponent(scheme, HttpComponent.class).isFollowRedirects()).as(scheme).isFalse();
        }
    }

    @Test
    void r34EachLoadedRouteHasThePolicyThatItNames() {
        ModelCamelContext model = (ModelCamelContext) camel;
        Set<String> policies = model.getRouteConfigurationDefinitions().stream().map(policy -> policy.getId()).collect(Collectors.toSet());
        assertThat(policies).contains("payment-safety", "record-again").doesNotContainNull();
        for (RouteDefinition route : model.getRouteDefinitions()) {
            if (Boolean.TRUE.equals(route.isRest())) {
                continue;
            }
            assertThat(policies).as(route.getRouteId()).contains(route.getRouteConfigurationId());
            assertThat(route.getAppliedRouteConfigurationIds()).as(route.getRouteId()).containsExactly(route.getRouteConfigurationId());
        }
    }

    @Test
    void r40NoRouteShowsASecretOverJmx() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        Set<ObjectName> routes = server.queryNames(new ObjectName("org.apache.camel:context=payment-routes,type=routes,*"), null);
        assertThat(routes).hasSizeGreaterThan(20);
        String token = environment.getRequiredProperty("providers.sandbox.credential").replace("Bearer ", "");
        assertThat(token).isNotBlank();
        for (ObjectName route : routes) {
            String xml = (String) server.invoke(route, "dumpRouteAsXml", new Object[] {true}, new String[] {"boolean"});
            assertThat(xml).as(route.toString()).isNotBlank().doesNotContain(token);
        }
        for (ObjectName endpoint : server.queryNames(new ObjectName("org.apache.camel:context=payment-routes,type=endpoints,*"), null)) {
            assertThat(endpoint.toString()).doesNotContain(token);
        }
    }

    @Test
    void r47AnAddressWithoutAConsumerFailsAtOnce() {
        long start = System.nanoTime();
        Exchange exchange = template.send("direct:nobody-is-here", message -> message.getMessage().setBody(Map.of()));
        assertThat(exchange.getException()).isInstanceOf(DirectConsumerNotAvailableException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void r49RoutesAreNotReloaded() {
        assertThat(environment.getProperty("camel.main.routes-reload-enabled", "false")).isEqualTo("false");
        assertThat(camel.getRoutes()).extracting(Route::getRouteId).contains("outbox-sandbox", "attempt-sandbox", "query-sandbox",
                "ask-sandbox", "sandbox-post", "sandbox-get", "record-statement", "events");
    }

    @Test
    void theEmbeddedDatabaseKeepsWhatItCommits() {
        for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
            assertThat(jdbc.queryForObject("show " + setting, String.class)).as(setting).isEqualTo("on");
        }
    }
}
