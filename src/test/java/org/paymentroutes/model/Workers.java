package org.paymentroutes.model;

import org.paymentroutes.model.Moves.Next;
import org.paymentroutes.model.World.Age;
import org.paymentroutes.model.World.KeyAge;
import org.paymentroutes.model.World.State;
import org.paymentroutes.model.World.Step;
import org.paymentroutes.model.World.Verdict;
import org.paymentroutes.model.World.Worker;

/** Two workers, which claim, send, wait and record, sleep at any point and crash at any point. */
final class Workers {

    private final Setting setting;
    private final Recording recording;

    Workers(Setting setting, Recording recording) {
        this.setting = setting;
        this.recording = recording;
    }

    /** What one of them may do next. */
    void work(World now, int me, Next next) {
        Worker worker = now.workers[me];
        if (worker.step() != Step.IDLE) {
            next.to("a worker crashes while " + worker.step() + " attempt " + worker.attempt(), now.with(me, Worker.IDLE), false);
        }
        switch (worker.step()) {
            case IDLE -> claim(now, me, next);
            case CLAIMED -> {
                boolean leaseHolds = now.age[worker.attempt()] == Age.LEASED || !setting.holds(Rule.LEASE_CHECKED_BEFORE_SEND);
                next.to(leaseHolds ? "checks its lease, attempt " + worker.attempt() : "finds its lease over, attempt " + worker.attempt(),
                        now.with(me, leaseHolds ? new Worker(Step.CHECKED, worker.attempt(), Verdict.NONE)
                                : new Worker(Step.ANSWERED, worker.attempt(), Verdict.NOT_EXECUTED)), true);
            }
            case CHECKED, UNCOMMITTED -> send(now, me, next);
            case WAITING -> {
                if (worker.verdict() != Verdict.NONE) {
                    next.to("reads the answer " + worker.verdict() + " to attempt " + worker.attempt(),
                            now.with(me, new Worker(Step.ANSWERED, worker.attempt(), worker.verdict())), true);
                }
                next.to("waits in vain for an answer to attempt " + worker.attempt(),
                        now.with(me, new Worker(Step.ANSWERED, worker.attempt(), Verdict.AMBIGUOUS)), true);
                if (!setting.holds(Rule.ONE_REQUEST_PER_ATTEMPT) && now.onTheWire[worker.attempt()] == 0) {
                    World again = now.copy();
                    again.onTheWire[worker.attempt()]++;
                    next.to("the client repeats the request of attempt " + worker.attempt(), again, false);
                }
            }
            case ANSWERED -> {
                World recorded = now.copy();
                recording.answer(recorded, worker.attempt(), worker.verdict());
                next.to("records without learning of its commit: " + worker.verdict() + " of attempt " + worker.attempt(), recorded.copy(), false);
                recorded.workers[me] = Worker.IDLE;
                next.to("records " + worker.verdict() + " of attempt " + worker.attempt(), recorded, true);
            }
            default -> throw new IllegalStateException();
        }
    }

    private void claim(World now, int me, Next next) {
        if (!setting.holds(Rule.ONE_EXECUTOR) && now.state == State.SUBMITTING) {
            next.to("a second worker takes the same attempt", now.with(me, new Worker(Step.CLAIMED, now.attempts, Verdict.NONE)), false);
        }
        boolean tooLate = now.waitsInDoubt && now.keyAge[now.generation] != KeyAge.ALIVE && setting.holds(Rule.KEY_LIFETIME_AT_CLAIM);
        if (now.state != State.PENDING || now.attempts == setting.contract().attempts() || tooLate) {
            return;
        }
        int attempt = now.attempts + 1;
        if (!setting.holds(Rule.ATTEMPT_BEFORE_SEND)) {
            next.to("takes the payment and will record attempt " + attempt + " later", now.with(me, new Worker(Step.UNCOMMITTED, attempt, Verdict.NONE)), true);
            return;
        }
        World claimed = now.with(me, new Worker(Step.CLAIMED, attempt, Verdict.NONE));
        recording.begin(claimed);
        next.to("claims and commits attempt " + attempt, claimed, true);
    }

    private void send(World now, int me, Next next) {
        Worker worker = now.workers[me];
        int attempt = worker.attempt();
        next.to("cannot connect for attempt " + attempt, now.with(me, new Worker(Step.ANSWERED, attempt, Verdict.NOT_EXECUTED)), true);
        if (now.onTheWire[attempt] < 2) {
            World sent = now.with(me, new Worker(Step.WAITING, attempt, Verdict.NONE));
            sent.onTheWire[attempt]++;
            next.to("sends attempt " + attempt, sent, true);
        }
    }
}
