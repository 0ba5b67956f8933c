package org.paymentroutes.provider;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.camel.CamelContext;
import org.apache.camel.spi.Resource;
import org.apache.camel.spring.boot.CamelConfigurationProperties;
import org.apache.camel.spring.boot.CamelSpringBootRoutesCollector;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Hands the route files of the application to Camel, and keeps those of providers back: {@link ProviderStart} loads each of
 * them by itself, so that one that is broken stops its own provider only. Contracts are checked here, before anything runs.
 */
@Component
class CheckedRoutes extends CamelSpringBootRoutesCollector {

    /**
     * A file that is accepted as far as it can be read without running it.
     *
     * @param location where it is, as Camel names it
     * @param text     what it says
     * @param names    its contracts; none for a file that others use, such as one of templates
     */
    record Accepted(String location, String text, List<String> names) {
    }

    private final Providers providers;
    private final UnaryOperator<String> resolver;
    private final Map<String, String> seen = new HashMap<>();
    private final List<Accepted> accepted = new ArrayList<>();
    private final String includePattern;
    private final Set<String> providerPatterns = new LinkedHashSet<>();

    CheckedRoutes(ApplicationContext context, CamelConfigurationProperties options, Providers providers, Environment environment) {
        super(context, options.getMain().isIncludeNonSingletons());
        this.providers = providers;
        this.resolver = resolver(environment);
        this.includePattern = options.getMain().getRoutesIncludePattern();
        Arrays.stream(environment.getProperty("payment-routes.provider-routes", "").split(",")).map(String::strip).forEach(providerPatterns::add);
    }

    /** @return what puts the values of properties in place of {@code {{name}}}; it refuses a name that has none */
    static UnaryOperator<String> resolver(Environment environment) {
        return text -> environment.resolveRequiredPlaceholders(text.replace("{{", "${").replace("}}", "}"));
    }

    UnaryOperator<String> resolver() {
        return resolver;
    }

    /** @return the file, as it is now, with the contract of this provider; else a broken one that is named like it; null when there is none */
    Resource find(CamelContext camel, String provider) {
        Resource broken = null;
        for (Resource resource : super.findRouteResourcesFromDirectory(camel, null, includePattern)) {
            if (isYaml(resource)) {
                String text = text(resource);
                if (ProviderYaml.contracts(text).contains(provider)) {
                    return resource;
                }
                if (ProviderYaml.names(resource.getLocation(), text).contains(provider) && !ProviderYaml.problems(text).isEmpty()) {
                    broken = resource;
                }
            }
        }
        return broken;
    }

    @Override
    public Collection<Resource> findRouteResourcesFromDirectory(CamelContext camel, String excludePattern, String includePattern) {
        List<Resource> core = new ArrayList<>();
        for (String pattern : includePattern.split(",")) {
            for (Resource resource : super.findRouteResourcesFromDirectory(camel, excludePattern, pattern.strip())) {
                if (!isYaml(resource)) {
                    core.add(resource);
                    continue;
                }
                String text = text(resource);
                if (!providerPatterns.contains(pattern.strip()) && !text.contains(ProviderContract.class.getName())) {
                    core.add(resource);
                }
                else {
                    accept(camel, resource.getLocation(), text);
                }
            }
        }
        return core;
    }

    /** @return the files that were accepted, those that others use first */
    List<Accepted> accepted() {
        List<Accepted> sorted = new ArrayList<>(accepted.stream().filter(file -> file.names().isEmpty()).toList());
        sorted.addAll(accepted.stream().filter(file -> !file.names().isEmpty()).toList());
        return sorted;
    }

    private void accept(CamelContext camel, String location, String text) {
        String place = ProviderFile.place(location);
        List<String> broken = ProviderYaml.problems(text);
        if (!broken.isEmpty()) {
            ProviderYaml.names(location, text).forEach(name -> providers.refuse(new ContractRefusedException(place, name, broken)));
            return;
        }
        ProviderFile file = ProviderFile.parse(location, text);
        Map<String, ProviderContract> contracts = new LinkedHashMap<>();
        boolean fine = true;
        for (String name : file.names()) {
            try {
                String other = seen.putIfAbsent(name, place);
                if (other != null) {
                    throw new ContractRefusedException(place, name, List.of("bean " + name + ": found in this file and in " + other
                            + ", allowed is one contract of a name"));
                }
                contracts.put(name, file.contract(camel, name, resolver));
            }
            catch (ContractRefusedException e) {
                providers.refuse(e);
                fine = false;
            }
        }
        for (Map.Entry<String, ProviderContract> contract : contracts.entrySet()) {
            try {
                if (!fine) {
                    throw new ContractRefusedException(place, contract.getKey(), List.of("another contract of this file is refused"));
                }
                providers.register(place, contract.getKey(), contract.getValue());
            }
            catch (ContractRefusedException e) {
                providers.refuse(e);
                fine = false;
            }
        }
        if (fine) {
            accepted.add(new Accepted(location, text, file.names()));
        }
    }

    private static boolean isYaml(Resource resource) {
        return resource.getLocation().endsWith(".yaml");
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
