package org.paymentroutes.chaos;

/**
 * One place of the flow at which a process ends.
 *
 * @param kind       what {@code target} names: a route step, or a statement
 * @param when       before it, after it, or {@code delayMs} after it began
 * @param nth        at which of its passes, from 1
 * @param act        what happens to the process
 * @param delayMs    for {@link When#DURING}: milliseconds after the beginning
 * @param target     id of a route step, or words without spaces to stand for a part of a statement ({@code ~} is a space)
 * @param containing only passes whose message body, as text, contains this count; {@code *} counts all
 */
record Failpoint(Kind kind, When when, int nth, Act act, int delayMs, String target, String containing) {

    enum Kind { STEP, SQL }

    enum When { BEFORE, AFTER, DURING }

    enum Act {
        /** Ends the process as {@code kill -9} does, without a shutdown hook, exit code 137. */
        HALT,
        /** Stops the process as SIGSTOP does, until SIGCONT. */
        STOP
    }

    /** Reads what {@link #toString} has written. */
    static Failpoint parse(String text) {
        String[] parts = text.split(" ", 7);
        return new Failpoint(Kind.valueOf(parts[0]), When.valueOf(parts[1]), Integer.parseInt(parts[2]), Act.valueOf(parts[3]),
                Integer.parseInt(parts[4]), parts[5], parts[6]);
    }

    static Failpoint before(String step, int nth) {
        return new Failpoint(Kind.STEP, When.BEFORE, nth, Act.HALT, 0, step, "*");
    }

    static Failpoint after(String step, int nth) {
        return new Failpoint(Kind.STEP, When.AFTER, nth, Act.HALT, 0, step, "*");
    }

    static Failpoint during(String step, int nth, int delayMs) {
        return new Failpoint(Kind.STEP, When.DURING, nth, Act.HALT, delayMs, step, "*");
    }

    static Failpoint statement(When when, String part, int nth, int delayMs) {
        return new Failpoint(Kind.SQL, when, nth, Act.HALT, delayMs, part.replace(' ', '~'), "*");
    }

    /** Only passes with this text in the message count. */
    Failpoint with(String text) {
        return new Failpoint(kind, when, nth, act, delayMs, target, text);
    }

    /** The process is stopped there, not ended. */
    Failpoint stops() {
        return new Failpoint(kind, when, nth, Act.STOP, delayMs, target, containing);
    }

    @Override
    public String toString() {
        return String.join(" ", kind.name(), when.name(), Integer.toString(nth), act.name(), Integer.toString(delayMs), target,
                containing);
    }
}
