package org.paymentroutes.webhook;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import org.paymentroutes.provider.Providers;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The parts that stand before the routes of the webhooks. */
@Configuration(proxyBeanMethods = false)
class WebhookConfiguration {

    /** Before Spring Security, whose work for each request would be a gift to a flood. */
    private static final int BEFORE_SECURITY = -1000;

    @Bean
    WebhookClock webhookClock() {
        return new WebhookClock(InstantSource.system());
    }

    @Bean
    WebhookRefusals webhookRefusals(MeterRegistry registry, Providers providers) {
        return new WebhookRefusals(registry, providers);
    }

    @Bean
    WebhookSecrets webhookSecrets(Environment environment) {
        return new WebhookSecrets(environment::getProperty, System::nanoTime);
    }

    @Bean
    FilterRegistrationBean<WebhookDoor> webhookDoor(Providers providers, WebhookSecrets secrets, WebhookClock clock,
            WebhookRefusals refusals, @Value("${payment-routes.webhooks.parallel}") int parallel,
            @Value("${payment-routes.webhooks.storing}") int storing) {
        FilterRegistrationBean<WebhookDoor> filter = new FilterRegistrationBean<>(
                new WebhookDoor(new WebhookGuard(providers, secrets, clock, refusals), parallel, storing));
        filter.addUrlPatterns("/webhooks/*");
        filter.setOrder(BEFORE_SECURITY);
        return filter;
    }
}
