package org.paymentroutes.webhook;

import java.time.InstantSource;
import org.apache.camel.Exchange;

/**
 * The database's time, without a question to it for each delivery: our own clock, put right by how much the database's
 * was away from it when it was last asked.
 */
public final class WebhookClock {

    private final InstantSource own;
    private volatile long aheadMs;

    /** @param own the clock of this machine */
    WebhookClock(InstantSource own) {
        this.own = own;
    }

    /** @return milliseconds since 1970 */
    long millis() {
        return own.millis() + aheadMs;
    }

    /** Compares with the database's time in the body, milliseconds since 1970. */
    public void set(Exchange exchange) {
        aheadMs = exchange.getMessage().getBody(Long.class) - own.millis();
    }
}
