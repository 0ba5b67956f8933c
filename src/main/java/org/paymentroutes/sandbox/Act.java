package org.paymentroutes.sandbox;

/** What one received POST did. Written in the journal, so a name is never changed. */
public enum Act {
    /** Money moved. */
    MOVED,
    /** A final refusal was booked. */
    DECLINED,
    /** Nothing was booked. */
    SKIPPED,
    /** The key was known: nothing was booked, the first result is told again. */
    REPLAYED,
    /** The key was known with other content: nothing was booked. */
    KEY_REUSED,
    /** The reference was known and must be unique: nothing was booked. */
    DUPLICATE_NUMBER
}
