package org.paymentroutes.support;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.springframework.boot.test.autoconfigure.actuate.observability.AutoConfigureObservability;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfiguration;

/**
 * A test of the whole application with its real embedded PostgreSQL and Artemis, in a data folder of its own. Tests
 * with this annotation and without further properties share one application: use own references, not empty tables.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
// Metrics are off in tests by default.
@AutoConfigureObservability(tracing = false)
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"demo.enabled=false", "sandbox.enabled=false",
            // Nobody listens there: tests of one part send nothing.
            "providers.sandbox.url=http://localhost:9"})
@ContextConfiguration(initializers = ApplicationTest.DataFolder.class)
@Import({Api.class, TestProviders.class})
public @interface ApplicationTest {

    /** Gives each application a new data folder. */
    final class DataFolder implements ApplicationContextInitializer<ConfigurableApplicationContext> {

        @Override
        public void initialize(ConfigurableApplicationContext context) {
            context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("data-folder",
                    Map.of("payment-routes.data", Path.of("target/it-data", UUID.randomUUID().toString()).toString())));
        }
    }
}
