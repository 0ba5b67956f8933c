package org.paymentroutes.model;

import java.util.Set;
import org.paymentroutes.model.World.Age;
import org.paymentroutes.model.World.KeyAge;
import org.paymentroutes.model.World.Permit;
import org.paymentroutes.model.World.Query;
import org.paymentroutes.model.World.State;
import org.paymentroutes.model.World.Step;
import org.paymentroutes.model.World.Stored;
import org.paymentroutes.model.World.Verdict;
import org.paymentroutes.model.World.Worker;

/**
 * Everything that can happen next. Messages are lost, late, doubled and in any order; workers sleep at any point and crash
 * at any point; clocks advance whenever they may. What cannot happen is what a contract promises: a request arrives, and
 * an execution is visible, within its limits, and a key is remembered for its lifetime.
 */
final class Moves {

    /** Takes what can happen next. */
    interface Next {
        /**
         * @param label what happens
         * @param ours  whether it happens for certain sooner or later, without the provider or people doing anything
         */
        void to(String label, World world, boolean ours);
    }

    private static final int NOT_FOUNDS_NEEDED = 2;

    private final Contract contract;
    private final Set<Rule> rules;

    Moves(Contract contract, Set<Rule> rules) {
        this.contract = contract;
        this.rules = rules;
    }

    private boolean holds(Rule rule) {
        return rules.contains(rule);
    }

    void from(World now, Next next) {
        for (int i = 0; i < 2; i++) {
            if (i == 0 || !now.workers[0].equals(now.workers[1])) {
                work(now, i, next);
            }
        }
        clocks(now, next);
        provider(now, next);
        automation(now, next);
        people(now, next);
    }

    // Workers.

    private void work(World now, int me, Next next) {
        Worker worker = now.workers[me];
        if (worker.step() != Step.IDLE) {
            next.to("a worker crashes while " + worker.step() + " attempt " + worker.attempt(), with(now, me, Worker.IDLE), false);
        }
        switch (worker.step()) {
            case IDLE -> claim(now, me, next);
            case CLAIMED -> {
                boolean leaseHolds = now.age[worker.attempt()] == Age.LEASED || !holds(Rule.LEASE_CHECKED_BEFORE_SEND);
                next.to(leaseHolds ? "checks its lease, attempt " + worker.attempt() : "finds its lease over, attempt " + worker.attempt(),
                        with(now, me, leaseHolds ? new Worker(Step.CHECKED, worker.attempt(), Verdict.NONE)
                                : new Worker(Step.ANSWERED, worker.attempt(), Verdict.NOT_EXECUTED)), true);
            }
            case CHECKED, UNCOMMITTED -> send(now, me, next);
            case WAITING -> {
                if (worker.verdict() != Verdict.NONE) {
                    next.to("reads the answer " + worker.verdict() + " to attempt " + worker.attempt(),
                            with(now, me, new Worker(Step.ANSWERED, worker.attempt(), worker.verdict())), true);
                }
                next.to("waits in vain for an answer to attempt " + worker.attempt(),
                        with(now, me, new Worker(Step.ANSWERED, worker.attempt(), Verdict.AMBIGUOUS)), true);
                if (!holds(Rule.ONE_REQUEST_PER_ATTEMPT) && now.onTheWire[worker.attempt()] == 0) {
                    World again = now.copy();
                    again.onTheWire[worker.attempt()]++;
                    next.to("the client repeats the request of attempt " + worker.attempt(), again, false);
                }
            }
            case ANSWERED -> {
                World recorded = now.copy();
                answer(recorded, worker.attempt(), worker.verdict());
                next.to("records without learning of its commit: " + worker.verdict() + " of attempt " + worker.attempt(), recorded.copy(), false);
                recorded.workers[me] = Worker.IDLE;
                next.to("records " + worker.verdict() + " of attempt " + worker.attempt(), recorded, true);
            }
            default -> throw new IllegalStateException();
        }
    }

