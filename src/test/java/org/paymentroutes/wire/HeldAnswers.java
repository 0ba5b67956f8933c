package org.paymentroutes.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.paymentroutes.wire.WireProvider.Play;

/** Keeps requests on the wire: answers that are given when they are released, and not before. */
public final class HeldAnswers {

    private final CountDownLatch arrived;
    private final CountDownLatch release = new CountDownLatch(1);

    /** For one request. */
    public HeldAnswers() {
        this(1);
    }

    /** @param requests how many are waited for */
    public HeldAnswers(int requests) {
        arrived = new CountDownLatch(requests);
    }

    /** @return an answer that waits for its release */
    public Play then(Play answer) {
        return (order, out) -> {
            arrived.countDown();
            try {
                if (!release.await(60, TimeUnit.SECONDS)) {
                    throw new IOException("nobody released the answer");
                }
            }
            catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("server stopped", e);
            }
            return answer.on(order, out);
        };
    }

    /** Waits until the requests have arrived. */
    public void awaitRequests() throws InterruptedException {
        assertThat(arrived.await(10, TimeUnit.SECONDS)).as("%d requests have not arrived", arrived.getCount()).isTrue();
    }

    /** Gives the answers. */
    public void release() {
        release.countDown();
    }
}
