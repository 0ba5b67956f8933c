package org.paymentroutes.embedded;

import java.util.LinkedHashMap;
import java.util.Map;
import org.paymentroutes.StartRefusedException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.env.EnvironmentPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Decides what is embedded: a PostgreSQL server when no {@code spring.datasource.url} is set, an Artemis broker when no
 * {@code spring.artemis.broker-url} is set, and the sandbox provider together with the embedded database. What is
 * configured is used, and nothing embedded starts beside it.
 */
public class EmbeddedDefaults implements EnvironmentPostProcessor, Ordered {

    private static final String POSTGRES = "io.zonky.test.db.postgres.embedded.EmbeddedPostgres";
    private static final String ARTEMIS = "org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ";

    @Override
    public int getOrder() {
        return ConfigDataEnvironmentPostProcessor.ORDER + 1;
    }

    /** @throws StartRefusedException when something would have to be embedded that this jar does not carry */
    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        String main = application.getMainApplicationClass() == null ? "" : application.getMainApplicationClass().getSimpleName();
        // The one has files of its own; the other only reads them.
        if (main.equals("SandboxApplication") || main.equals("ExplainApplication")) {
            return;
        }
        boolean database = !StringUtils.hasText(environment.getProperty("spring.datasource.url"));
        boolean broker = !StringUtils.hasText(environment.getProperty("spring.artemis.broker-url"));
        require(database, POSTGRES, "spring.datasource.url", "the JDBC address of a PostgreSQL 15 or newer");
        require(broker, ARTEMIS, "spring.artemis.broker-url", "the address of an Artemis broker, for example tcp://broker:61616");

        Map<String, Object> defaults = new LinkedHashMap<>();
        defaults.put("payment-routes.embedded.database", database);
        defaults.put("payment-routes.embedded.broker", broker);
        if (broker) {
            defaults.put("spring.artemis.mode", "embedded");
            defaults.put("spring.artemis.embedded.enabled", true);
            defaults.put("spring.artemis.embedded.persistent", true);
            defaults.put("spring.artemis.embedded.data-directory", "${payment-routes.data:data}/artemis");
        }
        else {
            defaults.put("spring.artemis.mode", "native");
            defaults.put("spring.artemis.embedded.enabled", false);
        }
        if (database) {
            defaults.put("sandbox.enabled", true);
            defaults.put("demo.enabled", true);
            if (Boolean.parseBoolean(environment.getProperty("demo.enabled", "true"))) {
                // Some payments are told by webhooks, double and out of order; the others must be asked about.
                defaults.put("sandbox.webhook.url", "http://127.0.0.1:{port}/webhooks/sandbox");
                defaults.put("sandbox.webhook.percent", 50);
                defaults.put("sandbox.webhook.duplicates", 1);
                defaults.put("sandbox.webhook.disorder", true);
            }
            // The sandbox delivers its settlement files where ours are taken from; it gives a file its name when it is whole.
            defaults.put("sandbox.settlement-directory", "${payment-routes.settlement.inbox}/sandbox");
            defaults.put("payment-routes.settlement.stable", "1s");
            defaults.put("payment-routes.settlement.interval-ms", 500);
            defaults.put("payment-routes.provider-routes",
                    "classpath:routes/providers/*.camel.yaml,classpath:routes/sandbox/*.camel.yaml");
        }
        else if (Boolean.parseBoolean(environment.getProperty("demo.enabled"))) {
            throw new StartRefusedException("demo.enabled=true is refused: no demo runs against a configured database"
                    + " (spring.datasource.url is set)");
        }
        // Behind everything a deployer sets, before application.yaml of the jar.
        String jarDefaults = environment.getPropertySources().stream()
                .map(source -> source.getName())
                .filter(name -> name.contains("class path resource [application.yaml]"))
                .findFirst().orElse(null);
        MapPropertySource source = new MapPropertySource("embedded-defaults", defaults);
        if (jarDefaults != null) {
            environment.getPropertySources().addBefore(jarDefaults, source);
        }
        else {
            environment.getPropertySources().addLast(source);
        }
    }

    private static void require(boolean embedded, String type, String option, String expected) {
        if (embedded && !ClassUtils.isPresent(type, null)) {
            throw new StartRefusedException("Option " + option + " is not set. This jar embeds no server: set it to "
                    + expected + ". (Without any configuration, 'mvn spring-boot:run' in the sources starts everything.)");
        }
    }
}
