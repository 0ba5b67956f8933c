package org.paymentroutes.settlement;

import java.sql.SQLException;

/** The database did not take a line; nothing of the file is staged. */
final class StagingFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StagingFailedException(SQLException cause) {
        super("A settlement line was not staged: " + cause.getMessage(), cause);
    }
}
