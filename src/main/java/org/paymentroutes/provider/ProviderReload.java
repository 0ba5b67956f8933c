package org.paymentroutes.provider;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.camel.CamelContext;
import org.apache.camel.spi.Resource;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
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
    private static final Duration ROOM = Duration.ofSeconds(10);

    private final CamelContext camel;
    private final CheckedRoutes files;
    private final Providers providers;

    ProviderReload(CamelContext camel, CheckedRoutes files, Providers providers) {
        this.camel = camel;
        this.files = files;
        this.providers = providers;
    }

    /**
     * @param provider name of a contract bean in one of the configured files; it may be a new one, or one that was refused
     * @return the plan that holds from now on
     * @throws ContractRefusedException when the contract is refused or its routes do not start; the old ones go on
     * @throws IllegalArgumentException when no file has a contract of this name
     */
    public synchronized RecoveryPlan reload(String provider) {
        Resource resource = files.find(camel, provider);
        if (resource == null) {
            throw new IllegalArgumentException("no file has a contract of this name");
        }
        String text = CheckedRoutes.text(resource);
        ProviderFile file = ProviderFile.parse(resource.getLocation(), text);
        Map<String, ProviderContract> contracts = new LinkedHashMap<>();
        try {
            for (String name : file.names()) {
                if (providers.file(name) != null && !providers.file(name).equals(file.location())) {
                    throw new ContractRefusedException(file.location(), name, List.of("bean " + name + ": found in this file and in "
                            + providers.file(name) + ", allowed is one contract of a name"));
                }
                contracts.put(name, file.contract(camel, name, files.resolver()));
            }
            swap(resource.getLocation(), file, text, contracts);
        }
        catch (ContractRefusedException e) {
            providers.refuse(e);
            throw e;
        }
        LOG.info("Provider {} runs by what its file says now", provider);
        return providers.plan(provider);
    }

    private void swap(String location, ProviderFile file, String text, Map<String, ProviderContract> contracts) {
        String oldText = files.loaded(location);
        Map<String, ProviderContract> old = new LinkedHashMap<>();
        contracts.keySet().forEach(name -> {
            if (providers.registered(name) != null) {
                old.put(name, providers.registered(name));
            }
        });
        if (oldText != null) {
            stop(ProviderFile.parse(location, oldText), old);
        }
        try {
            load(location, file, text, contracts);
        }
        catch (Exception e) {
            List<String> problem = List.of("its routes do not start (" + rootMessage(e) + "), allowed are routes that do");
            if (oldText != null) {
                restore(location, file, oldText, old);
            }
            else {
                remove(file);
            }
            throw new ContractRefusedException(file.location(), contracts.keySet().iterator().next(), problem);
        }
    }

    private void load(String location, ProviderFile file, String text, Map<String, ProviderContract> contracts) throws Exception {
        contracts.forEach((name, contract) -> {
            providers.register(file.location(), name, contract);
            providers.activate(camel, name);
        });
        PluginHelper.getRoutesLoader(camel).loadRoutes(ResourceHelper.fromBytes(location, text.getBytes(StandardCharsets.UTF_8)));
        files.loaded(location, text);
    }

    private void restore(String location, ProviderFile failed, String oldText, Map<String, ProviderContract> old) {
        remove(failed);
        try {
            load(location, ProviderFile.parse(location, oldText), oldText, old);
        }
        catch (Exception e) {
            LOG.error("The routes of {} that ran before do not start again: {}. Its payments wait until this node is started.", location,
                    rootMessage(e));
        }
    }

    /** Ends claiming and asking first, then waits for what is on the wire, then takes the rest away. */
    private void stop(ProviderFile file, Map<String, ProviderContract> contracts) {
        List<String> ids = file.routeIds();
        for (String id : ids) {
            if (camel.getRoute(id) != null && camel.getRoute(id).getEndpoint().getEndpointUri().matches("(sql|quartz|file|platform-http).*")) {
                stop(id, ROOM);
            }
        }
        contracts.forEach((name, contract) -> {
            ProviderGate gate = providers.gate(name);
            long until = System.nanoTime() + Duration.ofMillis(contract.getSend().getDeadlineMs()).plus(ROOM).toNanos();
            while (gate != null && gate.getIdle() < gate.getWorkers() && System.nanoTime() < until) {
                pause();
            }
        });
        remove(file);
    }

    private void remove(ProviderFile file) {
        for (String id : file.routeIds()) {
            if (camel.getRoute(id) != null) {
                stop(id, ROOM);
                try {
                    camel.removeRoute(id);
                }
                catch (Exception e) {
                    throw new IllegalStateException("route " + id + " cannot be removed", e);
                }
            }
        }
    }

    private void stop(String id, Duration patience) {
        try {
            camel.getRouteController().stopRoute(id, patience.toMillis(), TimeUnit.MILLISECONDS);
        }
        catch (Exception e) {
            throw new IllegalStateException("route " + id + " cannot be stopped", e);
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("stopped while waiting for requests on the wire", e);
        }
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage()).replaceAll("\\s*\\R\\s*", " ");
    }
}
