package org.paymentroutes.provider;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.apache.camel.CamelContext;
import org.apache.camel.PropertyBindingException;
import org.apache.camel.support.PropertyBindingSupport;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * A file of routes as it is before Camel reads it: its contracts can be checked while nothing of it runs yet.
 *
 * @param location where it is, for messages
 * @param entries  its top-level entries, such as beans and templatedRoute
 */
record ProviderFile(String location, List<Map<?, ?>> entries) {

    private static final String TYPE = ProviderContract.class.getName();

    /**
     * @param text without {@link ProviderYaml#problems problems}
     * @throws YAMLException when it has some
     */
    static ProviderFile parse(String location, String text) {
        List<Map<?, ?>> entries = new ArrayList<>();
        if (new Yaml(new SafeConstructor(new LoaderOptions())).load(text) instanceof List<?> list) {
            list.forEach(entry -> {
                if (entry instanceof Map<?, ?> map) {
                    entries.add(map);
                }
            });
        }
        return new ProviderFile(place(location), entries);
    }

    /** @return a location as people know it */
    static String place(String location) {
        return location.replaceFirst("^file:(//)?", "");
    }

    /** @return the names of its contract beans */
    List<String> names() {
        List<String> names = new ArrayList<>();
        contracts((name, properties) -> names.add(name));
        return names;
    }

    /** @return the names of the parameters of each template that it defines */
    Map<String, Set<String>> templates() {
        Map<String, Set<String>> templates = new LinkedHashMap<>();
        for (Map<?, ?> entry : entries) {
            if (entry.get("routeTemplate") instanceof Map<?, ?> template) {
                Set<String> names = new TreeSet<>();
                if (template.get("parameters") instanceof List<?> parameters) {
                    parameters.forEach(parameter -> names.add(String.valueOf(((Map<?, ?>) parameter).get("name"))));
                }
                templates.put(String.valueOf(template.get("id")), names);
            }
        }
        return templates;
    }

    /** @return the ids of its routes, in its order: those that claim or ask by themselves are first to be stopped */
    List<String> routeIds() {
        List<String> ids = new ArrayList<>();
        for (Map<?, ?> entry : entries) {
            if (entry.get("templatedRoute") instanceof Map<?, ?> use && use.get("routeId") != null) {
                ids.add(use.get("routeId").toString());
            }
            if (entry.get("route") instanceof Map<?, ?> route && route.get("id") != null) {
                ids.add(route.get("id").toString());
            }
        }
        return ids;
    }

    /**
     * Reads a contract as Camel will, and checks it together with what this file does with it.
     *
     * @param camel    for the conversion of values; need not be started
     * @param name     name of the bean
     * @param resolver of property placeholders; fails on an unknown one
     * @throws ContractRefusedException naming this file, the bean and each problem
     */
    ProviderContract contract(CamelContext camel, String name, UnaryOperator<String> resolver) {
        Map<String, Object> options = new LinkedHashMap<>();
        contracts((found, properties) -> {
            if (found.equals(name)) {
                flatten("", properties, options);
            }
        });
        List<String> problems = new ArrayList<>();
        ProviderContract contract = new ProviderContract();
        options.forEach((option, value) -> {
            try {
                PropertyBindingSupport.setPropertiesOnTarget(camel, contract, new LinkedHashMap<>(Map.of(option, resolve(resolver, value))));
            }
            catch (RuntimeException e) {
                problems.add("option " + option + ": " + reason(e, value));
            }
        });
        if (problems.isEmpty()) {
            problems.addAll(new ContractCheck(name, contract).problems());
            problems.addAll(use(name, contract, resolver));
        }
        if (!problems.isEmpty()) {
            throw new ContractRefusedException(location, name, problems);
        }
        return contract;
    }

