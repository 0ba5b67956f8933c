package org.paymentroutes.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

@ApplicationTest
@TestPropertySource(properties = {"sandbox.enabled=true", "sandbox.books=${payment-routes.data}/books.ndjson", "providers.sandbox.url=${sandbox.url}",
    "payment-routes.health.refresh=200ms"})
class MetricsIT {

    private static final Pattern NAME = Pattern.compile("\\bpayments_[a-z_]+");

    @Autowired
    private Api api;

    @Test
    void eachStageIsCounted() {
        for (String behaviour : new String[] {"ok", "declined_402", "close_paid"}) {
            assertThat(api.pay(Api.key(), payment(behaviour)).statusCode()).isEqualTo(202);
        }
        assertThat(api.pay(Api.key(), "{}").statusCode()).isEqualTo(422);

        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(scrape())
                .contains("payments_intake_total{result=\"created\",transport=\"http\"} ")
                .contains("payments_intake_total{result=\"refused\",transport=\"http\"} ")
                .contains("payments_claimed_total{provider=\"sandbox\"} ")
                .contains("payments_evidence_total{provider=\"sandbox\",source=\"ANSWER\",verdict=\"AMBIGUOUS\"} ")
                .contains("payments_evidence_total{provider=\"sandbox\",source=\"QUERY\",verdict=\"SUCCEEDED\"} ")
                .contains("payments_transitions_total{provider=\"sandbox\",to=\"SUCCEEDED\"} ")
                .contains("payments_provider_call_seconds_count{provider=\"sandbox\",source=\"ANSWER\"} ")
                .contains("payments_record_wait_seconds_count{provider=\"sandbox\"}")
                .contains("payments_workers_idle{provider=\"sandbox\"} 16.0")
                .contains("payments_events_waiting 0.0")
                .contains("payments_broker_reachable 1.0"));
    }

    @Test
    void everyNameInAlertsAndDashboardIsOneOfARunningApplication() throws IOException {
        // Open and in doubt for a while, so that the gauges of these states exist.
        api.pay(Api.key(), payment("close_paid"));
        Set<String> used = new TreeSet<>();
        used.addAll(names(Files.readString(Path.of("config/prometheus/alerts.yml"))));
        used.addAll(names(Files.readString(Path.of("config/grafana/dashboards/payment-routes.json"))));
        Set<String> seen = new TreeSet<>();

        await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            seen.addAll(names(scrape()));
            assertThat(seen).containsAll(used);
        });
    }

    private String scrape() {
        return api.get("viewer", "/actuator/prometheus").body();
    }

    private static Set<String> names(String text) {
        Set<String> names = new TreeSet<>();
        Matcher matcher = NAME.matcher(text);
        while (matcher.find()) {
            names.add(matcher.group());
        }
        return names;
    }

    private static String payment(String behaviour) {
        return """
                {"sourceReference":"%s","operation":"CHARGE","provider":"sandbox","amountMinor":1250,"currency":"EUR",
                 "recipient":"tok_1","details":{"behaviour":"%s"}}""".formatted(Api.key(), behaviour);
    }
}
