package org.paymentroutes.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Counts what the recording statements report, by provider. */
@Component("paymentMetrics")
public class PaymentMetrics {

    private final MeterRegistry registry;

    PaymentMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** @param rows what {@code record-evidence.sql} returned */
    public void recorded(List<Map<String, Object>> rows) {
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
}
