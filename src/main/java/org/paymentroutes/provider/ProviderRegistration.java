package org.paymentroutes.provider;

import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.support.LifecycleStrategySupport;
import org.apache.camel.VetoCamelContextStartException;
import org.springframework.stereotype.Component;

/** Makes each {@link ProviderContract} bean of the YAML files known under its name, before any route starts. */
@Component
class ProviderRegistration extends LifecycleStrategySupport {

    private final Providers providers;
    private final RestoredDatabase restoredDatabase;

    ProviderRegistration(Providers providers, RestoredDatabase restoredDatabase) {
        this.providers = providers;
        this.restoredDatabase = restoredDatabase;
    }

    @Override
    public void onContextInitializing(CamelContext context) throws VetoCamelContextStartException {
        Map<String, ProviderContract> contracts = context.getRegistry().findByTypeWithName(ProviderContract.class);
        try {
            contracts.forEach((name, contract) -> providers.register(context, name, contract));
            restoredDatabase.distrustIfRestored();
        }
        catch (IllegalArgumentException e) {
            throw new VetoCamelContextStartException(e.getMessage(), e, context, true);
        }
    }
}
