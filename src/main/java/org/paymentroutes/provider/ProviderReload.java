package org.paymentroutes.provider;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.spi.Resource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Reads the file of one provider again while everything runs. A refused file changes nothing: the old contract and its
 * routes go on. An accepted one takes their place on this node after what is on the wire has ended.
 */
@Component
public class ProviderReload {

    private static final Logger LOG = LoggerFactory.getLogger(ProviderReload.class);

    private final CamelContext camel;
    private final CheckedRoutes files;
    private final ProviderRoutes routes;
    private final Providers providers;

    ProviderReload(CamelContext camel, CheckedRoutes files, ProviderRoutes routes, Providers providers) {
        this.camel = camel;
        this.files = files;
        this.routes = routes;
        this.providers = providers;
    }

    /**
     * @param provider name of a contract bean in one of the configured files; it may be a new one, or one that was refused
     * @return the plan that holds from now on
     * @throws ContractRefusedException when the file is refused or its routes do not start; the old ones go on
     * @throws IllegalArgumentException when no file has a contract of this name
     */
    public synchronized RecoveryPlan reload(String provider) {
        Resource resource = files.find(camel, provider);
        if (resource == null) {
            throw new IllegalArgumentException("no file has a contract of this name");
        }
        try {
            swap(resource.getLocation(), CheckedRoutes.text(resource), provider);
        }
        catch (ContractRefusedException e) {
            providers.refuse(e);
            throw e;
        }
        LOG.info("Provider {} runs by what its file says now", provider);
        providers.announce(provider);
        return providers.plan(provider);
    }

    private void swap(String location, String text, String provider) {
        String place = ProviderFile.place(location);
        List<String> broken = ProviderYaml.problems(text);
        if (!broken.isEmpty()) {
            throw new ContractRefusedException(place, provider, broken);
        }
        ProviderFile file = ProviderFile.parse(location, text);
        if (!file.names().contains(provider)) {
            throw new IllegalArgumentException("no file has a contract of this name");
        }
        Map<String, ProviderContract> contracts = new LinkedHashMap<>();
        Map<String, ProviderContract> old = new LinkedHashMap<>();
        for (String name : file.names()) {
            if (providers.file(name) != null && !providers.file(name).equals(place)) {
                throw new ContractRefusedException(place, name, List.of("bean " + name + ": found in this file and in "
                        + providers.file(name) + ", allowed is one contract of a name"));
            }
            contracts.put(name, file.contract(camel, name, files.resolver()));
            if (providers.registered(name) != null) {
                old.put(name, providers.registered(name));
            }
        }
        String oldText = routes.loaded(location);
        if (oldText != null) {
            routes.stop(location, old);
        }
        try {
            activate(place, contracts);
            routes.load(location, text);
        }
        catch (ProviderRoutes.NotStartedException | ContractRefusedException e) {
            restore(location, oldText, contracts, old);
            throw e instanceof ContractRefusedException refused ? refused
                    : new ContractRefusedException(place, provider, List.of("its routes do not start: " + e.getMessage()));
        }
    }

    private void activate(String place, Map<String, ProviderContract> contracts) {
        contracts.forEach((name, contract) -> {
            providers.register(place, name, contract);
            providers.activate(camel, name);
        });
    }

    private void restore(String location, String oldText, Map<String, ProviderContract> failed, Map<String, ProviderContract> old) {
        failed.keySet().stream().filter(name -> !old.containsKey(name)).forEach(name -> providers.withdraw(camel, name));
        if (oldText == null) {
            old.keySet().forEach(name -> providers.withdraw(camel, name));
            return;
        }
        try {
            activate(ProviderFile.place(location), old);
            routes.load(location, oldText);
        }
        catch (ProviderRoutes.NotStartedException | ContractRefusedException e) {
            LOG.error("The routes of {} that ran before do not start again: {}. Its payments wait until this node is started.", location,
                    e.getMessage());
        }
    }
}
