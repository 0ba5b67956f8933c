package org.paymentroutes.model;

/**
 * One moment of one payment: what the database says, what two workers are doing, what is on the wire, and what the
 * provider has done. Attempts count from 1, keys (generations) from 0.
 */
final class World implements Cloneable {

    /** The states, REVIEW with its categories. */
    enum State { PENDING, SUBMITTING, PROCESSING, UNKNOWN, SUCCEEDED, FAILED, REVIEW_NOT_EXECUTED, REVIEW_RECEIPT_MISSING, REVIEW_CONFLICT }

    /** What an answer proves. */
    enum Verdict { NONE, SUCCEEDED, REJECTED, ACCEPTED, NOT_EXECUTED, AMBIGUOUS }

    /** The kinds of permit; NONE stands for a resend without one. */
    enum Permit { NONE, NOT_EXECUTED, SAME_KEY, NOT_FOUND_FINAL, RETRY_AFTER_REJECTION, AT_LEAST_ONCE, TWO_PEOPLE }

    /** What the provider has stored under a key. */
    enum Stored { NOTHING, SUCCEEDED, REJECTED, ACCEPTED, ERROR_PAID, ERROR_UNPAID }

    /** How old an attempt is. In this order, and none is passed over. */
    enum Age { LEASED, LEASE_OVER, ARRIVED, VISIBLE }

    /** How old a key is: within lifetime less margin, within the margin, forgotten by the provider, and used there again. */
    enum KeyAge { ALIVE, MARGIN, FORGOTTEN, REMEMBERED_ANEW }

    /** Where a worker is. UNCOMMITTED sends without a committed attempt, which only a model without that rule does. */
    enum Step { IDLE, CLAIMED, CHECKED, WAITING, ANSWERED, UNCOMMITTED }

    /**
     * @param step    what it does
     * @param attempt for which attempt; 0 when idle
     * @param verdict the answer that has arrived at it, NONE before
     */
    record Worker(Step step, int attempt, Verdict verdict) {
        static final Worker IDLE = new Worker(Step.IDLE, 0, Verdict.NONE);

        int code() {
            return (step.ordinal() * 4 + attempt) * 6 + verdict.ordinal();
        }
    }

    /**
     * A query on its way.
     *
     * @param attempt  the last attempt when it was asked; 0 for no query
     * @param age      of that attempt when it was asked
     * @param notFound whether the provider has answered that there is nothing
     */
    record Query(int attempt, Age age, boolean notFound) {
        static final Query NONE = new Query(0, Age.LEASED, false);
    }

    static final int KEYS = 2;

    State state = State.PENDING;
    int attempts;
    int generation;
    int generationSince = 1;
    boolean waitsInDoubt;
    Permit[] permits = {Permit.NONE, Permit.NONE, Permit.NONE, Permit.NONE};
    boolean success;
    boolean accepted;
    boolean conflict;
    boolean[] refused = new boolean[KEYS];
    int notFounds;
    boolean sentOverSuccess;

    Worker[] workers = {Worker.IDLE, Worker.IDLE};
    int[] onTheWire = new int[4];
    Age[] age = {Age.LEASED, Age.LEASED, Age.LEASED, Age.LEASED};
    Query query = Query.NONE;

    int[] executed = new int[KEYS];
    Stored[] stored = {Stored.NOTHING, Stored.NOTHING};
    boolean[] visible = new boolean[KEYS];
    KeyAge[] keyAge = {KeyAge.ALIVE, KeyAge.ALIVE};

    int keyOf(int attempt) {
        return attempt >= generationSince ? generation : 0;
    }

    int timesPaid() {
        return executed[0] + executed[1];
    }

    boolean isFinal() {
        return state == State.SUCCEEDED || state == State.FAILED;
    }

    boolean isReview() {
        return state.ordinal() >= State.REVIEW_NOT_EXECUTED.ordinal();
    }

    World copy() {
        try {
            World copy = (World) super.clone();
            copy.permits = permits.clone();
            copy.refused = refused.clone();
            copy.workers = workers.clone();
            copy.onTheWire = onTheWire.clone();
            copy.age = age.clone();
            copy.executed = executed.clone();
            copy.stored = stored.clone();
            copy.visible = visible.clone();
            copy.keyAge = keyAge.clone();
            return copy;
        }
        catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @return this world, but that one worker is there */
    World with(int me, Worker worker) {
        World changed = copy();
        changed.workers[me] = worker;
        return changed;
    }

    /** @return this world, but that the payment is in this state */
    World in(State other) {
        World changed = copy();
        changed.state = other;
        changed.waitsInDoubt = false;
        return changed;
    }

    /** Two worlds with the same key are the same; which of the workers is which does not matter. */
    record Key(long database, long outside) {
    }

    private static int bit(boolean flag, int place) {
        return flag ? 1 << place : 0;
    }

    Key key() {
        long database = state.ordinal();
        database = database * 4 + attempts;
        database = database * 2 + generation;
        database = database * 4 + generationSince;
        database = database * 3 + notFounds;
        for (int i = 2; i < 4; i++) {
            database = database * 7 + permits[i].ordinal();
        }
        int flags = bit(waitsInDoubt, 0) | bit(success, 1) | bit(accepted, 2) | bit(conflict, 3) | bit(refused[0], 4) | bit(refused[1], 5)
                | bit(sentOverSuccess, 6) | bit(visible[0], 7) | bit(visible[1], 8) | bit(query.notFound(), 9);
        database = database * 1024 + flags;
        database = (database * 4 + query.attempt()) * 4 + query.age().ordinal();
        int one = workers[0].code();
        int two = workers[1].code();
        long outside = Math.min(one, two) * 144L + Math.max(one, two);
        for (int i = 1; i < 4; i++) {
            outside = (outside * 3 + onTheWire[i]) * 4 + age[i].ordinal();
        }
        for (int i = 0; i < KEYS; i++) {
            outside = ((outside * 3 + executed[i]) * 6 + stored[i].ordinal()) * 4 + keyAge[i].ordinal();
        }
        return new Key(database, outside);
    }

    @Override
    public String toString() {
        return state + (waitsInDoubt ? " in doubt" : "") + ", attempts " + attempts + ", paid " + timesPaid() + (conflict ? ", case open" : "");
    }
}
