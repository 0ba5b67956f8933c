package org.paymentroutes.sandbox;

/** What the POST of a payment does to the provider's books. */
public enum Execution {
    /** The first request moves the money; a repeat under the same key moves nothing and learns the truth. */
    PAYS(true),
    /** Like {@link #PAYS}, but a repeat under the same key gets the very same answer for ever. */
    PAYS_AND_STORES_ANSWER(true),
    /** Each request moves money, whatever its key says. */
    PAYS_EACH_TIME(true),
    /** The provider books a final refusal; no money moves. */
    DECLINES(false),
    /** The first request never reaches the books; a second one is executed in the normal way. */
    LOSES_FIRST(false),
    /** No request reaches the books. */
    NEVER(false);

    private final boolean moves;

    Execution(boolean moves) {
        this.moves = moves;
    }

    /** Whether money has moved (or will move without anybody's further help) after one request. */
    public boolean moves() {
        return moves;
    }
}
