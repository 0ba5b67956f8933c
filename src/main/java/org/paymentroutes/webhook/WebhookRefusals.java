package org.paymentroutes.webhook;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.paymentroutes.provider.Providers;

/**
 * Counts what was refused, and how far the times of genuine signatures were from ours. A delivery costs an addition
 * here; the route {@code webhook-watch} stores the sums, one row for each provider and reason, so that a flood fills
 * no table.
 */
public final class WebhookRefusals {

    /** From so many refusals in one look on, somebody is told. */
    static final int ALERT_FROM = 10;
    private static final int SAMPLES_MIN = 5;
    private static final int SAMPLES_MAX = 200;
    /** A median that is off by more is a clock that is wrong, not a network that is slow. */
    private static final long SKEW_MS = Duration.ofSeconds(60).toMillis();
    /** Looks without a refusal after which the alert is over. */
    private static final int QUIET_LOOKS = 30;

    private final MeterRegistry registry;
    private final Providers known;
    private final Map<String, Counts> providers = new ConcurrentHashMap<>();

    private static final class Counts {
        private final Map<Refusal, LongAdder> refused = new EnumMap<>(Refusal.class);
        private final long[] offsets = new long[SAMPLES_MAX];
        private int samples;
        private int quiet = QUIET_LOOKS;
        private boolean skewed;

        private Counts() {
            for (Refusal refusal : Refusal.values()) {
                refused.put(refusal, new LongAdder());
            }
        }
    }

    /**
     * @param registry of the metrics
     * @param known    the providers
     */
    WebhookRefusals(MeterRegistry registry, Providers known) {
        this.registry = registry;
        this.known = known;
    }

    /** Counts one refusal. Names that are no provider's are one name here. */
    void refused(String provider, Refusal refusal) {
        providers.computeIfAbsent(provider, unused -> new Counts()).refused.get(refusal).increment();
        metric(provider, refusal).increment();
    }

    /** A genuine signature, whose time was so far before (negative) or after ours, whether it was let in or not. */
    void signed(String provider, long offsetMs) {
        Counts counts = providers.computeIfAbsent(provider, unused -> new Counts());
        synchronized (counts.offsets) {
            counts.offsets[counts.samples++ % SAMPLES_MAX] = offsetMs;
        }
    }

    private io.micrometer.core.instrument.Counter metric(String provider, Refusal refusal) {
        return registry.counter("payment.routes.webhooks.refused", "provider", provider, "reason", refusal.name().toLowerCase(Locale.ROOT));
    }

    /** @return rows for {@code webhook-refusals.sql}: sums since the last call, and alerts that begin or end */
    public List<Map<String, Object>> drain() {
        List<Map<String, Object>> rows = new ArrayList<>();
        // There from the start, so that an alert sees the first one as an increase.
        known.names().stream().filter(provider -> known.contract(provider).getWebhook().enabled())
                .forEach(provider -> metric(provider, Refusal.SIGNATURE));
        providers.forEach((provider, counts) -> {
            long sum = 0;
            for (Map.Entry<Refusal, LongAdder> refused : counts.refused.entrySet()) {
                long number = refused.getValue().sumThenReset();
                if (number > 0) {
                    rows.add(row(provider, "reason", refused.getKey().name(), "refused", number));
                    sum += number;
                }
            }
            signatures(rows, provider, counts, sum);
            skew(rows, provider, counts);
        });
        return rows;
    }

    private void signatures(List<Map<String, Object>> rows, String provider, Counts counts, long sum) {
        if (sum >= ALERT_FROM) {
            rows.add(alert("SIGNATURE_FAILURES", provider, sum + " webhooks were refused since the last look; see the metric"
                    + " payment_routes_webhooks_refused for the reasons"));
            counts.quiet = 0;
        }
        else if (sum > 0) {
            counts.quiet = Math.min(counts.quiet, QUIET_LOOKS) == QUIET_LOOKS ? QUIET_LOOKS : 0;
        }
        else if (counts.quiet < QUIET_LOOKS && ++counts.quiet == QUIET_LOOKS) {
            rows.add(row(provider, "clears", "SIGNATURE_FAILURES", "refused", 0L));
        }
    }

    private void skew(List<Map<String, Object>> rows, String provider, Counts counts) {
        long[] offsets;
        synchronized (counts.offsets) {
            offsets = java.util.Arrays.copyOf(counts.offsets, Math.min(counts.samples, SAMPLES_MAX));
            if (offsets.length < SAMPLES_MIN) {
                return;
            }
            counts.samples = 0;
        }
        java.util.Arrays.sort(offsets);
        long median = offsets[offsets.length / 2];
        boolean skewed = Math.abs(median) > SKEW_MS;
        if (skewed) {
            rows.add(alert("CLOCK_SKEW", provider, "the times in genuine webhooks are " + Math.abs(median) / 1000 + " s "
                    + (median < 0 ? "before" : "after") + " ours in the middle: our clock, theirs, or deliveries that are late"));
        }
        else if (counts.skewed) {
            rows.add(row(provider, "clears", "CLOCK_SKEW", "refused", 0L));
        }
        counts.skewed = skewed;
    }

    private Map<String, Object> alert(String kind, String provider, String detail) {
        Map<String, Object> row = row(provider, "alert", kind, "refused", 0L);
        row.put("detail", detail);
        return row;
    }

    private Map<String, Object> row(String provider, String key, Object value, String number, long count) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("provider", provider);
        row.put(key, value);
        row.put(number, count);
        row.put("node", known.node());
        return row;
    }
}
