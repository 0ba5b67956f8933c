package org.paymentroutes.provider;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.camel.CamelContext;
import org.apache.camel.Route;
import org.apache.camel.impl.engine.DefaultRoutesLoader;
import org.apache.camel.model.ModelCamelContext;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.RouteTemplateDefinition;
import org.apache.camel.support.ResourceHelper;
import org.paymentroutes.provider.http.HttpSafetyCheck;
import org.springframework.stereotype.Component;

/** The routes and beans of provider files in the running application: all of a file, or nothing. */
@Component
class ProviderRoutes {

    /** A file does not start; nothing of it is left. Its message says in one line what is wrong, and where if that can be told. */
    static final class NotStartedException extends Exception {

        private static final long serialVersionUID = 1L;

        NotStartedException(String message) {
            super(message);
        }
    }

    private static final Duration ROOM = Duration.ofSeconds(10);

    private final CamelContext camel;
    private final Providers providers;
    private final HttpSafetyCheck safety;
    private final Map<String, String> loaded = new ConcurrentHashMap<>();

    ProviderRoutes(CamelContext camel, Providers providers, HttpSafetyCheck safety) {
        this.camel = camel;
        this.providers = providers;
        this.safety = safety;
    }

    /** @return the text that runs from this place; null when none does */
    String loaded(String location) {
        return loaded.get(location);
    }

    /**
     * Starts what a file says: what others call first, what claims, asks or listens by itself last.
     *
     * @param location where it is; nothing of it runs
     * @param text     without {@link ProviderYaml#problems problems}, its contracts active
     */
    void load(String location, String text) throws NotStartedException {
        ProviderFile file = ProviderFile.parse(location, text);
        List<String> problems = problems(file, text);
        if (!problems.isEmpty()) {
            throw new NotStartedException(String.join("; ", problems));
        }
        Set<String> before = running();
        try {
            camel.setAutoStartup(false);
            // One of its own: after a failure, a loader takes the beans of that place for done.
            try (DefaultRoutesLoader loader = new DefaultRoutesLoader(camel)) {
                loader.start();
                loader.loadRoutes(ResourceHelper.fromBytes(location, text.getBytes(StandardCharsets.UTF_8)));
            }
            finally {
                camel.setAutoStartup(true);
            }
            List<Route> added = new ArrayList<>(camel.getRoutes().stream().filter(route -> !before.contains(route.getRouteId())).toList());
            List<String> unsafe = safety.findings(added);
            if (!unsafe.isEmpty()) {
                throw new NotStartedException("unsafe HTTP settings: " + String.join("; ", unsafe));
            }
            Collections.reverse(added);
            for (boolean active : new boolean[] {false, true}) {
                for (Route route : added) {
                    if (startsItself(route) == active && Boolean.TRUE.equals(route.isAutoStartup())) {
                        camel.getRouteController().startRoute(route.getRouteId());
                    }
                }
            }
            loaded.put(location, text);
        }
        catch (NotStartedException e) {
            discard(file, text, before);
            throw e;
        }
        catch (Exception e) {
            discard(file, text, before);
            throw new NotStartedException(ProviderYaml.describe(text, e));
        }
    }

    /** What would take the place of something that another file or the application has, and what a template does not know. */
    private List<String> problems(ProviderFile file, String text) {
        List<String> problems = new ArrayList<>();
        for (String bean : ProviderYaml.beans(text)) {
            if (camel.getRegistry().lookupByName(bean) != null) {
                problems.add("bean " + bean + ": this name is in use by another file or by the application");
            }
        }
        for (String id : file.routeIds()) {
            if (camel.getRoute(id) != null) {
                problems.add("route " + id + ": this id is in use by another file or by the application");
            }
        }
        problems.addAll(ProviderYaml.templates(text, template -> {
            RouteTemplateDefinition definition = ((ModelCamelContext) camel).getRouteTemplateDefinition(template);
            if (definition == null) {
                return null;
            }
            Set<String> names = new TreeSet<>();
            definition.getTemplateParameters().forEach(parameter -> names.add(parameter.getName()));
            return names;
        }));
        return problems;
    }

    private Set<String> running() {
        Set<String> ids = new TreeSet<>();
        camel.getRoutes().forEach(route -> ids.add(route.getRouteId()));
        return ids;
    }

    private static boolean startsItself(Route route) {
        return route.getEndpoint().getEndpointUri().matches("(sql|quartz|file|platform-http|sftp|ftps?|jms|timer).*");
    }

    /**
     * Ends claiming and asking first, then waits for what is on the wire, then takes the rest away.
     *
     * @param contracts of the file, by name, as they run now
     */
    void stop(String location, Map<String, ProviderContract> contracts) {
        String text = loaded.get(location);
        ProviderFile file = ProviderFile.parse(location, text);
        for (String id : file.routeIds()) {
            if (camel.getRoute(id) != null && startsItself(camel.getRoute(id))) {
                stop(id);
            }
        }
        contracts.forEach((name, contract) -> {
            ProviderGate gate = providers.gate(name);
            long until = System.nanoTime() + Duration.ofMillis(contract.getSend().getDeadlineMs()).plus(ROOM).toNanos();
            while (gate != null && gate.getIdle() < gate.getWorkers() && System.nanoTime() < until) {
                pause();
            }
        });
        file.routeIds().forEach(this::remove);
        ProviderYaml.beans(text).forEach(camel.getRegistry()::unbind);
        loaded.remove(location);
    }

    private void discard(ProviderFile file, String text, Set<String> before) {
        Set<String> ids = running();
        ids.addAll(file.routeIds());
        ids.removeAll(before);
        ids.forEach(this::remove);
        ProviderYaml.beans(text).forEach(camel.getRegistry()::unbind);
    }

    private void remove(String id) {
        try {
            if (camel.getRoute(id) != null) {
                stop(id);
                camel.removeRoute(id);
            }
            // A route that could not be created has a definition only.
            ModelCamelContext model = (ModelCamelContext) camel;
            RouteDefinition definition = model.getRouteDefinition(id);
            if (definition != null) {
                model.removeRouteDefinition(definition);
            }
        }
        catch (Exception e) {
            throw new IllegalStateException("route " + id + " cannot be removed", e);
        }
    }

    private void stop(String id) {
        try {
            camel.getRouteController().stopRoute(id, ROOM.toMillis(), TimeUnit.MILLISECONDS);
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
}
