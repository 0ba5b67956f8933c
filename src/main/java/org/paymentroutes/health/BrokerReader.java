package org.paymentroutes.health;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.messaginghub.pooled.jms.JmsPoolSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Looks every few seconds whether the broker answers, and how many messages nobody could handle. */
@Component
class BrokerReader implements Watch.Look {

    private static final Logger LOG = LoggerFactory.getLogger(BrokerReader.class);
    private static final SimpleString DEAD_LETTERS = SimpleString.of("payments.dead-letters");

    private final ConnectionFactory factory;
    private volatile String failure = "not looked at yet";
    private volatile long deadLetters;

    BrokerReader(ConnectionFactory factory, MeterRegistry registry) {
        this.factory = factory;
        Gauge.builder("payments.broker.reachable", this, reader -> reader.failure == null ? 1 : 0)
                .description("1 while the last look at the broker was answered").register(registry);
        Gauge.builder("payments.dead.letters", this, reader -> reader.deadLetters)
                .description("Messages in payments.dead-letters").register(registry);
    }

    /** @return why the broker does not answer; null when it does */
    String failure() {
        return failure;
    }

    /** @return messages in payments.dead-letters, as last seen */
    long deadLetters() {
        return deadLetters;
    }

    @Override
    public void look() {
        try (Connection connection = factory.createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
            if (session instanceof JmsPoolSession pooled && pooled.getInternalSession() instanceof ActiveMQSession artemis) {
                deadLetters = artemis.getCoreSession().queueQuery(DEAD_LETTERS).getMessageCount();
            }
            if (failure != null) {
                LOG.info("The broker answers");
            }
            failure = null;
        }
        catch (JMSException | ActiveMQException | RuntimeException e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            String found = String.valueOf(cause.getMessage());
            if (!found.equals(failure)) {
                LOG.warn("The broker does not answer: {}", found);
            }
            failure = found;
        }
    }
}