    /** What this file does must fit what its contract says: the deadline that the lease was computed for, and a key that is sent. */
    private List<String> use(String name, ProviderContract contract, UnaryOperator<String> resolver) {
        List<String> problems = new ArrayList<>();
        String header = contract.getKey().getHeader();
        boolean body = entries.toString().contains("\"$key\"");
        boolean set = header.isEmpty() ? body : sets(entries, header);
        for (Map<?, ?> entry : entries) {
            if (!(entry.get("templatedRoute") instanceof Map<?, ?> use)) {
                continue;
            }
            Map<String, String> parameters = parameters(use);
            if (!name.equals(parameters.get("provider")) || !"provider-http".equals(use.get("routeTemplateRef"))) {
                continue;
            }
            String deadline = parameters.get("deadlineMs");
            try {
                String found = deadline == null ? "" : resolver.apply(deadline);
                if (found.matches("[0-9]{1,9}") && Integer.parseInt(found) > contract.getSend().getDeadlineMs()) {
                    problems.add("option send.deadlineMs: found " + contract.getSend().getDeadlineMs() + ", allowed is at least the deadlineMs of template "
                            + use.get("routeId") + " (" + found + "): a request must end before its lease");
                }
            }
            catch (RuntimeException e) {
                problems.add("template " + use.get("routeId") + ", deadlineMs: " + reason(e, deadline));
            }
            String sent = parameters.getOrDefault("headers", "Idempotency-Key");
            set &= header.isEmpty() || List.of(sent.split("\\s*,\\s*")).stream().anyMatch(header::equalsIgnoreCase);
        }
        for (Operation operation : Operation.values()) {
            if (contract.rules(operation).sameKey() && !set) {
                problems.add("option resend.sameKey: found true, but this file sends no key, allowed is true with a step that sets header "
                        + (header.isEmpty() ? "key.header" : header) + " and lets it pass (headers of template provider-http), or with an empty"
                        + " key.header and \"$key\" in the request");
                break;
            }
        }
        return problems;
    }

    private static boolean sets(Object node, String header) {
        if (node instanceof List<?> list) {
            return list.stream().anyMatch(item -> sets(item, header));
        }
        if (node instanceof Map<?, ?> map) {
            if (map.get("setHeader") instanceof Map<?, ?> step && header.equalsIgnoreCase(String.valueOf(step.get("name")))) {
                return true;
            }
            return map.values().stream().anyMatch(item -> sets(item, header));
        }
        return false;
    }

    private static Map<String, String> parameters(Map<?, ?> use) {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (use.get("parameters") instanceof List<?> list) {
            list.forEach(item -> {
                if (item instanceof Map<?, ?> parameter) {
                    parameters.put(String.valueOf(parameter.get("name")), String.valueOf(parameter.get("value")));
                }
            });
        }
        return parameters;
    }

    private void contracts(BiConsumer<String, Map<?, ?>> each) {
        for (Map<?, ?> entry : entries) {
            if (entry.get("beans") instanceof List<?> beans) {
                for (Object bean : beans) {
                    if (bean instanceof Map<?, ?> map && (TYPE.equals(map.get("type")) || ("#class:" + TYPE).equals(map.get("type")))) {
                        each.accept(String.valueOf(map.get("name")), map.get("properties") instanceof Map<?, ?> options ? options : Map.of());
                    }
                }
            }
        }
    }

    private static void flatten(String prefix, Map<?, ?> from, Map<String, Object> to) {
        from.forEach((name, value) -> {
            if (value instanceof Map<?, ?> nested) {
                flatten(prefix + name + ".", nested, to);
            }
            else {
                to.put(prefix + name, value == null ? "" : value);
            }
        });
    }

    private static Object resolve(UnaryOperator<String> resolver, Object value) {
        return value instanceof String text && text.contains("{{") ? resolver.apply(text) : value;
    }

    /** What a person can use of a failed conversion or a setter's refusal. */
    private static String reason(RuntimeException failure, Object value) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof NumberFormatException) {
                return "found '" + value + "', allowed is a number";
            }
            if (cause instanceof IllegalArgumentException && cause.getCause() == null && cause.getMessage() != null
                    && cause.getMessage().matches("(Option|Could not resolve|No enum).*")) {
                return cause.getMessage().replaceFirst("^Option \\S+ ", "")
                        .replaceFirst("(?s)^Could not resolve placeholder '([^']*)'.*", "property $1 is not set");
            }
        }
        if (failure instanceof PropertyBindingException && failure.getCause() == null) {
            return "found in the file, but no contract has such an option";
        }
        return "found '" + value + "', which is no value of this option";
    }
}
