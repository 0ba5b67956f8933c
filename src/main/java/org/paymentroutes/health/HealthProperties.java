package org.paymentroutes.health;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * When the backlog counts as unhealthy; prefix {@code payment-routes.health}.
 *
 * @param outboxLag  the oldest due send of a provider that is not paused may be this late
 * @param unknownAge the oldest UNKNOWN payment of a provider may be this old
 * @param refresh    how often the backlog and the broker are looked at
 */
@ConfigurationProperties("payment-routes.health")
public record HealthProperties(
        @DefaultValue("60s") Duration outboxLag,
        @DefaultValue("30m") Duration unknownAge,
        @DefaultValue("5s") Duration refresh) {
}
