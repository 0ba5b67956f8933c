package org.paymentroutes.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.provider.Providers;

/** What a flood leaves behind: sums, and one alert. */
class WebhookRefusalsTest {

    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private final WebhookRefusals refusals = new WebhookRefusals(metrics, providers());

    private static Providers providers() {
        Providers providers = mock(Providers.class);
        when(providers.names()).thenReturn(Set.of());
        when(providers.node()).thenReturn("node");
        return providers;
    }

    private List<Object> all(String key) {
        return refusals.drain().stream().map(row -> row.get(key)).filter(value -> value != null).toList();
    }

    @Test
    void aFloodIsARowForEachReasonAndOneAlert() {
        for (int i = 0; i < 100_000; i++) {
            refusals.refused("acme", i % 2 == 0 ? Refusal.SIGNATURE : Refusal.HEADER);
        }
        List<Map<String, Object>> rows = refusals.drain();
        assertThat(rows).hasSize(3);
        assertThat(rows).extracting(row -> row.get("refused")).contains(50_000L, 50_000L);
        assertThat(rows).extracting(row -> row.get("alert")).contains("SIGNATURE_FAILURES");
        assertThat(metrics.counter("payment.routes.webhooks.refused", "provider", "acme", "reason", "signature").count()).isEqualTo(50_000);
        assertThat(refusals.drain()).isEmpty();
    }

    @Test
    void theAlertIsOverAfterSomeQuietAndAFewRefusalsRaiseNone() {
        refusals.refused("acme", Refusal.SIGNATURE);
        assertThat(all("alert")).isEmpty();
        for (int i = 0; i < WebhookRefusals.ALERT_FROM; i++) {
            refusals.refused("acme", Refusal.SIGNATURE);
        }
        assertThat(all("alert")).containsExactly("SIGNATURE_FAILURES");
        for (int look = 1; look < 30; look++) {
            assertThat(all("clears")).isEmpty();
        }
        assertThat(all("clears")).containsExactly("SIGNATURE_FAILURES");
        assertThat(all("clears")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"-400000, true", "90000, true", "-30000, false", "0, false"})
    void clocksThatAreApartAreTold(long offsetMs, boolean told) {
        for (int i = 0; i < 20; i++) {
            // One that was kept back for an hour says nothing about clocks.
            refusals.signed("acme", i == 7 ? -3_600_000 : offsetMs + i);
        }
        assertThat(all("alert")).isEqualTo(told ? List.of("CLOCK_SKEW") : List.of());
        for (int i = 0; i < 20; i++) {
            refusals.signed("acme", i);
        }
        assertThat(all("clears")).isEqualTo(told ? List.of("CLOCK_SKEW") : List.of());
    }

    @Test
    void aFewSamplesSayNothing() {
        for (int i = 0; i < 4; i++) {
            refusals.signed("acme", -400_000);
        }
        assertThat(refusals.drain()).isEmpty();
    }
}
