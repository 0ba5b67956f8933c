package org.paymentroutes.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.camel.component.sql.DefaultSqlPrepareStatementStrategy;
import org.apache.camel.component.sql.SqlEndpoint;
import org.apache.camel.component.sql.SqlPrepareStatementStrategy;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Which SQL endpoints have our way to find parameters. */
class SqlEndpointsTest {

    @Test
    void anEndpointThatNamesItsOwnKeepsIt() throws Exception {
        try (DefaultCamelContext context = new DefaultCamelContext()) {
            SqlPrepareStatementStrategy own = new DefaultSqlPrepareStatementStrategy();
            context.getRegistry().bind("books", new DriverManagerDataSource());
            context.getRegistry().bind("own", own);
            new SqlEndpoints().beforeApplicationStart(context);
            assertThat(strategy(context, "sql:select 1?dataSource=#books")).isInstanceOf(SqlParameters.class);
            assertThat(strategy(context, "sql:select 2?dataSource=#books&prepareStatementStrategy=#own")).isSameAs(own);
            assertThat(strategy(context, "sql:select 3?dataSource=#books&separator=;")).isNull();
        }
    }

    private static SqlPrepareStatementStrategy strategy(DefaultCamelContext context, String uri) {
        return context.getEndpoint(uri, SqlEndpoint.class).getPrepareStatementStrategy();
    }
}
