package org.paymentroutes.api;

import java.util.Optional;

/** What this node knows about a provider at the moment, beside its row in the database. */
public interface ProviderLiveState {

    /**
     * @param workers     how many payments this node may send to it at a time
     * @param workersIdle how many of them are free
     * @param circuit     CLOSED, OPEN or HALF_OPEN
     */
    record Live(int workers, int workersIdle, String circuit) {
    }

    /**
     * @param provider name of the provider
     * @return its state on this node; empty when this node does not send to it
     */
    Optional<Live> of(String provider);
}
