package org.paymentroutes.config;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.paymentroutes.StartRefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.flyway.FlywayMigrationStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Waits for the database at start, with one line for each try, and then brings the schema up to date. What waiting does
 * not mend, such as a wrong password, refuses the start at once.
 */
@Configuration(proxyBeanMethods = false)
class DatabaseStart {

    private static final Logger LOG = LoggerFactory.getLogger(DatabaseStart.class);
    private static final long PAUSE_MS = 2000;

    @Bean
    FlywayMigrationStrategy migrateWhenDatabaseAnswers(@Value("${payment-routes.database-wait}") Duration wait,
            @Value("${spring.datasource.url:embedded}") String url) {
        return flyway -> {
            await(flyway.getConfiguration().getDataSource(), wait, url);
            try {
                flyway.migrate();
            }
            catch (FlywayException e) {
                throw new StartRefusedException("The schema of the database cannot be brought up to date: "
                        + String.valueOf(e.getMessage()).strip().replaceAll("\\s*\\R\\s*", " ")
                        + " Restore the migrations that the database knows, or use the application version that wrote them.");
            }
        };
    }

    private static void await(DataSource database, Duration wait, String url) {
        long until = System.nanoTime() + wait.toNanos();
        while (true) {
            try (Connection connection = database.getConnection()) {
                return;
            }
            catch (SQLException e) {
                SQLException cause = deepest(e);
                refuseWhatWaitingDoesNotMend(cause, url);
                if (System.nanoTime() > until) {
                    throw new StartRefusedException("Option spring.datasource.url: the database at " + url + " did not answer within "
                            + wait.toSeconds() + " s (payment-routes.database-wait): " + oneLine(cause));
                }
                LOG.warn("Waiting for the database at {}: {}", url, oneLine(cause));
            }
            try {
                Thread.sleep(PAUSE_MS);
            }
            catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StartRefusedException("Stopped while waiting for the database at " + url);
            }
        }
    }

    private static void refuseWhatWaitingDoesNotMend(SQLException cause, String url) {
        String state = String.valueOf(cause.getSQLState());
        if (state.startsWith("28")) {
            throw new StartRefusedException("Options spring.datasource.username and spring.datasource.password: the database at "
                    + url + " refuses them: " + oneLine(cause));
        }
        if (state.equals("3D000")) {
            throw new StartRefusedException("Option spring.datasource.url: found " + url + ", but " + oneLine(cause));
        }
    }

    private static SQLException deepest(SQLException failure) {
        SQLException found = failure;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                found = sql;
            }
        }
        return found;
    }

    private static String oneLine(SQLException failure) {
        return String.valueOf(failure.getMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
