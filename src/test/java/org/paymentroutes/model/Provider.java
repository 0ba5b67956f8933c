package org.paymentroutes.model;

import org.paymentroutes.model.Moves.Next;
import org.paymentroutes.model.World.KeyAge;
import org.paymentroutes.model.World.Step;
import org.paymentroutes.model.World.Stored;
import org.paymentroutes.model.World.Verdict;
import org.paymentroutes.model.World.Worker;

/** The provider and the network: requests are lost and doubled, and what is told is told late, often and in any order. */
final class Provider {

    private final Setting setting;
    private final Recording recording;

    Provider(Setting setting, Recording recording) {
        this.setting = setting;
        this.recording = recording;
    }

    /** What may happen there next. */
    void from(World now, Next next) {
        for (int i = 1; i <= setting.contract().attempts(); i++) {
            if (now.onTheWire[i] > 0) {
                World lost = now.copy();
                lost.onTheWire[i]--;
                next.to("the request of attempt " + i + " is lost", lost, false);
                arrives(lost, i, next);
                // Nothing but the provider's own key makes a doubled request harmless; plain HTTP over TCP doubles none.
                if (setting.contract().doubled() && now.onTheWire[i] < 2) {
                    World twice = now.copy();
                    twice.onTheWire[i]++;
                    next.to("the request of attempt " + i + " is doubled on its way", twice, false);
                }
            }
        }
        for (int key = 0; key <= now.generation; key++) {
            if (setting.contract().notFoundFinal() && !now.visible[key] && now.stored[key] != Stored.NOTHING) {
                World seen = now.copy();
                seen.visible[key] = true;
                next.to("what happened under key " + key + " becomes visible", seen, false);
            }
            if (now.stored[key] == Stored.ACCEPTED) {
                for (Stored decided : new Stored[] {Stored.SUCCEEDED, Stored.REJECTED}) {
                    World later = now.copy();
                    later.stored[key] = decided;
                    later.executed[key] += decided == Stored.SUCCEEDED ? 1 : 0;
                    next.to("the provider decides later: " + decided, later, false);
                }
            }
            tells(now, key, next);
        }
    }

    /** The request of an attempt has arrived; it is no longer on the wire. */
    private void arrives(World now, int attempt, Next next) {
        int key = now.keyOf(attempt);
        boolean known = setting.contract().idempotent() && now.keyAge[key] != KeyAge.FORGOTTEN && now.stored[key] != Stored.NOTHING;
        boolean error = now.stored[key] == Stored.ERROR_PAID || now.stored[key] == Stored.ERROR_UNPAID;
        if (known && (!error || setting.contract().replays())) {
            Verdict again = switch (now.stored[key]) {
                case SUCCEEDED -> Verdict.SUCCEEDED;
                case REJECTED -> Verdict.REJECTED;
                case ACCEPTED -> Verdict.ACCEPTED;
                default -> Verdict.AMBIGUOUS;
            };
            answered(now, attempt, again, "repeats its answer", next);
            return;
        }
        answered(done(now, key, 1, Stored.SUCCEEDED), attempt, Verdict.SUCCEEDED, "pays", next);
        answered(done(now, key, 1, Stored.ERROR_PAID), attempt, Verdict.AMBIGUOUS, "pays and answers 5xx", next);
        if (now.executed[key] == 0) {
            answered(done(now, key, 0, Stored.REJECTED), attempt, Verdict.REJECTED, "refuses", next);
            answered(done(now, key, 0, Stored.ERROR_UNPAID), attempt, Verdict.AMBIGUOUS, "answers 5xx", next);
            if (setting.contract().accepts()) {
                answered(done(now, key, 0, Stored.ACCEPTED), attempt, Verdict.ACCEPTED, "accepts", next);
            }
        }
        if (now.onTheWire[attempt] == 0) {
            // A 429 is said of a request, with all copies of it.
            answered(now, attempt, Verdict.NOT_EXECUTED, "answers 429", next);
        }
    }

    private static World done(World now, int key, int paid, Stored stored) {
        World done = now.copy();
        done.executed[key] = Math.min(2, done.executed[key] + paid);
        if (done.executed[key] == 0 || paid > 0) {
            done.stored[key] = stored;
        }
        if (done.keyAge[key] == KeyAge.FORGOTTEN) {
            done.keyAge[key] = KeyAge.REMEMBERED_ANEW;
        }
        return done;
    }

    private static void answered(World now, int attempt, Verdict verdict, String what, Next next) {
        World answered = now.copy();
        for (int i = 0; i < 2; i++) {
            Worker worker = answered.workers[i];
            if (worker.step() == Step.WAITING && worker.attempt() == attempt && worker.verdict() == Verdict.NONE) {
                answered.workers[i] = new Worker(Step.WAITING, attempt, verdict);
                break;
            }
        }
        next.to("attempt " + attempt + " arrives, the provider " + what, answered, false);
    }

    /** A webhook, a late answer of a query, or a line of a file: any number of times, at any time, in any order. */
    private void tells(World now, int key, Next next) {
        if (now.executed[key] > 0) {
            World told = now.copy();
            recording.success(told, key);
            next.to("a success under key " + key + " is told", told, false);
        }
        if (now.stored[key] == Stored.REJECTED) {
            World told = now.copy();
            recording.refusal(told, key);
            next.to("a refusal under key " + key + " is told", told, false);
        }
        if (now.stored[key] == Stored.ACCEPTED) {
            World told = now.copy();
            recording.acceptance(told, key);
            next.to("an acceptance under key " + key + " is told", told, false);
        }
    }
}
