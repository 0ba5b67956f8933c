package org.paymentroutes.provider;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/**
 * What holds for one operation at one provider; see {@link ResendPolicy} for each option.
 *
 * @param keyLifetimeMs   null when it is not told
 * @param keyMarginMs     null when the lifetime is not told
 * @param visibleAfterMs  null when it is not told
 * @param arrivalLimitMs  null when it is not told
 * @param atLeastOnceUpTo amount by currency, in units of the currency; may be empty
 * @param acceptance      null when nobody accepted duplicates
 */
record ResendRules(boolean sameKey, Long keyLifetimeMs, Long keyMarginMs, boolean serverErrorsReplayed, boolean notFoundFinal,
        int notFoundMin, Long visibleAfterMs, Long arrivalLimitMs, List<String> retryCodes, int retryMax, long retryDelayMs,
        Map<String, BigDecimal> atLeastOnceUpTo, String acceptance, int max) {

    /** Whether an operation may be sent again when its answer was lost. */
    enum Idempotency {
        /** The provider itself makes a repetition harmless, while the key lives. */
        ALWAYS,
        /** Only after proof that nothing is there, or up to an amount for which a duplicate is accepted. */
        CONDITIONALLY,
        /** Never by automation. */
        NEVER
    }

    Idempotency idempotency() {
        if (max == 0) {
            return Idempotency.NEVER;
        }
        return sameKey ? Idempotency.ALWAYS
                : notFoundFinal || !atLeastOnceUpTo.isEmpty() ? Idempotency.CONDITIONALLY : Idempotency.NEVER;
    }

    /** @return how long after the first send the key is trusted; null without one */
    Long keyTrustedMs() {
        return sameKey && keyLifetimeMs != null && keyMarginMs != null ? Long.valueOf(keyLifetimeMs - keyMarginMs) : null;
    }

    /** @return how long after a send a not-found begins to prove something; null when it never does */
    Long absenceAfterMs() {
        return notFoundFinal && visibleAfterMs != null && arrivalLimitMs != null ? Long.valueOf(visibleAfterMs + arrivalLimitMs) : null;
    }
}
