package org.paymentroutes.sandbox;

import java.util.Optional;
import org.paymentroutes.sandbox.SandboxProperties.QueryBy;

/**
 * The steps that the sandbox routes are made of. It holds no state of its own: that is in the {@link SandboxBooks}.
 */
public final class SandboxDesk {

    private final SandboxProperties options;
    private final SandboxBooks books;
    private final BehaviourMix mix;
    private final Stage stage;

    SandboxDesk(SandboxProperties options, SandboxBooks books, Stage stage) {
        this.options = options;
        this.books = books;
        this.stage = stage;
        this.mix = new BehaviourMix(options.behaviour().isEmpty() ? options.mix() : options.behaviour() + ":1", options.seed());
    }

    /**
     * A payment with its script.
     *
     * @param order the request
     * @param script what to play
     */
    public record Scripted(PaymentOrder order, Script script) {
    }

    /** Chooses: what an earlier request of the reference got, else what this request names, else the configuration. */
    public Scripted choose(PaymentOrder order) {
        Script script = books.scriptOf(order.reference())
                .orElseGet(() -> order.behaviour() == null ? mix.choose(order.reference()) : order.behaviour());
        return new Scripted(order, script);
    }

    /** Books the request; on disk when it returns. */
    public Booking book(Scripted scripted) {
        return books.book(scripted.order(), scripted.script());
    }

    /** The answer to a request that was executed now, or never reached the books. */
    public Answer answer(Booking booking) {
        Behaviour behaviour = booking.payment().script().behaviour();
        boolean later = behaviour.execution() == Execution.LOSES_FIRST && booking.act() == Act.MOVED;
        return inTime((later ? PostAnswer.TRUTH : behaviour.post()).of(booking, stage));
    }

    /** The answer to a request whose key is known: the stored one, or the truth. */
    public Answer replay(Booking booking) {
        Behaviour behaviour = booking.payment().script().behaviour();
        if (behaviour.execution() == Execution.PAYS_AND_STORES_ANSWER) {
            return inTime(behaviour.post().of(booking, stage));
        }
        if (behaviour.query() == QueryAnswer.PENDING_THEN_TRUTH && stage.pending(booking.payment())) {
            return inTime(PostAnswer.PENDING_202.of(booking, stage));
        }
        return inTime(PostAnswer.TRUTH.of(booking, stage));
    }

    /** The answer to a key that came with other content. */
    public Answer keyReused(Booking booking) {
        return inTime(PostAnswer.KEY_REUSED_400.of(booking, stage));
    }

    /** The answer to a number that must be unique and is not. */
    public Answer duplicateNumber(Booking booking) {
        return inTime(PostAnswer.DUPLICATE_NUMBER_409.of(booking, stage));
    }

    /** The answer at the address that a redirect had named. */
    public Answer redirected(Booking booking) {
        return inTime(PostAnswer.TRUTH.of(booking, stage));
    }

    /** The answer to a query. */
    public Answer query(PaymentQuery query) {
        if (options.query() == QueryBy.NONE || options.query() == QueryBy.BY_ID && !query.byId()) {
            return Answer.json(405, PaymentJson.error("query_not_offered"));
        }
        Optional<PaymentView> found = query.byId() ? books.queryById(query.word()) : books.query(query.word());
        return inTime(found.filter(PaymentView::booked)
                .filter(payment -> stage.clock().millis() - payment.bookedAt() >= options.queryLagMs())
                .map(payment -> payment.script().behaviour().query().of(payment, stage))
                .orElseGet(QueryAnswer::notFound));
    }

    private Answer inTime(Answer answer) {
        return options.latencyMs() == 0 ? answer : answer.delayedBy(options.latencyMs());
    }
}
