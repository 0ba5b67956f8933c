package org.paymentroutes.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.apache.activemq.artemis.api.core.ActiveMQSecurityException;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paymentroutes.support.BrokerProcess;

/** The broker.xml of a deployment, in a real broker. */
class BrokerSettingsIT {

    private static final int PORT = 61989;

    @TempDir
    private Path data;
    private EmbeddedActiveMQ broker;

    @BeforeEach
    void start() throws Exception {
        broker = BrokerProcess.start(Path.of("config/artemis/broker.xml"), data, PORT);
    }

    @AfterEach
    void stop() throws Exception {
        broker.stop();
    }

    @Test
    void theAddressesOfTheApplicationAreThere() {
        for (String queue : new String[] {"payments.requests", "payments.review", "payments.alerts", "payments.dead-letters"}) {
            assertThat(broker.getActiveMQServer().locateQueue(queue)).isNotNull()
                    .satisfies(found -> assertThat(found.isDurable()).isTrue());
        }
        assertThat(broker.getActiveMQServer().getAddressInfo(SimpleString.of("payments.events")).getRoutingTypes())
                .containsExactly(RoutingType.MULTICAST);
        AddressSettings settings = broker.getActiveMQServer().getAddressSettingsRepository().getMatch("payments.requests");
        assertThat(settings.getDeadLetterAddress().toString()).isEqualTo("payments.dead-letters");
        assertThat(broker.getActiveMQServer().getConfiguration().isPersistenceEnabled()).isTrue();
        assertThat(broker.getActiveMQServer().getConfiguration().isSecurityEnabled()).isTrue();
    }

    @Test
    void nobodyComesInWithoutALogin() {
        assertThatThrownBy(() -> send(null, "payments.requests")).isInstanceOf(ActiveMQSecurityException.class);
    }

    @Test
    void eachRoleMayDoItsOwnOnly() throws Exception {
        send("source", "payments.requests");
        send("application", "payments.events");
        assertThatThrownBy(() -> send("source", "payments.events")).isInstanceOf(ActiveMQSecurityException.class);
        assertThatThrownBy(() -> send("reviewer", "payments.requests")).isInstanceOf(ActiveMQSecurityException.class);
        assertThatThrownBy(() -> send("subscriber", "payments.requests")).isInstanceOf(ActiveMQSecurityException.class);
    }

    private static void send(String user, String address) throws Exception {
        try (ServerLocator locator = ActiveMQClient.createServerLocator("tcp://127.0.0.1:" + PORT);
                ClientSessionFactory factory = locator.createSessionFactory();
                ClientSession session = factory.createSession(user, user, false, true, true, false, 0)) {
            session.createProducer(address).send(session.createMessage(true));
        }
    }
}
