package org.paymentroutes.payment;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.camel.CamelContext;
import org.paymentroutes.StartRefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Starts the JMS intake, and with it what else consumes from the broker, once the queue of the dead letters is known to exist. A broker that lacks the queue stops the
 * start of the application; a broker that cannot be reached does not: HTTP intake goes on, and JMS intake starts when
 * the broker is there.
 */
@Component("jmsIntakeHealth")
class JmsIntakeStart implements ApplicationRunner, HealthIndicator, DisposableBean {

    private static final Logger LOG = LoggerFactory.getLogger(JmsIntakeStart.class);
    private static final List<String> ROUTES = List.of("intake-jms", "dead-letters", "review-return");
    private static final long RETRY_MS = 5000;

    private final ConnectionFactory connections;
    private final CamelContext camel;
    private final String deadLetters;
    private final ScheduledExecutorService retry = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "jms-intake-start");
        thread.setDaemon(true);
        return thread;
    });
    private volatile String waitingFor = "the first connection to the broker";

    JmsIntakeStart(ConnectionFactory connections, CamelContext camel,
            @Value("${payment-routes.jms.dead-letters:payments.dead-letters}") String deadLetters) {
        this.connections = connections;
        this.camel = camel;
        this.deadLetters = deadLetters;
    }

    @Override
    public void run(ApplicationArguments arguments) {
        if (!tryStart()) {
            retry.scheduleWithFixedDelay(this::tryAgain, RETRY_MS, RETRY_MS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public Health health() {
        return waitingFor == null ? Health.up().build() : Health.down().withDetail("waitingFor", waitingFor).build();
    }

    @Override
    public void destroy() {
        retry.shutdownNow();
    }

    private void tryAgain() {
        try {
            if (tryStart()) {
                retry.shutdown();
            }
        }
        catch (StartRefusedException e) {
            if (!e.getMessage().equals(waitingFor)) {
                LOG.error("JMS intake does not start: {}", e.getMessage());
            }
            waitingFor = e.getMessage();
        }
    }

    /** @throws StartRefusedException when the broker answers that there is no such queue for us */
    private boolean tryStart() {
        try {
            checkDeadLetters();
        }
        catch (InvalidDestinationException | JMSSecurityException e) {
            throw new StartRefusedException("The queue of dead letters '" + deadLetters + "' (option payment-routes.jms.dead-letters): "
                    + (e instanceof JMSSecurityException ? "the broker does not let us use it" : "the broker has no such queue")
                    + ", allowed is a queue that exists and that we may browse and send to; without it a refused message would be lost.");
        }
        catch (JMSException e) {
            if (waitingFor != null && !waitingFor.startsWith("the broker:")) {
                LOG.warn("The broker cannot be reached ({}). JMS intake starts when it is there; HTTP intake goes on.", e.getMessage());
            }
            waitingFor = "the broker: " + e.getClass().getSimpleName();
            return false;
        }
        for (String route : ROUTES) {
            try {
                camel.getRouteController().startRoute(route);
            }
            catch (Exception e) {
                throw new IllegalStateException("Route " + route + " does not start", e);
            }
        }
        waitingFor = null;
        return true;
    }

    private void checkDeadLetters() throws JMSException {
        try (Connection connection = connections.createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
            connection.start();
            try (QueueBrowser browser = session.createBrowser(session.createQueue(deadLetters))) {
                browser.getEnumeration().hasMoreElements();
            }
            catch (JMSSecurityException e) {
                throw e;
            }
            catch (JMSException e) {
                // Artemis has no exception of its own for this: when the connection still answers, it is the queue.
                connection.createSession(false, Session.AUTO_ACKNOWLEDGE).close();
                throw new InvalidDestinationException(e.getMessage());
            }
        }
    }
}
