package org.paymentroutes.payment;

import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.Set;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/** Tells what will pass (no database, no connection, a deadlock) from what stays wrong however often it is repeated. */
public final class TechnicalFailure {

    // Connection, transaction rollback, insufficient resources, operator intervention, lock not available.
    private static final Set<String> CLASSES = Set.of("08", "40", "53", "55", "57", "25");

    private TechnicalFailure() {
    }

    /** @return whether the same request may succeed later, unchanged */
    public static boolean is(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CannotGetJdbcConnectionException || cause instanceof TransientDataAccessException
                    || cause instanceof SQLTransientException || cause instanceof SQLRecoverableException
                    || cause instanceof SQLException sql && sql.getSQLState() != null && sql.getSQLState().length() == 5
                            && CLASSES.contains(sql.getSQLState().substring(0, 2))) {
                return true;
            }
        }
        return false;
    }
}
