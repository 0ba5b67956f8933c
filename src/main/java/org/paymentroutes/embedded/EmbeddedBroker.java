package org.paymentroutes.embedded;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.CoreAddressConfiguration;
import org.apache.activemq.artemis.core.config.DivertConfiguration;
import org.apache.activemq.artemis.core.server.ComponentConfigurationRoutingType;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.jms.artemis.ArtemisConfigurationCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The embedded broker: in-VM only, persistent, with the same addresses that a deployment's broker.xml has. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("payment-routes.embedded.broker")
class EmbeddedBroker {

    @Bean
    ArtemisConfigurationCustomizer embeddedBrokerSettings() {
        return configuration -> {
            configuration.setJournalType(JournalType.NIO);
            // The default waits up to 3.3 ms for a full buffer before it syncs a lone message.
            configuration.setJournalBufferTimeout_NIO(0);
            configuration.setMaxDiskUsage(98);
            configuration.setIDCacheSize(20_000);
            configuration.setPersistIDCache(true);
            AddressSettings settings = new AddressSettings()
                    .setDeadLetterAddress(SimpleString.of("payments.dead-letters"))
                    .setExpiryAddress(SimpleString.of("payments.dead-letters"))
                    .setMaxDeliveryAttempts(5)
                    .setRedeliveryDelay(200)
                    .setAutoCreateQueues(true)
                    .setAutoCreateAddresses(true)
                    .setAutoDeleteQueues(false)
                    .setAutoDeleteAddresses(false)
                    .setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE);
            // What is wrong with a request for good, the intake route moves to the dead letters itself. Whatever else fails
            // will pass, so a request is delivered until it is recorded, however long the database is away.
            AddressSettings requests = new AddressSettings(settings)
                    .setMaxDeliveryAttempts(-1)
                    .setRedeliveryDelay(500)
                    .setRedeliveryMultiplier(2)
                    .setMaxRedeliveryDelay(15_000);
            // An alert that nobody has read for a week is in the database still; it is no dead letter.
            AddressSettings alerts = new AddressSettings(settings)
                    .setExpiryDelay(Duration.ofDays(7).toMillis())
                    .setExpiryAddress(null);
            configuration.setAddressSettings(Map.of("#", settings, "payments.requests", requests,
                    "payments.dead-letters.unread", requests, "payments.review.return", requests, "payments.alerts", alerts));
            for (String queue : List.of("payments.requests", "payments.review", "payments.review.return", "payments.alerts",
                    "payments.dead-letters", "payments.dead-letters.unread")) {
                configuration.addAddressConfiguration(new CoreAddressConfiguration().setName(queue)
                        .addRoutingType(RoutingType.ANYCAST)
                        .addQueueConfiguration(QueueConfiguration.of(queue).setAddress(queue)
                                .setRoutingType(RoutingType.ANYCAST).setDurable(true)));
            }
            // The application takes note of each dead letter from a copy; the message itself stays.
            configuration.addDivertConfiguration(new DivertConfiguration().setName("dead-letters-unread")
                    .setAddress("payments.dead-letters").setForwardingAddress("payments.dead-letters.unread")
                    .setExclusive(false).setRoutingType(ComponentConfigurationRoutingType.ANYCAST));
            configuration.addAddressConfiguration(new CoreAddressConfiguration().setName("payments.events")
                    .addRoutingType(RoutingType.MULTICAST));
        };
    }
}
