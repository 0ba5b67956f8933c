package org.paymentroutes.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.postgresql.util.PSQLException;

/** How PostgreSQL refused a statement. */
public final class Refused {

    private Refused() {
    }

    /** Asserts that the statement is refused with this SQLSTATE, or by the constraint of this name. */
    public static void refused(String stateOrConstraint, ThrowingCallable statement) {
        PSQLException e = refusal(catchThrowable(statement));
        assertThat((Throwable) e).as("refusal %s", stateOrConstraint).isNotNull();
        assertThat(by(e)).as(e.getMessage()).isEqualTo(stateOrConstraint);
    }

    /** @return the constraint that refused, else the SQLSTATE */
    public static String by(PSQLException e) {
        String constraint = e.getServerErrorMessage() == null ? null : e.getServerErrorMessage().getConstraint();
        return constraint != null ? constraint : e.getSQLState();
    }

    /** @return the database's own exception in a chain of causes, null when there is none */
    public static PSQLException refusal(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof PSQLException e) {
                return e;
            }
        }
        return null;
    }
}
