package org.paymentroutes.config;

import org.apache.camel.CamelContext;
import org.apache.camel.component.sql.SqlEndpoint;
import org.apache.camel.spring.boot.CamelContextConfiguration;
import org.springframework.stereotype.Component;

/**
 * Gives every SQL endpoint the {@link SqlParameters}, so that no route has to name them. One that names its own strategy or
 * another separator keeps it.
 */
@Component
class SqlEndpoints implements CamelContextConfiguration {

    @Override
    public void beforeApplicationStart(CamelContext context) {
        SqlParameters parameters = new SqlParameters();
        context.getCamelContextExtension().registerEndpointCallback((uri, endpoint) -> {
            if (endpoint instanceof SqlEndpoint sql && sql.getPrepareStatementStrategy() == null && sql.getSeparator() == ',') {
                sql.setPrepareStatementStrategy(parameters);
            }
            return endpoint;
        });
    }

    @Override
    public void afterApplicationStart(CamelContext context) {
        // The endpoints have it since they were made.
    }
}
