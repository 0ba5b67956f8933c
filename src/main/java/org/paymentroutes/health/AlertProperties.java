package org.paymentroutes.health;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * When something becomes an alert, beside the limits of {@link HealthProperties}; prefix {@code payment-routes.alerts}.
 *
 * @param clockSkew the clocks of a node and of the database may differ by this
 * @param clockJump beyond this, nothing is sent again for a reason that time proves
 */
@ConfigurationProperties("payment-routes.alerts")
public record AlertProperties(
        @DefaultValue("2s") Duration clockSkew,
        @DefaultValue("30s") Duration clockJump) {
}
