package org.paymentroutes.flow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The YAML files of the folder routes/, read with duplicate keys refused. */
final class RouteFiles {

    static final Path FOLDER = Path.of("routes");

    /**
     * One route of a file or of a template.
     *
     * @param file     where it stands
     * @param template the template that it belongs to; null for a plain route
     * @param body     its members
     */
    record Route(Path file, String template, Map<?, ?> body) {

        String id() {
            return (String) body.get("id");
        }

        Map<?, ?> from() {
            return (Map<?, ?>) body.get("from");
        }

        @Override
        public String toString() {
            return FOLDER.relativize(file) + " " + id();
        }
    }

    private RouteFiles() {
    }

    /** @return all files, with the examples */
    static List<Path> files() {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return the files that run here: an example is a caller's, who sends nothing to a provider */
    static List<Path> ours() {
        return files().stream().filter(file -> !file.startsWith(FOLDER.resolve("examples"))).toList();
    }

    static List<Map<?, ?>> read(Path file) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        try {
            return new Yaml(new SafeConstructor(options)).load(Files.readString(file));
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return what stands under this word at the top of any file */
    static List<Map<?, ?>> top(String word) {
        List<Map<?, ?>> found = new ArrayList<>();
        for (Path file : ours()) {
            for (Map<?, ?> entry : read(file)) {
                if (entry.get(word) instanceof Map<?, ?> body) {
                    found.add(body);
                }
            }
        }
        return found;
    }

    static List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        for (Path file : ours()) {
            for (Map<?, ?> entry : read(file)) {
                if (entry.get("route") instanceof Map<?, ?> body) {
                    routes.add(new Route(file, null, body));
                }
                if (entry.get("routeTemplate") instanceof Map<?, ?> template) {
                    routes.add(new Route(file, (String) template.get("id"), (Map<?, ?>) template.get("route")));
                }
            }
        }
        return routes;
    }

    /** Visits each step of a route with its word and its members (null when it is not a map). */
    static void steps(Object node, BiConsumer<String, Map<?, ?>> visitor) {
        if (node instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                if (key.equals("steps")) {
                    for (Object step : (List<?>) value) {
                        Map.Entry<?, ?> only = ((Map<?, ?>) step).entrySet().iterator().next();
                        visitor.accept((String) only.getKey(), only.getValue() instanceof Map<?, ?> body ? body : null);
                    }
                }
                steps(value, visitor);
            });
        }
        else if (node instanceof List<?> list) {
            list.forEach(item -> steps(item, visitor));
        }
    }

    /** @return every endpoint of a route: the maps that have a uri, its own first */
    static List<Map<?, ?>> endpoints(Object node) {
        List<Map<?, ?>> found = new ArrayList<>();
        if (node instanceof Map<?, ?> map) {
            if (map.get("uri") instanceof String) {
                found.add(map);
            }
            map.values().forEach(value -> found.addAll(endpoints(value)));
        }
        else if (node instanceof List<?> list) {
            list.forEach(item -> found.addAll(endpoints(item)));
        }
        return found;
    }

    static Map<?, ?> parameters(Map<?, ?> endpoint) {
        return endpoint.get("parameters") instanceof Map<?, ?> parameters ? parameters : Map.of();
    }
}