    private void claim(World now, int me, Next next) {
        if (!holds(Rule.ONE_EXECUTOR) && now.state == State.SUBMITTING) {
            next.to("a second worker takes the same attempt", with(now, me, new Worker(Step.CLAIMED, now.attempts, Verdict.NONE)), false);
        }
        boolean tooLate = now.waitsInDoubt && now.keyAge[now.generation] != KeyAge.ALIVE && holds(Rule.KEY_LIFETIME_AT_CLAIM);
        if (now.state != State.PENDING || now.attempts == contract.attempts() || tooLate) {
            return;
        }
        int attempt = now.attempts + 1;
        if (!holds(Rule.ATTEMPT_BEFORE_SEND)) {
            next.to("takes the payment and will record attempt " + attempt + " later", with(now, me, new Worker(Step.UNCOMMITTED, attempt, Verdict.NONE)), true);
            return;
        }
        World claimed = with(now, me, new Worker(Step.CLAIMED, attempt, Verdict.NONE));
        begin(claimed);
        next.to("claims and commits attempt " + attempt, claimed, true);
    }

    private static void begin(World world) {
        world.sentOverSuccess |= world.success;
        world.state = State.SUBMITTING;
        world.attempts++;
        world.waitsInDoubt = false;
        world.accepted = false;
        world.notFounds = 0;
    }

    private void send(World now, int me, Next next) {
        Worker worker = now.workers[me];
        int attempt = worker.attempt();
        next.to("cannot connect for attempt " + attempt, with(now, me, new Worker(Step.ANSWERED, attempt, Verdict.NOT_EXECUTED)), true);
        if (now.onTheWire[attempt] < 2) {
            World sent = with(now, me, new Worker(Step.WAITING, attempt, Verdict.NONE));
            sent.onTheWire[attempt]++;
            next.to("sends attempt " + attempt, sent, true);
        }
    }

    private static World with(World now, int me, Worker worker) {
        World changed = now.copy();
        changed.workers[me] = worker;
        return changed;
    }

    // Recording, as record-evidence.sql and the triggers do.

    private void answer(World w, int attempt, Verdict verdict) {
        if (!holds(Rule.ATTEMPT_BEFORE_SEND) && attempt == w.attempts + 1 && w.state == State.PENDING) {
            begin(w);
        }
        boolean last = attempt == w.attempts || !holds(Rule.RECORDING_GUARDED_BY_ATTEMPT);
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
        else if (w.attempts == contract.attempts()) {
            w.state = State.REVIEW_NOT_EXECUTED;
        }
        else {
            permit(w, Permit.NOT_EXECUTED);
        }
    }

