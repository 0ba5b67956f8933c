package org.paymentroutes.provider;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.apache.camel.CamelContext;
import org.apache.camel.spi.Resource;
import org.apache.camel.spring.boot.CamelConfigurationProperties;
import org.apache.camel.spring.boot.CamelSpringBootRoutesCollector;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Hands the route files to Camel, but for those with a refused contract: nothing of such a file is loaded, and the other
 * providers go on.
 */
@Component
class CheckedRoutes extends CamelSpringBootRoutesCollector {

    private final Providers providers;
    private final UnaryOperator<String> resolver;
    private final Map<String, String> seen = new HashMap<>();
    private final Map<String, String> loaded = new ConcurrentHashMap<>();
    private final String includePattern;

    CheckedRoutes(ApplicationContext context, CamelConfigurationProperties options, Providers providers, Environment environment) {
        super(context, options.getMain().isIncludeNonSingletons());
        this.providers = providers;
        this.resolver = resolver(environment);
        this.includePattern = options.getMain().getRoutesIncludePattern();
    }

    /** @return what puts the values of properties in place of {@code {{name}}}; it refuses a name that has none */
    static UnaryOperator<String> resolver(Environment environment) {
        return text -> environment.resolveRequiredPlaceholders(text.replace("{{", "${").replace("}}", "}"));
    }

    UnaryOperator<String> resolver() {
        return resolver;
    }

    /** @return the file, as it is now, that has a contract of this name; null when there is none */
    Resource find(CamelContext camel, String provider) {
        for (Resource resource : super.findRouteResourcesFromDirectory(camel, null, includePattern)) {
            ProviderFile file = parsed(resource);
            if (file != null && file.names().contains(provider)) {
                return resource;
            }
        }
        return null;
    }

    /** @return the text that was loaded last from this place; null when none was */
    String loaded(String location) {
        return loaded.get(location);
    }

    void loaded(String location, String text) {
        loaded.put(location, text);
    }

    private static ProviderFile parsed(Resource resource) {
        return resource.getLocation().endsWith(".yaml") ? ProviderFile.parse(resource.getLocation(), text(resource)) : null;
    }

    @Override
    public Collection<Resource> findRouteResourcesFromDirectory(CamelContext camel, String excludePattern, String includePattern) {
        List<Resource> accepted = new ArrayList<>();
        for (Resource resource : super.findRouteResourcesFromDirectory(camel, excludePattern, includePattern)) {
            ProviderFile file = parsed(resource);
            if (file == null || accepted(camel, file)) {
                accepted.add(resource);
                if (file != null && !file.names().isEmpty()) {
                    loaded.put(resource.getLocation(), text(resource));
                }
            }
        }
        return accepted;
    }

    private boolean accepted(CamelContext camel, ProviderFile file) {
        boolean accepted = true;
        Map<String, ProviderContract> contracts = new HashMap<>();
        for (String name : file.names()) {
            try {
                String other = seen.put(name, file.location());
                if (other != null) {
                    throw new ContractRefusedException(file.location(), name, List.of("bean " + name + ": found in this file and in " + other
                            + ", allowed is one contract of a name"));
                }
                contracts.put(name, file.contract(camel, name, resolver));
            }
            catch (ContractRefusedException e) {
                providers.refuse(e);
                accepted = false;
            }
        }
        for (Map.Entry<String, ProviderContract> contract : contracts.entrySet()) {
            try {
                if (!accepted) {
                    throw new ContractRefusedException(file.location(), contract.getKey(), List.of("another contract of this file is refused"));
                }
                providers.register(file.location(), contract.getKey(), contract.getValue());
            }
            catch (ContractRefusedException e) {
                providers.refuse(e);
                accepted = false;
            }
        }
        return accepted;
    }

    static String text(Resource resource) {
        try (InputStream in = resource.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (IOException e) {
            throw new UncheckedIOException("cannot read " + resource.getLocation(), e);
        }
    }
}
