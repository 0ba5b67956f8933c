package org.paymentroutes.support;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.FileDeploymentManager;
import org.apache.activemq.artemis.core.config.impl.FileConfiguration;
import org.apache.activemq.artemis.core.config.impl.SecurityConfiguration;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.spi.core.security.ActiveMQJAASSecurityManager;
import org.apache.activemq.artemis.spi.core.security.jaas.InVMLoginModule;

/**
 * A broker as a deployment has it: the settings of {@code config/artemis/broker.xml}, a process and a data folder of its
 * own, and a TCP port on loopback.
 */
public final class BrokerProcess {

    private BrokerProcess() {
    }

    /**
     * Runs until the process is ended.
     *
     * @param arguments data folder and port
     */
    public static void main(String[] arguments) throws Exception {
        start(Path.of("config/artemis/broker.xml"), Path.of(arguments[0]), Integer.parseInt(arguments[1]));
        System.out.println("broker: tcp://127.0.0.1:" + arguments[1]);
    }

    /**
     * @param settings the broker.xml
     * @param data     where the journal is or will be
     * @param port     TCP port on loopback; 0 opens none
     * @return the running broker; user and password of each role are the role's name
     */
    public static EmbeddedActiveMQ start(Path settings, Path data, int port) throws Exception {
        FileConfiguration configuration = new FileConfiguration();
        new FileDeploymentManager(settings.toUri().toString()).addDeployable(configuration).readConfiguration();
        configuration.setBindingsDirectory(data.resolve("bindings").toString());
        configuration.setJournalDirectory(data.resolve("journal").toString());
        configuration.setPagingDirectory(data.resolve("paging").toString());
        configuration.setLargeMessagesDirectory(data.resolve("large-messages").toString());
        configuration.setNodeManagerLockDirectory(data.toString());
        configuration.setAcceptorConfigurations(port == 0 ? Set.of() : Set.of(new TransportConfiguration(
                NettyAcceptorFactory.class.getName(), Map.of("host", "127.0.0.1", "port", port, "protocols", "CORE"))));
        SecurityConfiguration users = new SecurityConfiguration();
        for (String role : Set.of("application", "source", "reviewer", "subscriber", "administrator")) {
            users.addUser(role, role);
            users.addRole(role, role);
        }
        return new EmbeddedActiveMQ()
                .setConfiguration(configuration)
                .setSecurityManager(new ActiveMQJAASSecurityManager(InVMLoginModule.class.getName(), users))
                .start();
    }
}
