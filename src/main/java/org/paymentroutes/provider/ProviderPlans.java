package org.paymentroutes.provider;

import java.util.Map;
import org.springframework.jmx.export.annotation.ManagedAttribute;
import org.springframework.jmx.export.annotation.ManagedOperation;
import org.springframework.jmx.export.annotation.ManagedOperationParameter;
import org.springframework.jmx.export.annotation.ManagedResource;
import org.springframework.stereotype.Component;

/** The contracts of this node for JMX and Hawtio. */
@Component
@ManagedResource(objectName = "org.paymentroutes:type=ProviderContracts", description = "Contracts of the providers on this node")
public class ProviderPlans {

    private final Providers providers;
    private final ProviderReload reload;

    ProviderPlans(Providers providers, ProviderReload reload) {
        this.providers = providers;
        this.reload = reload;
    }

    /** @return the recovery plans of all providers, as tables of text */
    @ManagedAttribute(description = "What becomes of UNKNOWN payments, for each provider")
    public String getRecoveryPlans() {
        StringBuilder plans = new StringBuilder();
        providers.names().forEach(name -> plans.append(providers.plan(name).text()).append('\n'));
        return plans.toString();
    }

    /** @return why contracts are refused, by provider */
    @ManagedAttribute(description = "Why contracts are refused, by provider")
    public Map<String, String> getRefusals() {
        return providers.refusals();
    }

    /**
     * @param provider its name
     * @return its new plan, or why its file is refused
     */
    @ManagedOperation(description = "Reads the file of a provider again; a refused one changes nothing")
    @ManagedOperationParameter(name = "provider", description = "Name of the provider")
    public String reload(String provider) {
        try {
            return reload.reload(provider).text();
        }
        catch (ContractRefusedException | IllegalArgumentException e) {
            return "Refused: " + e.getMessage();
        }
    }
}
