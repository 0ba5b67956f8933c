package org.paymentroutes.sandbox;

import java.time.InstantSource;
import org.apache.camel.CamelContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** The parts of the sandbox, there only when {@code sandbox.enabled=true}. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "sandbox.enabled", havingValue = "true")
@EnableConfigurationProperties(SandboxProperties.class)
public class SandboxConfiguration {

    private static final InstantSource CLOCK = InstantSource.system();

    @Bean
    SandboxBooks sandboxBooks(SandboxProperties options) {
        return new SandboxBooks(options.books(), options.idempotency(), options.keyLifetimeMs(), CLOCK);
    }

    @Bean
    SandboxDesk sandboxDesk(SandboxProperties options, SandboxBooks books) {
        return new SandboxDesk(options, books, new Stage(options, CLOCK));
    }

    @Bean
    SandboxWebhooks sandboxWebhooks(SandboxProperties options, Environment environment) {
        return new SandboxWebhooks(options, CLOCK, url -> url.replace("{port}", environment.getProperty("local.server.port", "0")));
    }

    @Bean
    SandboxLifecycle sandboxLifecycle(SandboxProperties options, SandboxBooks books, SandboxWebhooks webhooks,
            ObjectProvider<CamelContext> camel, ConfigurableEnvironment environment) {
        return new SandboxLifecycle(options, books, new SettlementFile(books, options.settlementDirectory()), webhooks.publicKey(), camel, environment);
    }
}
