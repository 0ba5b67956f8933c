package org.paymentroutes.model;

/**
 * What a provider promises, and so does in the model.
 *
 * @param idempotent    the same key is executed once, as long as the provider remembers it
 * @param replays       a 5xx under a key is stored and repeated; otherwise it is executed again
 * @param notFoundFinal a query by our reference finds what has become visible, and its not-founds are proof
 * @param retries       a refusal may be tried again under a new key, once
 * @param accepts       it may answer "accepted" and decide later
 * @param atLeastOnce   it is configured to accept duplicates
 * @param doubled       the network may double a request, which only an idempotent provider bears
 * @param attempts      so many attempts are looked at
 */
record Contract(String name, boolean idempotent, boolean replays, boolean notFoundFinal, boolean retries, boolean accepts,
        boolean atLeastOnce, boolean doubled, int attempts) {

    static final Contract KEY = new Contract("key", true, true, false, false, false, false, true, 2);
    static final Contract KEY_THREE_TIMES = new Contract("key, nothing doubled, 3 attempts", true, true, false, false, false, false, false, 3);
    static final Contract KEY_WITHOUT_ERRORS = new Contract("key, but a 5xx is executed again", true, false, false, false, false, false, false, 2);
    static final Contract QUERY = new Contract("query whose not-found is final", false, false, true, false, false, false, false, 2);
    static final Contract KEY_AND_QUERY = new Contract("key and query", true, true, true, false, false, false, false, 2);
    static final Contract NOTHING = new Contract("no key, no query", false, false, false, false, false, false, false, 2);
    static final Contract RETRY = new Contract("key, and a refusal may be tried again", true, true, false, true, false, false, false, 2);
    static final Contract LATER = new Contract("key, decides later", true, true, false, false, true, false, false, 2);
    static final Contract AT_LEAST_ONCE = new Contract("duplicates accepted", false, false, false, false, false, true, false, 2);

    /** The same with one more attempt. */
    Contract longer() {
        return new Contract(name + ", " + (attempts + 1) + " attempts", idempotent, replays, notFoundFinal, retries, accepts, atLeastOnce, doubled, attempts + 1);
    }

    /** @return whether a payment is never made twice */
    boolean promisesOnce() {
        return !atLeastOnce;
    }

    @Override
    public String toString() {
        return name;
    }
}