    private boolean earlierInDoubt(World w) {
        if (!holds(Rule.EARLIER_ATTEMPT_IN_DOUBT)) {
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
        if (!holds(Rule.SEVERAL_SENDS_ARE_NOT_REFUSED_BY_ONE)) {
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
    private State told(World w) {
        if (w.refused[w.generation] && !several(w)) {
            return w.success ? State.REVIEW_CONFLICT : State.FAILED;
        }
        return w.accepted ? State.PROCESSING : State.UNKNOWN;
    }

    private void refuse(World w) {
        w.state = w.success ? State.REVIEW_CONFLICT : State.FAILED;
    }

    private void success(World w, int key) {
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
        if (w.state == State.PENDING && holds(Rule.SUCCESS_STOPS_SENDING)) {
            w.state = w.waitsInDoubt ? State.SUCCEEDED : State.REVIEW_CONFLICT;
            w.waitsInDoubt = false;
        }
    }

    /** A refusal that is told by a webhook or a query, about the last attempt under this key. */
    private void refusal(World w, int key) {
        w.refused[key] = true;
        if (key != w.generation && holds(Rule.REFUSAL_IS_OF_ITS_KEY)) {
            return;
        }
        switch (w.state) {
            case SUCCEEDED -> {
                w.conflict = true;
                if (!holds(Rule.FINAL_STAYS)) {
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

    private void acceptance(World w, int key) {
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

    private static void permit(World w, Permit kind) {
        w.permits[w.attempts + 1] = kind;
        w.waitsInDoubt = kind == Permit.SAME_KEY || kind == Permit.AT_LEAST_ONCE;
        w.state = State.PENDING;
    }

    // Time.

    private void clocks(World now, Next next) {
        for (int i = 1; i <= contract.attempts(); i++) {
            boolean begun = i <= now.attempts || !holds(Rule.ATTEMPT_BEFORE_SEND) && now.onTheWire[i] > 0;
            Age age = now.age[i];
            if (!begun || age == Age.VISIBLE || i > 1 && now.age[i - 1].ordinal() <= age.ordinal()) {
                continue;
            }
            int key = now.keyOf(i);
            boolean mayPass = switch (age) {
                case LEASED -> true;
                case LEASE_OVER -> now.onTheWire[i] == 0 && !anybody(now, Step.CHECKED, i);
                default -> !contract.notFoundFinal() || now.visible[key] || now.stored[key] == Stored.NOTHING && now.executed[key] == 0;
            };
            if (mayPass) {
                World later = now.copy();
                later.age[i] = Age.values()[age.ordinal() + 1];
                next.to("time passes: attempt " + i + " is " + later.age[i], later, true);
            }
        }
        if (!contract.idempotent()) {
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
        for (int i = 1; i <= contract.attempts(); i++) {
            if (now.keyOf(i) == key && (now.onTheWire[i] > 0 || anybody(now, Step.CHECKED, i)
                    || now.age[i] == Age.LEASED && anybody(now, Step.CLAIMED, i))) {
                return true;
            }
        }
        return false;
    }

    // The provider and the network.

    private void provider(World now, Next next) {
        for (int i = 1; i <= contract.attempts(); i++) {
            if (now.onTheWire[i] > 0) {
                World lost = now.copy();
                lost.onTheWire[i]--;
                next.to("the request of attempt " + i + " is lost", lost, false);
                arrives(lost, i, next);
                // Nothing but the provider's own key makes a doubled request harmless; plain HTTP over TCP doubles none.
                if (contract.doubled() && now.onTheWire[i] < 2) {
                    World twice = now.copy();
                    twice.onTheWire[i]++;
                    next.to("the request of attempt " + i + " is doubled on its way", twice, false);
                }
            }
        }
        for (int key = 0; key <= now.generation; key++) {
            if (contract.notFoundFinal() && !now.visible[key] && now.stored[key] != Stored.NOTHING) {
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
        queries(now, next);
    }

    /** The request of an attempt has arrived; it is no longer on the wire. */
    private void arrives(World now, int attempt, Next next) {
        int key = now.keyOf(attempt);
        boolean known = contract.idempotent() && now.keyAge[key] != KeyAge.FORGOTTEN && now.stored[key] != Stored.NOTHING;
        boolean error = now.stored[key] == Stored.ERROR_PAID || now.stored[key] == Stored.ERROR_UNPAID;
        if (known && (!error || contract.replays())) {
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
            if (contract.accepts()) {
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
            success(told, key);
            next.to("a success under key " + key + " is told", told, false);
        }
        if (now.stored[key] == Stored.REJECTED) {
            World told = now.copy();
            refusal(told, key);
            next.to("a refusal under key " + key + " is told", told, false);
        }
        if (now.stored[key] == Stored.ACCEPTED) {
            World told = now.copy();
            acceptance(told, key);
            next.to("an acceptance under key " + key + " is told", told, false);
        }
    }

    private void queries(World now, Next next) {
        if (!contract.notFoundFinal()) {
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
        Age needed = !holds(Rule.NOT_FOUND_AFTER_ARRIVAL) ? Age.LEASED : !holds(Rule.NOT_FOUND_AFTER_VISIBILITY) ? Age.ARRIVED : Age.VISIBLE;
        if (now.state == State.UNKNOWN && now.query.attempt() == now.attempts && now.query.age().ordinal() >= needed.ordinal()) {
            recorded.notFounds = Math.min(NOT_FOUNDS_NEEDED, now.notFounds + 1);
        }
        next.to("a not-found is recorded", recorded, true);
    }

    // What the database's clock starts.

    private void automation(World now, Next next) {
        switch (now.state) {
            case SUBMITTING -> {
                if (now.age[now.attempts] != Age.LEASED && holds(Rule.ORPHAN_IS_FOUND)) {
                    World over = now.copy();
                    if (holds(Rule.ORPHAN_IS_UNKNOWN) || now.attempts == contract.attempts()) {
                        over.state = told(over);
                    }
                    else {
                        permit(over, Permit.NONE);
                    }
                    next.to("the lease of attempt " + now.attempts + " is over", over, true);
                }
            }
            case UNKNOWN -> {
                resend(now, next);
                next.to("people are asked", in(now, State.REVIEW_RECEIPT_MISSING), true);
                if (!holds(Rule.SILENCE_IS_NOT_FAILURE)) {
                    next.to("it is called FAILED because time has passed", in(now, State.FAILED), true);
                }
            }
            case PROCESSING -> next.to("people are asked", in(now, State.REVIEW_RECEIPT_MISSING), true);
            case PENDING -> {
                boolean doubt = now.waitsInDoubt || now.attempts > 0 && earlierInDoubt(now);
                next.to("it could not be sent in time", in(now, doubt ? State.REVIEW_RECEIPT_MISSING : State.REVIEW_NOT_EXECUTED), true);
            }
            case FAILED -> {
                boolean may = contract.retries() && now.generation == 0 && now.refused[0] && now.attempts < contract.attempts()
                        && !now.conflict && !(now.success && holds(Rule.SUCCESS_STOPS_SENDING));
                if (may) {
                    World again = now.copy();
                    newKey(again);
                    permit(again, Permit.RETRY_AFTER_REJECTION);
                    next.to("resend: RETRY_AFTER_REJECTION under a new key", again, true);
                }
            }
            default -> {
            }
        }
    }

    private void resend(World now, Next next) {
        boolean against = (now.success || now.accepted) && holds(Rule.SUCCESS_STOPS_SENDING);
        if (now.attempts == contract.attempts() || against || now.refused[now.generation] && holds(Rule.PERMIT_FOR_RESEND)) {
            return;
        }
        if (!holds(Rule.PERMIT_FOR_RESEND)) {
            World again = now.copy();
            permit(again, Permit.NONE);
            next.to("resend without a permit", again, true);
            return;
        }
        if (now.notFounds >= NOT_FOUNDS_NEEDED) {
            World again = now.copy();
            permit(again, Permit.NOT_FOUND_FINAL);
            next.to("resend: NOT_FOUND_FINAL", again, true);
        }
        boolean keyIsGood = now.keyAge[now.generation] == KeyAge.ALIVE;
        boolean replays = contract.replays() || !holds(Rule.SERVER_ERRORS_REPLAYED);
        if (contract.idempotent() && replays && keyIsGood) {
            World again = now.copy();
            if (!holds(Rule.KEY_IS_FOR_EVER) && again.generation == 0) {
                newKey(again);
            }
            permit(again, Permit.SAME_KEY);
            next.to("resend: SAME_KEY", again, true);
        }
        if (contract.atLeastOnce()) {
            World again = now.copy();
            permit(again, Permit.AT_LEAST_ONCE);
            next.to("resend: AT_LEAST_ONCE", again, true);
        }
    }

    private static void newKey(World w) {
        w.generation = 1;
        w.generationSince = w.attempts + 1;
        w.accepted = false;
    }

    private static World in(World now, State state) {
        World changed = now.copy();
        changed.state = state;
        changed.waitsInDoubt = false;
        return changed;
    }

    // People, who look into the provider's own books when everything must be there, and tell what they see.

    private void people(World now, Next next) {
        if (!now.isReview() || now.attempts > 0 && now.age[now.attempts] != Age.VISIBLE) {
            return;
        }
        next.to("a person hands it back to automation", in(now, State.UNKNOWN), false);
        if (now.timesPaid() > 0) {
            next.to("two people: it was paid", in(now, State.SUCCEEDED), false);
            return;
        }
        Stored there = now.stored[now.generation];
        if (there == Stored.ACCEPTED) {
            return;
        }
        next.to("two people: it was not paid", in(now, State.FAILED), false);
        if (now.attempts < contract.attempts() && !now.success && !now.accepted && there != Stored.REJECTED) {
            World again = now.copy();
            if (now.attempts == 0) {
                again.state = State.PENDING;
            }
            else {
                permit(again, Permit.TWO_PEOPLE);
            }
            next.to("two people: it may be sent again", again, false);
        }
    }
}
