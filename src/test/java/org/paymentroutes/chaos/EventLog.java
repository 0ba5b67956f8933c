package org.paymentroutes.chaos;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/** A durable subscriber of payments.events: the broker keeps for it whatever is published while it is away. */
final class EventLog {

    private static final String NAME = "chaos";

    private final List<String> arrived = new ArrayList<>();

    /** Subscribes, the first time, and takes all that is there. */
    void drain(Node node) {
        try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(node.brokerUrl());
                Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = session.createSharedDurableConsumer(session.createTopic("payments.events"), NAME);
            for (Message message = consumer.receive(300); message != null; message = consumer.receive(300)) {
                arrived.add(message.getStringProperty("eventId"));
            }
        }
        catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @return {@code payment id:version}, in the order of their first arrival */
    Set<String> ids() {
        return new LinkedHashSet<>(arrived);
    }

    /** @return how many arrived more than once */
    int repeated() {
        return arrived.size() - ids().size();
    }
}
