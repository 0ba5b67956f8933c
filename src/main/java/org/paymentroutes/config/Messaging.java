package org.paymentroutes.config;

import jakarta.jms.ConnectionFactory;
import org.apache.camel.component.jms.JmsComponent;
import org.apache.camel.spring.spi.SpringTransactionPolicy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.connection.JmsTransactionManager;

/** The JMS component and the one transaction policy that routes name for it. */
@Configuration(proxyBeanMethods = false)
class Messaging {

    @Bean
    JmsTransactionManager jmsTransactionManager(ConnectionFactory connectionFactory) {
        return new JmsTransactionManager(connectionFactory);
    }

    @Bean("JMS_TRANSACTION")
    SpringTransactionPolicy jmsTransaction(JmsTransactionManager jmsTransactionManager) {
        SpringTransactionPolicy policy = new SpringTransactionPolicy(jmsTransactionManager);
        policy.setPropagationBehaviorName("PROPAGATION_REQUIRED");
        return policy;
    }

    @Bean
    JmsComponent jms(ConnectionFactory connectionFactory) {
        JmsComponent jms = JmsComponent.jmsComponent(connectionFactory);
        jms.setTestConnectionOnStartup(false);
        return jms;
    }
}
