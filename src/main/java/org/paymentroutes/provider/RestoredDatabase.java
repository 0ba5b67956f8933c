package org.paymentroutes.provider;

import javax.sql.DataSource;
import org.paymentroutes.support.NamedSql;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What must happen once after the database was restored from a backup, before anything is claimed: every payment that
 * is not final becomes UNKNOWN and is asked about, for it may have been sent after the backup was made. Payments in
 * REVIEW stay there: nothing is sent from there without people.
 */
@Component
class RestoredDatabase {

    private static final Logger LOG = LoggerFactory.getLogger(RestoredDatabase.class);

    private final NamedParameterJdbcTemplate database;
    private final TransactionTemplate transaction;
    private final boolean restored;
    private final String node;

    RestoredDatabase(NamedParameterJdbcTemplate database, DataSource dataSource,
            @Value("${payment-routes.after-restore:false}") boolean restored, @Value("${payment-routes.node}") String node) {
        this.database = database;
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        this.restored = restored;
        this.node = node;
    }

    /** Does so when the option {@code payment-routes.after-restore} is true; all or nothing. */
    void distrustIfRestored() {
        if (!restored) {
            return;
        }
        MapSqlParameterSource parameters = new MapSqlParameterSource("node", node);
        Integer unknown = transaction.execute(status -> {
            database.update(NamedSql.load("restore-pending"), parameters);
            return database.update(NamedSql.load("restore-unknown"), parameters);
        });
        LOG.warn("After a restore: {} payments are UNKNOWN and will be asked about. Start without payment-routes.after-restore next time.", unknown);
    }
}
