package org.paymentroutes.sandbox;

import java.io.IOException;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Opens the sandbox's port before the routes start, and closes it after they stop. From then on the property
 * {@code sandbox.url} has its address.
 */
public final class SandboxLifecycle implements SmartLifecycle, DisposableBean {

    private static final Logger LOG = LoggerFactory.getLogger(SandboxLifecycle.class);

    private final SandboxProperties options;
    private final SandboxBooks books;
    private final SettlementFile settlement;
    private final String webhookKey;
    /** A provider, because Spring starts what a bean depends on before the bean, and Camel has no routes yet then. */
    private final ObjectProvider<CamelContext> camel;
    private final ConfigurableEnvironment environment;
    private SandboxServer server;

    SandboxLifecycle(SandboxProperties options, SandboxBooks books, SettlementFile settlement, String webhookKey,
            ObjectProvider<CamelContext> camel, ConfigurableEnvironment environment) {
        this.options = options;
        this.books = books;
        this.settlement = settlement;
        this.webhookKey = webhookKey;
        this.camel = camel;
        this.environment = environment;
    }

    @Override
    public synchronized void start() {
        server = new SandboxServer(options, new SandboxHandler(options, books, settlement, webhookKey, camel.getObject()));
        environment.getPropertySources().addFirst(new MapPropertySource("sandbox-address", Map.of("sandbox.url", server.url())));
        LOG.info("sandbox provider at {}", server.url());
    }

    @Override
    public synchronized void stop() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.warn("sandbox did not close its port: {}", e.getMessage());
        } finally {
            server = null;
        }
    }

    /** A start that fails after this one destroys the beans and stops none of them; the open port would keep the process alive. */
    @Override
    public synchronized void destroy() {
        if (server != null) {
            stop();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return server != null;
    }

    /** Very early at the start, very late at the end. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE + 1000;
    }

    /**
     * The address that callers use.
     *
     * @throws IllegalStateException when the sandbox is not running
     */
    public synchronized String url() {
        if (server == null) {
            throw new IllegalStateException("the sandbox is not running");
        }
        return server.url();
    }
}
