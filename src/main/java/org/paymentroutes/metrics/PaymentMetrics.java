package org.paymentroutes.metrics;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.ProviderRefusedException;
import org.paymentroutes.payment.RefusedRequestException;
import org.paymentroutes.payment.TechnicalFailure;
import org.paymentroutes.provider.ProviderGate;
import org.springframework.stereotype.Component;

/** Counts and times what happens at each stage, by provider. Tags take values from short fixed lists only. */
@Component("paymentMetrics")
public class PaymentMetrics {

    private static final Duration[] PROVIDER_TIMES = {Duration.ofMillis(50), Duration.ofMillis(200), Duration.ofSeconds(1),
            Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(60)};
    private static final Duration[] RECORD_TIMES = {Duration.ofMillis(5), Duration.ofMillis(20), Duration.ofMillis(100),
            Duration.ofSeconds(1), Duration.ofSeconds(10)};

    private final MeterRegistry registry;
    private final DistributionSummary batch;

    PaymentMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.batch = DistributionSummary.builder("payments.record.batch").description("Answers recorded in one statement")
                .serviceLevelObjectives(1, 2, 5, 10, 20, 50, 100).register(registry);
    }

    /** Counts what became of a request, by the {@code result} of the intake statement in the body. */
    public void intake(Exchange exchange) {
        Object result = exchange.getMessage().getBody(Map.class).get("result");
        intake(exchange, String.valueOf(result).toLowerCase(Locale.ROOT));
    }

    /** Counts a request that did not get as far as the statement, or failed in it, by the exception that was caught. */
    public void intakeFailed(Exchange exchange) {
        Throwable failure = exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class);
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RefusedRequestException || cause instanceof ProviderRefusedException) {
                intake(exchange, "refused");
                return;
            }
        }
        intake(exchange, TechnicalFailure.is(failure) ? "unavailable" : "failed");
    }

    private void intake(Exchange exchange, String result) {
        String transport = exchange.getFromEndpoint().getEndpointUri().startsWith("jms:") ? "jms" : "http";
        registry.counter("payments.intake", "transport", transport, "result", result).increment();
    }

    /** @param provider of a payment that a worker has taken */
    public void claimed(String provider) {
        registry.counter("payments.claimed", "provider", provider).increment();
    }

    /**
     * @param provider  that was called
     * @param source    ANSWER or QUERY
     * @param elapsedNs from the start of the call to what its answer proves
     */
    public void called(String provider, String source, long elapsedNs) {
        Timer.builder("payments.provider.call").description("From the start of a call to what its answer proves")
                .tags("provider", provider, "source", source).serviceLevelObjectives(PROVIDER_TIMES)
                .register(registry).record(elapsedNs, TimeUnit.NANOSECONDS);
    }

    /**
     * @param provider that answered
     * @param waitNs   from its answer to the commit that recorded it
     */
    public void settled(String provider, long waitNs) {
        Timer.builder("payments.record.wait").description("From an answer to the commit that recorded it")
                .tags("provider", provider).serviceLevelObjectives(RECORD_TIMES).register(registry)
                .record(waitNs, TimeUnit.NANOSECONDS);
    }

    /** @param rows what {@code record-evidence.sql} returned */
    public void recorded(List<Map<String, Object>> rows) {
        batch.record(rows.size());
        for (Map<String, Object> row : rows) {
            registry.counter("payments.evidence", "provider", (String) row.get("provider"), "source", (String) row.get("source"),
                    "verdict", (String) row.get("verdict")).increment();
            if (Boolean.TRUE.equals(row.get("applies")) && !row.get("from_state").equals(row.get("to_state"))) {
                registry.counter("payments.transitions", "provider", (String) row.get("provider"),
                        "to", (String) row.get("to_state")).increment();
            }
        }
    }

    /** @param rows what {@code expire-leases.sql} returned */
    public void orphansFound(List<Map<String, Object>> rows) {
        for (Map<String, Object> row : rows) {
            registry.counter("payments.orphans", "provider", (String) row.get("provider")).increment();
        }
    }

    /** @param rows what {@code resend.sql} returned */
    public void resent(List<Map<String, Object>> rows) {
        for (Map<String, Object> row : rows) {
            registry.counter("payments.resends", "provider", (String) row.get("provider"), "kind", (String) row.get("kind")).increment();
        }
    }

    /** Counts the events of the batch, the variable {@code events}, that the broker has taken. */
    public void eventsPublished(Exchange exchange) {
        registry.counter("payments.events.published").increment(exchange.getVariable("events", List.class).size());
    }

    /** @param gate of a provider that this node sends to */
    public void watch(ProviderGate gate) {
        String provider = gate.getProvider();
        // There from the start, so that an alert sees the first one as an increase.
        registry.counter("payments.orphans", "provider", provider);
        // A gate of a contract that was loaded again takes the place of the earlier one.
        for (String name : List.of("payments.workers", "payments.workers.idle", "payments.circuit.open")) {
            registry.find(name).tag("provider", provider).gauges().forEach(registry::remove);
        }
        Gauge.builder("payments.workers", gate, ProviderGate::getWorkers).tag("provider", provider)
                .description("Requests that this node may have on the wire").register(registry);
        Gauge.builder("payments.workers.idle", gate, ProviderGate::getIdle).tag("provider", provider)
                .description("Workers that have nothing to do").register(registry);
        Gauge.builder("payments.circuit.open", gate, found -> found.getCircuit().equals("CLOSED") ? 0 : 1).tag("provider", provider)
                .description("1 while claiming is stopped or only tried because the provider fails").register(registry);
    }
}
