package org.paymentroutes.model;

import org.paymentroutes.model.Moves.Next;
import org.paymentroutes.model.World.Age;
import org.paymentroutes.model.World.Query;
import org.paymentroutes.model.World.State;

/** One query at a time, by our reference; what it finds after enough time may prove that there is nothing. */
final class Queries {

    /** How many not-founds a permit needs. */
    static final int NOT_FOUNDS_NEEDED = 2;

    private final Setting setting;

    Queries(Setting setting) {
        this.setting = setting;
    }

    /** What may become of it next. */
    void from(World now, Next next) {
        if (!setting.contract().notFoundFinal()) {
            return;
        }
        if (now.query.attempt() == 0) {
            if (now.state == State.UNKNOWN || now.state == State.PROCESSING || now.isReview()) {
                World asked = now.copy();
                asked.query = new Query(now.attempts, now.attempts == 0 ? Age.LEASED : now.age[now.attempts], false);
                if (now.attempts > 0) {
                    next.to("a query is asked, the last attempt is " + asked.query.age(), asked, true);
                }
            }
            return;
        }
        if (!now.query.notFound()) {
            int key = now.keyOf(now.query.attempt());
            if (!now.visible[key]) {
                World answered = now.copy();
                answered.query = new Query(now.query.attempt(), now.query.age(), true);
                next.to("the provider finds nothing", answered, false);
            }
            World lost = now.copy();
            lost.query = Query.NONE;
            next.to("a query gets no answer that counts", lost, true);
            return;
        }
        World recorded = now.copy();
        recorded.query = Query.NONE;
        Age needed = !setting.holds(Rule.NOT_FOUND_AFTER_ARRIVAL) ? Age.LEASED : !setting.holds(Rule.NOT_FOUND_AFTER_VISIBILITY) ? Age.ARRIVED : Age.VISIBLE;
        if (now.state == State.UNKNOWN && now.query.attempt() == now.attempts && now.query.age().ordinal() >= needed.ordinal()) {
            recorded.notFounds = Math.min(NOT_FOUNDS_NEEDED, now.notFounds + 1);
        }
        next.to("a not-found is recorded", recorded, true);
    }
}
