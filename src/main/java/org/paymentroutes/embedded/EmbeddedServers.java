package org.paymentroutes.embedded;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.jdbc.DataSourceProperties;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The embedded database as the application's data source. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("payment-routes.embedded.database")
class EmbeddedServers {

    @Bean(destroyMethod = "close")
    EmbeddedDatabase embeddedDatabase(@Value("${payment-routes.data:data}") Path data) {
        return EmbeddedDatabase.start(data.resolve("postgres"));
    }

    @Bean
    @ConfigurationProperties("spring.datasource.hikari")
    HikariDataSource dataSource(EmbeddedDatabase database) {
        DataSourceProperties properties = new DataSourceProperties();
        properties.setUrl(database.url());
        return (HikariDataSource) properties.initializeDataSourceBuilder().type((Class<? extends DataSource>) HikariDataSource.class).build();
    }
}
