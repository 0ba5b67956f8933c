package org.paymentroutes.model;

import org.paymentroutes.model.Moves.Next;
import org.paymentroutes.model.World.Age;
import org.paymentroutes.model.World.KeyAge;
import org.paymentroutes.model.World.Step;
import org.paymentroutes.model.World.Stored;

/** Time, which passes whenever the limits of the contract let it. */
final class Clocks {

    private final Setting setting;

    Clocks(Setting setting) {
        this.setting = setting;
    }

    /** What may be older next. */
    void from(World now, Next next) {
        for (int i = 1; i <= setting.contract().attempts(); i++) {
            boolean begun = i <= now.attempts || !setting.holds(Rule.ATTEMPT_BEFORE_SEND) && now.onTheWire[i] > 0;
            Age age = now.age[i];
            if (!begun || age == Age.VISIBLE || i > 1 && now.age[i - 1].ordinal() <= age.ordinal()) {
                continue;
            }
            int key = now.keyOf(i);
            boolean mayPass = switch (age) {
                case LEASED -> true;
                case LEASE_OVER -> now.onTheWire[i] == 0 && !anybody(now, Step.CHECKED, i);
                default -> !setting.contract().notFoundFinal() || now.visible[key] || now.stored[key] == Stored.NOTHING && now.executed[key] == 0;
            };
            if (mayPass) {
                World later = now.copy();
                later.age[i] = Age.values()[age.ordinal() + 1];
                next.to("time passes: attempt " + i + " is " + later.age[i], later, true);
            }
        }
        if (!setting.contract().idempotent()) {
            return;
        }
        for (int key = 0; key <= now.generation; key++) {
            if (now.attempts > 0 && now.keyAge[key].ordinal() < KeyAge.FORGOTTEN.ordinal()
                    && (now.keyAge[key] == KeyAge.ALIVE || !mayStillBeSent(now, key))) {
                World later = now.copy();
                later.keyAge[key] = KeyAge.values()[now.keyAge[key].ordinal() + 1];
                next.to("time passes: key " + key + " is " + later.keyAge[key], later, true);
            }
        }
    }

    private static boolean anybody(World now, Step step, int attempt) {
        return now.workers[0].step() == step && now.workers[0].attempt() == attempt
                || now.workers[1].step() == step && now.workers[1].attempt() == attempt;
    }

    /** The margin of a key is longer than a lease and the time in which a request arrives. */
    private boolean mayStillBeSent(World now, int key) {
        for (int i = 1; i <= setting.contract().attempts(); i++) {
            if (now.keyOf(i) == key && (now.onTheWire[i] > 0 || anybody(now, Step.CHECKED, i)
                    || now.age[i] == Age.LEASED && anybody(now, Step.CLAIMED, i))) {
                return true;
            }
        }
        return false;
    }
}
