package org.paymentroutes.config;

import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/**
 * Hawtio's page looks for Jolokia below its own address. Hawtio has a mapping for that, but makes it only when Jolokia's
 * endpoint is defined before its own configuration is read, which is not so here.
 */
@Configuration(proxyBeanMethods = false)
class HawtioConnection {

    private static final String BELOW_HAWTIO = "/actuator/hawtio/jolokia";
    private static final String JOLOKIA = "/actuator/jolokia";

    @Bean
    SimpleUrlHandlerMapping hawtioToJolokia() {
        HttpRequestHandler forward = (request, response) -> request
                .getRequestDispatcher(JOLOKIA + request.getRequestURI().substring(BELOW_HAWTIO.length())).forward(request, response);
        return new SimpleUrlHandlerMapping(Map.of(BELOW_HAWTIO, forward, BELOW_HAWTIO + "/**", forward), Ordered.HIGHEST_PRECEDENCE);
    }
}
