package org.paymentroutes.payment;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.paymentroutes.StartRefusedException;

/** Proves that a broker without the queue of dead letters, which will not make it either, stops the start. */
class DeadLetterCheckTest {

    @Test
    void refusesToStartWithoutAQueueOfDeadLetters() throws Exception {
        EmbeddedActiveMQ broker = new EmbeddedActiveMQ().setConfiguration(new ConfigurationImpl()
                .setPersistenceEnabled(false).setSecurityEnabled(false)
                .addAcceptorConfiguration("vm", "vm://77")
                .setAddressSettings(Map.of("#", new AddressSettings().setAutoCreateQueues(false).setAutoCreateAddresses(false))));
        broker.start();
        try (ActiveMQConnectionFactory connections = new ActiveMQConnectionFactory("vm://77")) {
            JmsIntakeStart start = new JmsIntakeStart(connections, null, "payments.dead-letters");
            assertThatThrownBy(() -> start.run(null)).isInstanceOf(StartRefusedException.class)
                    .hasMessageContaining("payments.dead-letters").hasMessageContaining("the broker has no such queue");
            start.destroy();
        }
        finally {
            broker.stop();
        }
    }
}
