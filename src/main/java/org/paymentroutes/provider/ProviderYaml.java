package org.paymentroutes.provider;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.paymentroutes.support.RouteFailure;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** The text of a provider file: finds what Camel would take silently or refuse without a place, and says in which line it is. */
final class ProviderYaml {

    private static final Pattern CONTRACT = Pattern.compile("(?m)^\\s*-?\\s*name:\\s*[\"']?([^\\s\"'#]+)[\"']?\\s*(?:#.*)?\\R\\s*type:\\s*[\"']?(?:#class:)?"
            + Pattern.quote(ProviderContract.class.getName()) + "\\b");
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{2,}");
    private static final Pattern PLACE = Pattern.compile("(?s)\\s+in (file|classpath|jar|nested):\\S+, line \\d+, column \\d+.*");
    private static final String ALLOWED = "allowed is a list of beans, templatedRoute and route, as in routes/providers/sandbox.camel.yaml";
    private static final int LONGEST = 600;

    private ProviderYaml() {
    }

    /** @return the providers that a text is about, also when it cannot be read as YAML; else what the file is named */
    static List<String> names(String location, String text) {
        Set<String> names = contracts(text);
        return names.isEmpty() ? List.of(location.replaceFirst(".*[/\\\\:]", "").replaceFirst("(\\.camel)?\\.ya?ml$", "")) : List.copyOf(names);
    }

    /** @return the contracts that stand in a text, also when it cannot be read as YAML */
    static Set<String> contracts(String text) {
        try {
            return new TreeSet<>(ProviderFile.parse("", text).names());
        }
        catch (YAMLException e) {
            Set<String> names = new TreeSet<>();
            Matcher contract = CONTRACT.matcher(text);
            while (contract.find()) {
                names.add(contract.group(1));
            }
            return names;
        }
    }

    /** @return what keeps a text from being read as a provider file, with its line; none for one that can be read */
    static List<String> problems(String text) {
        Object loaded;
        try {
            LoaderOptions strict = new LoaderOptions();
            // Else the last one wins, and nobody is told.
            strict.setAllowDuplicateKeys(false);
            loaded = new Yaml(new SafeConstructor(strict)).load(text);
        }
        catch (MarkedYAMLException e) {
            return List.of(e.getProblemMark() == null ? "found " + bounded(e.getMessage())
                    : "line " + (e.getProblemMark().getLine() + 1) + ": " + bounded(e.getProblem()));
        }
        catch (YAMLException e) {
            return List.of("found " + bounded(e.getMessage()));
        }
        if (loaded == null) {
            return List.of("found an empty file, " + ALLOWED);
        }
        Node root = root(text);
        if (!(root instanceof SequenceNode list) || list.getValue().isEmpty()) {
            return List.of("line " + line(root) + ": found no list, " + ALLOWED);
        }
        List<String> problems = new ArrayList<>();
        for (Node entry : list.getValue()) {
            if (!(entry instanceof MappingNode)) {
                problems.add("line " + line(entry) + ": found an entry without a name, " + ALLOWED);
            }
        }
        Map<String, Integer> seen = new HashMap<>();
        BiConsumer<String, Node> once = (kind, name) -> {
            Integer earlier = seen.put(kind + " " + ((ScalarNode) name).getValue(), line(name));
            if (earlier != null) {
                problems.add("line " + line(name) + ": found a second " + kind + " " + ((ScalarNode) name).getValue() + ", the first is in line " + earlier);
            }
        };
        beans(list, name -> once.accept("bean", name));
        routes(list, id -> once.accept("route", id));
        return problems;
    }

    /** @return the names of the beans in a text that can be read */
    static List<String> beans(String text) {
        List<String> names = new ArrayList<>();
        beans((SequenceNode) root(text), name -> names.add(((ScalarNode) name).getValue()));
        return names;
    }

