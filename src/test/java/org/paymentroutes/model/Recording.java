package org.paymentroutes.model;

import org.paymentroutes.model.World.Permit;
import org.paymentroutes.model.World.State;
import org.paymentroutes.model.World.Verdict;

/** What is recorded of a fact, as record-evidence.sql and the triggers do. */
final class Recording {

    private final Setting setting;

    Recording(Setting setting) {
        this.setting = setting;
    }

    /** A worker has taken the payment for its next attempt. */
    void begin(World world) {
        world.sentOverSuccess |= world.success;
        world.state = State.SUBMITTING;
        world.attempts++;
        world.waitsInDoubt = false;
        world.accepted = false;
        world.notFounds = 0;
    }

    /** The answer to an attempt. */
    void answer(World w, int attempt, Verdict verdict) {
        if (!setting.holds(Rule.ATTEMPT_BEFORE_SEND) && attempt == w.attempts + 1 && w.state == State.PENDING) {
            begin(w);
        }
        boolean last = attempt == w.attempts || !setting.holds(Rule.RECORDING_GUARDED_BY_ATTEMPT);
        boolean open = w.state == State.SUBMITTING || w.state == State.UNKNOWN;
        switch (verdict) {
            case SUCCEEDED -> {
                if (last || w.isFinal()) {
                    success(w, w.keyOf(attempt));
                }
                else {
                    w.success = true;
                    w.conflict = true;
                    stopsSending(w);
                }
            }
            case REJECTED -> {
                w.refused[w.keyOf(attempt)] = true;
                if (last && w.state == State.SUBMITTING && !several(w)) {
                    refuse(w);
                }
                else if (last && w.state == State.SUBMITTING) {
                    w.state = State.UNKNOWN;
                }
                else if (last) {
                    refusal(w, w.keyOf(attempt));
                }
            }
            case ACCEPTED -> {
                if (last && open) {
                    w.accepted = true;
                    w.state = State.PROCESSING;
                }
            }
            case NOT_EXECUTED -> {
                if (last && open) {
                    notExecuted(w);
                }
            }
            default -> {
                if (last && w.state == State.SUBMITTING) {
                    w.state = told(w);
                }
            }
        }
    }

    private void notExecuted(World w) {
        if (w.success || w.accepted) {
            w.state = State.REVIEW_CONFLICT;
        }
        else if (earlierInDoubt(w)) {
            w.state = told(w);
        }
        else if (w.attempts == setting.contract().attempts()) {
            w.state = State.REVIEW_NOT_EXECUTED;
        }
        else {
            permit(w, Permit.NOT_EXECUTED);
        }
    }

    /** @return whether an attempt that the last one repeats may have been executed */
    boolean earlierInDoubt(World w) {
        if (!setting.holds(Rule.EARLIER_ATTEMPT_IN_DOUBT)) {
            return false;
        }
        for (int i = w.attempts; i >= 2; i--) {
            if (w.permits[i] != Permit.NOT_EXECUTED) {
                return w.permits[i] == Permit.SAME_KEY || w.permits[i] == Permit.AT_LEAST_ONCE;
            }
        }
        return false;
    }

    private boolean several(World w) {
        if (!setting.holds(Rule.SEVERAL_SENDS_ARE_NOT_REFUSED_BY_ONE)) {
            return false;
        }
        for (int i = 2; i <= w.attempts; i++) {
            if (w.permits[i] == Permit.AT_LEAST_ONCE) {
                return true;
            }
        }
        return false;
    }

    /** What was told of a refusal or an acceptance waits while the request may be on the wire, and decides then. */
    State told(World w) {
        if (w.refused[w.generation] && !several(w)) {
            return w.success ? State.REVIEW_CONFLICT : State.FAILED;
        }
        return w.accepted ? State.PROCESSING : State.UNKNOWN;
    }

    private void refuse(World w) {
        w.state = w.success ? State.REVIEW_CONFLICT : State.FAILED;
    }

    /** A success under this key, whoever tells it. */
    void success(World w, int key) {
        w.success = true;
        if (w.state == State.FAILED) {
            w.conflict = true;
        }
        else if (w.state == State.PENDING) {
            stopsSending(w);
        }
        else if (w.state != State.SUCCEEDED && w.state != State.REVIEW_CONFLICT) {
            boolean contradicted = key < w.generation || w.refused[key] && !several(w);
            w.state = contradicted ? State.REVIEW_CONFLICT : State.SUCCEEDED;
        }
    }

    private void stopsSending(World w) {
        if (w.state == State.PENDING && setting.holds(Rule.SUCCESS_STOPS_SENDING)) {
            w.state = w.waitsInDoubt ? State.SUCCEEDED : State.REVIEW_CONFLICT;
            w.waitsInDoubt = false;
        }
    }

    /** A refusal that is told by a webhook or a query, about the last attempt under this key. */
    void refusal(World w, int key) {
        w.refused[key] = true;
        if (key != w.generation && setting.holds(Rule.REFUSAL_IS_OF_ITS_KEY)) {
            return;
        }
        switch (w.state) {
            case SUCCEEDED -> {
                w.conflict = true;
                if (!setting.holds(Rule.FINAL_STAYS)) {
                    w.state = State.FAILED;
                }
            }
            case UNKNOWN, PROCESSING, PENDING, REVIEW_NOT_EXECUTED, REVIEW_RECEIPT_MISSING -> {
                if (w.attempts > 0 && !several(w)) {
                    refuse(w);
                    w.waitsInDoubt = false;
                }
            }
            default -> {
            }
        }
    }

    /** An acceptance that is told by a webhook or a query. */
    void acceptance(World w, int key) {
        if (key != w.generation || w.refused[key]) {
            return;
        }
        w.accepted = true;
        if (w.state == State.UNKNOWN || w.state == State.PENDING && w.waitsInDoubt) {
            w.state = State.PROCESSING;
            w.waitsInDoubt = false;
        }
        else if (w.state == State.PENDING) {
            w.state = State.REVIEW_CONFLICT;
        }
    }

    /** Allows the next attempt. */
    void permit(World w, Permit kind) {
        w.permits[w.attempts + 1] = kind;
        w.waitsInDoubt = kind == Permit.SAME_KEY || kind == Permit.AT_LEAST_ONCE;
        w.state = State.PENDING;
    }

    /** The next attempt has a key of its own. */
    void newKey(World w) {
        w.generation = 1;
        w.generationSince = w.attempts + 1;
        w.accepted = false;
    }
}
