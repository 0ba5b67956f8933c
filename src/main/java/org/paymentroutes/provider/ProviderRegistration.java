package org.paymentroutes.provider;

import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.VetoCamelContextStartException;
import org.apache.camel.support.LifecycleStrategySupport;
import org.springframework.stereotype.Component;

/**
 * Makes each {@link ProviderContract} known under its name, before any route starts. Those of files are checked by
 * {@link CheckedRoutes} already, before Camel has read the file; any other bean of this kind refuses the start.
 */
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
            contracts.forEach((name, contract) -> {
                if (!providers.isRegistered(name)) {
                    contract.check(null, name);
                    providers.register(null, name, contract);
                }
            });
            providers.registered().forEach(name -> providers.activate(context, name));
            restoredDatabase.distrustIfRestored();
        }
        catch (ContractRefusedException e) {
            throw new VetoCamelContextStartException(e.getMessage(), e, context, true);
        }
    }
}
