package org.paymentroutes.settlement;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.annotation.PreDestroy;
import java.sql.Connection;
import java.sql.SQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Connections for settlement files. The time limits of the other connections are for work of milliseconds; a file of a
 * million lines takes minutes, and must not take a connection from payments.
 */
@Component
class SettlementDatabase {

    /** A file waits at most so long for the one before it of the same provider. */
    private static final String LIMITS = "-c statement_timeout=0 -c lock_timeout=15min -c idle_in_transaction_session_timeout=15min";
    private static final int CONNECTIONS = 4;

    private final HikariDataSource payments;
    private HikariDataSource pool;

    SettlementDatabase(HikariDataSource payments) {
        this.payments = payments;
    }

    private synchronized HikariDataSource pool() {
        if (pool == null) {
            HikariConfig config = new HikariConfig();
            payments.copyStateTo(config);
            config.setPoolName("settlement");
            config.setMetricsTrackerFactory(null);
            config.setMaximumPoolSize(CONNECTIONS);
            config.setMinimumIdle(0);
            config.setInitializationFailTimeout(-1);
            config.addDataSourceProperty("socketTimeout", "0");
            config.addDataSourceProperty("tcpKeepAlive", "true");
            config.addDataSourceProperty("options", LIMITS);
            pool = new HikariDataSource(config);
        }
        return pool;
    }

    /** @return a connection that commits by itself; to be closed */
    Connection connection() throws SQLException {
        return pool().getConnection();
    }

    /** @return statements, each one a transaction */
    JdbcTemplate jdbc() {
        return new JdbcTemplate(pool());
    }

    @PreDestroy
    synchronized void close() {
        if (pool != null) {
            pool.close();
        }
    }
}