    /**
     * @param text       that can be read
     * @param parameters of a template; null when there is no such template
     * @return a sentence for each use of a template that is not there, and for each parameter that the template does not have
     */
    static List<String> templates(String text, Function<String, Set<String>> parameters) {
        List<String> problems = new ArrayList<>();
        SequenceNode list = (SequenceNode) root(text);
        Set<String> own = new TreeSet<>();
        for (Node entry : list.getValue()) {
            scalar(member(member(entry, "routeTemplate"), "id")).ifPresent(id -> own.add(id.getValue()));
        }
        for (Node entry : list.getValue()) {
            Node use = member(entry, "templatedRoute");
            Optional<ScalarNode> template = scalar(member(use, "routeTemplateRef"));
            if (template.isEmpty() || own.contains(template.get().getValue())) {
                continue;
            }
            Set<String> known = parameters.apply(template.get().getValue());
            if (known == null) {
                problems.add("line " + line(template.get()) + ": found template " + template.get().getValue() + ", which does not exist");
            }
            else if (member(use, "parameters") instanceof SequenceNode given) {
                for (Node parameter : given.getValue()) {
                    scalar(member(parameter, "name")).filter(name -> !known.contains(name.getValue())).ifPresent(name ->
                            problems.add("line " + line(name) + ": found parameter " + name.getValue() + ", template " + template.get().getValue()
                                    + " has " + String.join(", ", known)));
                }
            }
        }
        return problems;
    }

    /** @return the failure in one line, with the line of the file that it is about if that can be told */
    static String describe(String text, Exception failure) {
        RouteFailure found = RouteFailure.of(failure).orElseGet(() -> new RouteFailure(null, null, null, message(failure)));
        Integer line = found.line() != null ? found.line() : lineOf(text, found);
        return (line == null ? "" : "line " + line + ": ") + (found.route() == null ? "" : "route " + found.route() + ": ") + bounded(PLACE.matcher(found.found()).replaceFirst(""));
    }

    /** The line of the placeholder, else of the name, else of the route that the failure tells. */
    private static Integer lineOf(String text, RouteFailure failure) {
        List<String> lines = text.lines().toList();
        Matcher token = TOKEN.matcher(failure.found());
        while (token.find()) {
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).contains("{{" + token.group()) || lines.get(i).matches("(- )?\\s*(- )?[A-Za-z]+:\\s*[\"']?(#class:)?\\Q" + token.group() + "\\E[\"']?\\s*")
                        && !token.group().equals(failure.route())) {
                    return i + 1;
                }
            }
        }
        for (int i = 0; i < lines.size(); i++) {
            if (failure.route() != null && lines.get(i).matches("\\s*(id|routeId):\\s*[\"']?\\Q" + failure.route() + "\\E[\"']?\\s*")) {
                return i + 1;
            }
        }
        return null;
    }

    private static String message(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }

    private static Node root(String text) {
        return new Yaml(new LoaderOptions()).compose(new StringReader(text));
    }

    private static void beans(SequenceNode list, Consumer<Node> each) {
        for (Node entry : list.getValue()) {
            if (member(entry, "beans") instanceof SequenceNode beans) {
                beans.getValue().forEach(bean -> scalar(member(bean, "name")).ifPresent(each));
            }
        }
    }

    private static void routes(SequenceNode list, Consumer<Node> each) {
        for (Node entry : list.getValue()) {
            scalar(member(member(entry, "templatedRoute"), "routeId")).ifPresent(each);
            scalar(member(member(entry, "route"), "id")).ifPresent(each);
        }
    }

    private static Node member(Node node, String name) {
        if (node instanceof MappingNode map) {
            for (NodeTuple tuple : map.getValue()) {
                if (tuple.getKeyNode() instanceof ScalarNode key && key.getValue().equals(name)) {
                    return tuple.getValueNode();
                }
            }
        }
        return null;
    }

    private static Optional<ScalarNode> scalar(Node node) {
        return node instanceof ScalarNode scalar ? Optional.of(scalar) : Optional.empty();
    }

    private static int line(Node node) {
        return node.getStartMark().getLine() + 1;
    }

    private static String bounded(String message) {
        String text = message.strip().replaceAll("\\s*\\R\\s*", " ");
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 3) + "...";
    }
}
