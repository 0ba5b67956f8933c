package org.paymentroutes.chaos;

import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.paymentroutes.PaymentRoutesApplication;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.jms.artemis.ArtemisConfigurationCustomizer;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/**
 * The application as a child process that can be ended at a failpoint. Arguments are its options; {@code --halt=} arms a
 * failpoint from the start. Each line on its standard input arms another one; the end of the input ends the process, so
 * that no child outlives its test. It prints {@code chaos: ready <port>} and {@code chaos: armed}.
 */
final class ChaosApplication {

    private ChaosApplication() {
    }

    /** @param arguments options of the application */
    public static void main(String[] arguments) {
        Thread commands = new Thread(ChaosApplication::obey, "chaos-commands");
        commands.setDaemon(true);
        SpringApplication application = new SpringApplication(PaymentRoutesApplication.class);
        application.addInitializers(context -> prepare((GenericApplicationContext) context));
        commands.start();
        ConfigurableApplicationContext context = application.run(arguments);
        System.out.println("chaos: ready " + ((ServletWebServerApplicationContext) context).getWebServer().getPort());
    }

    private static void prepare(GenericApplicationContext context) {
        String armed = context.getEnvironment().getProperty("halt", "");
        if (!armed.isEmpty()) {
            Armed.arm(Failpoint.parse(armed));
        }
        String acceptor = context.getEnvironment().getRequiredProperty("chaos.broker-url");
        context.registerBean("haltAtStep", HaltAtStep.class, HaltAtStep::new);
        context.registerBean("productionOnly", ProductionOnly.class, ProductionOnly::new);
        context.registerBean("brokerOverTcp", ArtemisConfigurationCustomizer.class, () -> configuration -> {
            try {
                configuration.addAcceptorConfiguration("chaos", acceptor);
            }
            catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        context.getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof HikariDataSource pool ? new HaltAtStatement(pool) : bean;
            }
        });
    }

    private static void obey() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Armed.arm(Failpoint.parse(line));
                System.out.println("chaos: armed");
            }
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().halt(1);
    }

    /** Keeps the beans of other tests out: the class path of the child has them too. */
    static final class ProductionOnly extends TypeExcludeFilter {

        @Override
        public boolean match(MetadataReader reader, MetadataReaderFactory factory) throws IOException {
            return reader.getResource().getURL().getPath().contains("/test-classes");
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof ProductionOnly;
        }

        @Override
        public int hashCode() {
            return ProductionOnly.class.hashCode();
        }
    }
}
