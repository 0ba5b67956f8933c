package org.paymentroutes.health;

import java.util.List;
import java.util.stream.Stream;

/**
 * What was waiting at one moment.
 *
 * @param rows    what {@code sql/backlog.sql} returned
 * @param readAt  when, as {@link System#nanoTime()}
 */
public record Backlog(List<Row> rows, long readAt) {

    /** What a row counts. */
    public enum Kind {
        /** Tasks of the outbox; the label is the task, the age is how long the oldest has been due. */
        OUTBOX,
        /** Payments that are not final and not waiting to be sent; the label is the state. */
        STATE,
        /** Money that may or may not have moved; the label is the currency. */
        IN_DOUBT,
        /** Transitions that the topic does not have yet. */
        EVENTS,
        /** A provider; the label is RUNNING or PAUSED. */
        PROVIDER,
        /** Open alerts; in place of the provider stands the kind, the label is the severity. */
        ALERT,
        /** Money in doubt that counts against the limits of a provider; the label is the currency. */
        EXPOSURE,
        /** 1 when it has stopped the provider; the label is the currency. */
        EXPOSURE_STOP
    }

    /**
     * @param kind       what is counted
     * @param provider   name of the provider; empty for all
     * @param label      see {@link Kind}
     * @param number     how many
     * @param ageSeconds age of the oldest
     * @param amount     sum in major units of the currency, for display and alerts only
     */
    public record Row(Kind kind, String provider, String label, long number, double ageSeconds, double amount) {
    }

    /** @return the rows of one kind */
    public Stream<Row> rows(Kind kind) {
        return rows.stream().filter(row -> row.kind() == kind);
    }

    /** @return whether an operator has paused this provider */
    public boolean paused(String provider) {
        return rows(Kind.PROVIDER).anyMatch(row -> row.provider().equals(provider) && row.label().equals("PAUSED"));
    }
}
