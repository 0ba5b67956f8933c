package org.paymentroutes.api;

import java.util.Optional;
import org.paymentroutes.provider.ProviderGate;
import org.paymentroutes.provider.Providers;
import org.springframework.stereotype.Component;

/** Takes the state of a provider on this node from its gate. */
@Component
class GateLiveState implements ProviderLiveState {

    private final Providers providers;

    GateLiveState(Providers providers) {
        this.providers = providers;
    }

    @Override
    public Optional<Live> of(String provider) {
        ProviderGate gate = providers.gate(provider);
        return gate == null ? Optional.empty() : Optional.of(new Live(gate.getWorkers(), gate.getIdle(), gate.getCircuit()));
    }
}
