package org.paymentroutes.model;

/** The rules that keep a payment from being made twice, forgotten or misreported. Each can be taken out of the model. */
enum Rule {
    /** The attempt is committed before its first byte leaves. */
    ATTEMPT_BEFORE_SEND(Contract.QUERY),
    /** A claim is one conditional statement: one worker owns an attempt. */
    ONE_EXECUTOR(Contract.NOTHING),
    /** One HTTP request for each attempt; no client repeats it. */
    ONE_REQUEST_PER_ATTEMPT(Contract.NOTHING),
    /** The lease is checked right before the request is sent. */
    LEASE_CHECKED_BEFORE_SEND(Contract.QUERY),
    /** A lease that is over makes its payment UNKNOWN, never PENDING. */
    ORPHAN_IS_UNKNOWN(Contract.NOTHING),
    /** A lease that is over is noticed, whoever held it: each open payment has its row in the outbox. */
    ORPHAN_IS_FOUND(Contract.NOTHING),
    /** A second attempt needs a permit. */
    PERMIT_FOR_RESEND(Contract.NOTHING),
    /** A not-found counts only when it was asked after the last moment at which a send can arrive. */
    NOT_FOUND_AFTER_ARRIVAL(Contract.QUERY),
    /** A not-found counts only when it was asked after the time in which a payment may be invisible. */
    NOT_FOUND_AFTER_VISIBILITY(Contract.QUERY),
    /** What waits for a resend under its key is not claimed after the key's lifetime, less the margin. */
    KEY_LIFETIME_AT_CLAIM(Contract.KEY),
    /** The same key is used only where a 5xx under it is replayed and not executed again. */
    SERVER_ERRORS_REPLAYED(Contract.KEY_WITHOUT_ERRORS),
    /** The key of a payment is for ever: a resend uses the same one. */
    KEY_IS_FOR_EVER(Contract.KEY),
    /** After a resend that did not prove that earlier attempts failed, a NOT_EXECUTED leaves the payment UNKNOWN. */
    EARLIER_ATTEMPT_IN_DOUBT(Contract.KEY_THREE_TIMES),
    /** An answer is recorded only for the attempt that is the last one. */
    RECORDING_GUARDED_BY_ATTEMPT(Contract.KEY_THREE_TIMES),
    /** A recorded success stops what waits to be sent, and no permit is granted over it. */
    SUCCESS_STOPS_SENDING(Contract.KEY),
    /** A refusal is about the key that it names, and says nothing of a later one. */
    REFUSAL_IS_OF_ITS_KEY(Contract.RETRY),
    /** A refusal of one send proves nothing where several may each have moved money. */
    SEVERAL_SENDS_ARE_NOT_REFUSED_BY_ONE(Contract.AT_LEAST_ONCE),
    /** An elapsed clock makes no payment FAILED. */
    SILENCE_IS_NOT_FAILURE(Contract.NOTHING),
    /** SUCCEEDED is never left. */
    FINAL_STAYS(Contract.AT_LEAST_ONCE);

    private final Contract contract;

    Rule(Contract contract) {
        this.contract = contract;
    }

    /** @return a contract under which a history goes wrong without this rule */
    Contract contract() {
        return contract;
    }
}
