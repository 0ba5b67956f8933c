package org.paymentroutes.model;

import org.paymentroutes.model.Moves.Next;
import org.paymentroutes.model.World.Age;
import org.paymentroutes.model.World.Permit;
import org.paymentroutes.model.World.State;
import org.paymentroutes.model.World.Stored;

/** People, who look into the provider's own books when everything must be there, and tell what they see. */
final class People {

    private final Setting setting;
    private final Recording recording;

    People(Setting setting, Recording recording) {
        this.setting = setting;
        this.recording = recording;
    }

    /** What they may do next. */
    void from(World now, Next next) {
        if (!now.isReview() || now.attempts > 0 && now.age[now.attempts] != Age.VISIBLE) {
            return;
        }
        next.to("a person hands it back to automation", now.in(State.UNKNOWN), false);
        if (now.timesPaid() > 0) {
            next.to("two people: it was paid", now.in(State.SUCCEEDED), false);
            return;
        }
        Stored there = now.stored[now.generation];
        if (there == Stored.ACCEPTED) {
            return;
        }
        next.to("two people: it was not paid", now.in(State.FAILED), false);
        if (now.attempts < setting.contract().attempts() && !now.success && !now.accepted && there != Stored.REJECTED) {
            World again = now.copy();
            if (now.attempts == 0) {
                again.state = State.PENDING;
            }
            else {
                recording.permit(again, Permit.TWO_PEOPLE);
            }
            next.to("two people: it may be sent again", again, false);
        }
    }
}
