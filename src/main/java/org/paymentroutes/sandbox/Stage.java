package org.paymentroutes.sandbox;

import java.time.InstantSource;

/**
 * What the answers need to know besides the payment.
 *
 * @param options the configuration
 * @param clock the provider's clock
 */
record Stage(SandboxProperties options, InstantSource clock) {

    /** Milliseconds that a slow answer waits. */
    long slowMs(Script script) {
        return script.number() < 0 ? options.slowMs() : script.number() * 1000L;
    }

    /** Whether a payment that starts as PENDING is still so. */
    boolean pending(PaymentView payment) {
        return clock.millis() - payment.bookedAt() < options.pendingMs();
    }

    /** Where a redirect points. */
    String redirectLocation(PaymentView payment) {
        return options.redirectLocation().isEmpty() ? "/redirected?reference=" + payment.reference() : options.redirectLocation();
    }
}
