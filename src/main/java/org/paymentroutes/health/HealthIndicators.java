package org.paymentroutes.health;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.camel.CamelContext;
import org.apache.camel.Route;
import org.paymentroutes.health.Backlog.Kind;
import org.paymentroutes.health.Backlog.Row;
import org.paymentroutes.provider.Providers;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The indicators of our own. Readiness takes {@code routes} and the database; the others tell people, for a node that is
 * taken out of service sends and asks no less, and a broker or provider that is away stops no payment from being accepted.
 */
@Configuration(proxyBeanMethods = false)
class HealthIndicators {

    /** Whether every route runs. */
    @Bean
    HealthIndicator routesHealthIndicator(CamelContext camel) {
        return () -> {
            Set<String> stopped = new TreeSet<>();
            for (Route route : camel.getRoutes()) {
                if (!camel.getRouteController().getRouteStatus(route.getRouteId()).isStarted()) {
                    stopped.add(route.getRouteId());
                }
            }
            boolean fine = camel.getStatus().isStarted() && stopped.isEmpty();
            Health.Builder health = fine ? Health.up() : Health.outOfService();
            health.withDetail("routes", camel.getRoutesSize());
            return stopped.isEmpty() ? health.build() : health.withDetail("stopped", stopped).build();
        };
    }

    /** How late the oldest due send of each provider is. */
    @Bean
    HealthIndicator outboxHealthIndicator(BacklogReader reader, HealthProperties options) {
        return () -> of(reader, options, Kind.OUTBOX, options.outboxLag(),
                row -> row.label().equals("SEND") && !reader.last().paused(row.provider()));
    }

    /** How old the oldest UNKNOWN payment of each provider is. */
    @Bean
    HealthIndicator unknownHealthIndicator(BacklogReader reader, HealthProperties options) {
        return () -> of(reader, options, Kind.STATE, options.unknownAge(), row -> row.label().equals("UNKNOWN"));
    }

    /** Whether every contract of this node is accepted. */
    @Bean
    HealthIndicator contractsHealthIndicator(Providers providers) {
        return () -> {
            Map<String, String> refused = providers.refusals();
            Health.Builder health = refused.isEmpty() ? Health.up() : Health.down().withDetail("refused", refused);
            return health.withDetail("providers", providers.names()).build();
        };
    }

    /** Whether the broker answers. */
    @Bean
    HealthIndicator brokerHealthIndicator(BrokerReader reader) {
        return () -> {
            String failure = reader.failure();
            return failure == null ? Health.up().withDetail("deadLetters", reader.deadLetters()).build()
                    : Health.down().withDetail("found", failure).build();
        };
    }

    private static Health of(BacklogReader reader, HealthProperties options, Kind kind, Duration limit, Predicate<Row> counts) {
        Backlog backlog = reader.last();
        long staleNs = 3 * options.refresh().toNanos() + TimeUnit.SECONDS.toNanos(10);
        if (backlog == null || !reader.reachable() || System.nanoTime() - backlog.readAt() > staleNs) {
            return Health.unknown().withDetail("found", "the database has not told").build();
        }
        List<Row> rows = backlog.rows(kind).filter(counts).toList();
        Map<String, Object> providers = new LinkedHashMap<>();
        rows.forEach(row -> providers.put(row.provider(), Map.of("payments", row.number(), "oldestSeconds", Math.round(row.ageSeconds()))));
        boolean late = rows.stream().anyMatch(row -> row.ageSeconds() * 1000 > limit.toMillis());
        return (late ? Health.down() : Health.up()).withDetail("allowedSeconds", limit.toSeconds())
                .withDetail("providers", providers).build();
    }
}
