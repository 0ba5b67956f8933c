package org.paymentroutes.sandbox;

import java.util.ArrayList;
import java.util.List;

/** All that the provider knows about one reference. Guarded by the lock of {@link SandboxBooks}. */
final class BookedPayment {

    final String reference;
    final Script script;
    final String operation;
    /** Reference of the payment that it gives money back of; null when it is no refund. */
    final String refundOf;
    final long amount;
    final String currency;
    final List<Move> moves = new ArrayList<>(1);
    /** Minor units of it that refunds have given back. */
    long refunded;
    int received;
    int queries;
    /** Journal position after which everything here is on disk. */
    long position;
    /** Id of the booked refusal; null when there is none. */
    String declinedId;
    /** Time of the first booking; 0 when nothing is booked. */
    long bookedAt;

    BookedPayment(BookLine line) {
        this.reference = line.reference();
        this.script = Script.parse(line.behaviour());
        this.operation = line.operation();
        this.refundOf = line.refundOf();
        this.amount = line.amount();
        this.currency = line.currency();
    }

    /**
     * One movement of money.
     *
     * @param id the provider's payment id
     * @param at milliseconds since 1970
     */
    record Move(String id, long at) {
    }

    boolean booked() {
        return bookedAt != 0;
    }

    /** A copy that needs no lock. */
    PaymentView view() {
        List<String> ids = new ArrayList<>(moves.size() + 1);
        moves.forEach(move -> ids.add(move.id()));
        if (declinedId != null) {
            ids.add(declinedId);
        }
        PaymentView.Status status = !moves.isEmpty() ? PaymentView.Status.SUCCEEDED
                : declinedId != null ? PaymentView.Status.DECLINED : PaymentView.Status.NOT_EXECUTED;
        return new PaymentView(reference, script, amount, currency, refunded, List.copyOf(ids), received, moves.size(), status,
                bookedAt, queries);
    }
}
