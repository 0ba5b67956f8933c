package org.paymentroutes.sandbox;

/**
 * What one POST did, and what is to be told.
 *
 * @param act what it did
 * @param payment the books after it; for a replay, the payment of the key's first request
 * @param id the provider's payment id of this booking; null when nothing was booked by this or an earlier request
 * @param redirected whether the request came to the address that a redirect had named
 */
public record Booking(Act act, PaymentView payment, String id, boolean redirected) {

    /** Which kind of answer is due; the route chooses by it. */
    public enum Reply {
        /** What the behaviour says. */
        FIRST,
        /** What the key's first request did. */
        REPLAY,
        /** A refusal, because the key came with other content. */
        KEY_REUSED,
        /** A refusal, because the reference must be unique. */
        DUPLICATE_NUMBER,
        /** What the place behind a redirect says. */
        REDIRECTED
    }

    /** Which kind of answer is due. */
    public Reply reply() {
        if (redirected) {
            return Reply.REDIRECTED;
        }
        return switch (act) {
            case MOVED, DECLINED, SKIPPED -> Reply.FIRST;
            case REPLAYED -> Reply.REPLAY;
            case KEY_REUSED -> Reply.KEY_REUSED;
            case DUPLICATE_NUMBER -> Reply.DUPLICATE_NUMBER;
        };
    }
}
