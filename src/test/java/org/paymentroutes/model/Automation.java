package org.paymentroutes.model;

import org.paymentroutes.model.Moves.Next;
import org.paymentroutes.model.World.Age;
import org.paymentroutes.model.World.KeyAge;
import org.paymentroutes.model.World.Permit;
import org.paymentroutes.model.World.State;

/** What the database's clock starts. */
final class Automation {

    private final Setting setting;
    private final Recording recording;

    Automation(Setting setting, Recording recording) {
        this.setting = setting;
        this.recording = recording;
    }

    /** What it may start next. */
    void from(World now, Next next) {
        switch (now.state) {
            case SUBMITTING -> {
                if (now.age[now.attempts] != Age.LEASED && setting.holds(Rule.ORPHAN_IS_FOUND)) {
                    World over = now.copy();
                    if (setting.holds(Rule.ORPHAN_IS_UNKNOWN) || now.attempts == setting.contract().attempts()) {
                        over.state = recording.told(over);
                    }
                    else {
                        recording.permit(over, Permit.NONE);
                    }
                    next.to("the lease of attempt " + now.attempts + " is over", over, true);
                }
            }
            case UNKNOWN -> {
                resend(now, next);
                next.to("people are asked", now.in(State.REVIEW_RECEIPT_MISSING), true);
                if (!setting.holds(Rule.SILENCE_IS_NOT_FAILURE)) {
                    next.to("it is called FAILED because time has passed", now.in(State.FAILED), true);
                }
            }
            case PROCESSING -> next.to("people are asked", now.in(State.REVIEW_RECEIPT_MISSING), true);
            case PENDING -> {
                boolean doubt = now.waitsInDoubt || now.attempts > 0 && recording.earlierInDoubt(now);
                next.to("it could not be sent in time", now.in(doubt ? State.REVIEW_RECEIPT_MISSING : State.REVIEW_NOT_EXECUTED), true);
            }
            case FAILED -> {
                boolean may = setting.contract().retries() && now.generation == 0 && now.refused[0] && now.attempts < setting.contract().attempts()
                        && !now.conflict && !(now.success && setting.holds(Rule.SUCCESS_STOPS_SENDING));
                if (may) {
                    World again = now.copy();
                    recording.newKey(again);
                    recording.permit(again, Permit.RETRY_AFTER_REJECTION);
                    next.to("resend: RETRY_AFTER_REJECTION under a new key", again, true);
                }
            }
            default -> {
            }
        }
    }

    private void resend(World now, Next next) {
        boolean against = (now.success || now.accepted) && setting.holds(Rule.SUCCESS_STOPS_SENDING);
        if (now.attempts == setting.contract().attempts() || against || now.refused[now.generation] && setting.holds(Rule.PERMIT_FOR_RESEND)) {
            return;
        }
        if (!setting.holds(Rule.PERMIT_FOR_RESEND)) {
            World again = now.copy();
            recording.permit(again, Permit.NONE);
            next.to("resend without a permit", again, true);
            return;
        }
        if (now.notFounds >= Queries.NOT_FOUNDS_NEEDED) {
            World again = now.copy();
            recording.permit(again, Permit.NOT_FOUND_FINAL);
            next.to("resend: NOT_FOUND_FINAL", again, true);
        }
        boolean keyIsGood = now.keyAge[now.generation] == KeyAge.ALIVE;
        boolean replays = setting.contract().replays() || !setting.holds(Rule.SERVER_ERRORS_REPLAYED);
        if (setting.contract().idempotent() && replays && keyIsGood) {
            World again = now.copy();
            if (!setting.holds(Rule.KEY_IS_FOR_EVER) && again.generation == 0) {
                recording.newKey(again);
            }
            recording.permit(again, Permit.SAME_KEY);
            next.to("resend: SAME_KEY", again, true);
        }
        if (setting.contract().atLeastOnce()) {
            World again = now.copy();
            recording.permit(again, Permit.AT_LEAST_ONCE);
            next.to("resend: AT_LEAST_ONCE", again, true);
        }
    }
}
