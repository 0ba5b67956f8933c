package org.paymentroutes.sandbox;

import java.util.List;

/**
 * One reference as the books have it at one moment.
 *
 * @param reference the caller's reference
 * @param script what the provider plays for it
 * @param amount minor units
 * @param currency ISO 4217 code
 * @param refunded minor units of it that refunds have given back
 * @param ids the provider's payment ids, one for each booking, the oldest first; empty when nothing is booked
 * @param received how many POSTs came
 * @param moved how often money moved
 * @param status what the books say, whatever the answers say
 * @param bookedAt milliseconds since 1970 of the first booking; 0 when nothing is booked
 * @param queries how many queries came since the start, this one included
 */
public record PaymentView(String reference, Script script, long amount, String currency, long refunded, List<String> ids,
        int received, int moved, Status status, long bookedAt, int queries) {

    /** What the books say. */
    public enum Status {
        /** Money moved. */
        SUCCEEDED,
        /** Refused for good; no money moved. */
        DECLINED,
        /** Requests came and none was executed. */
        NOT_EXECUTED
    }

    /** Whether the query may know it. */
    public boolean booked() {
        return bookedAt != 0;
    }
}
