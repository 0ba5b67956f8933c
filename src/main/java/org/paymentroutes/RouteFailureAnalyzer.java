package org.paymentroutes;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/**
 * Says in a few lines why Camel does not start: the file and line of the YAML, or the route and the option, and what is
 * wrong with it. Camel wraps each of these several times, and repeats what it wraps.
 */
class RouteFailureAnalyzer implements FailureAnalyzer {

    private static final Pattern PLACE = Pattern.compile("(?:in|resource|reader|file)?,?\\s*(?:line|at line) (\\d+), column (\\d+)");
    private static final Pattern FILE = Pattern.compile("(?:(?:file|classpath|jar|nested):)?[^\\s'\"\\[\\](),]*\\.camel\\.yaml(?::\\d+)?");
    private static final Pattern ROUTE = Pattern.compile("(?:route|template)[ :(=]*(?:id:? *)?([A-Za-z0-9][A-Za-z0-9._-]*-[A-Za-z0-9._-]+)");

    @Override
    public FailureAnalysis analyze(Throwable failure) {
        List<Throwable> chain = new ArrayList<>();
        boolean camel = false;
        for (Throwable cause = failure; cause != null && chain.size() < 30; cause = cause.getCause()) {
            if (cause instanceof StartRefusedException) {
                return null;
            }
            chain.add(cause);
            camel |= cause.getClass().getName().startsWith("org.apache.camel.") || cause.getClass().getName().startsWith("org.snakeyaml.");
        }
        if (!camel) {
            return null;
        }
        Throwable root = chain.get(chain.size() - 1);
        String all = chain.stream().map(cause -> String.valueOf(cause.getMessage())).reduce("", (a, b) -> a + "\n" + b);
        StringBuilder text = new StringBuilder("The routes do not start.");
        first(FILE, all, 0).ifPresent(file -> text.append("\n  file   ").append(file));
        first(PLACE, all, 1).ifPresent(line -> text.append("\n  line   ").append(line));
        first(ROUTE, all, 1).ifPresent(route -> text.append("\n  route  ").append(route));
        text.append("\n  found  ").append(bounded(message(chain, root)));
        return new FailureAnalysis(text.toString(), null, failure);
    }

    /** The innermost message, with what its wrapper says when it is only a word. */
    private static String message(List<Throwable> chain, Throwable root) {
        String message = root.getMessage();
        if (message == null || message.isBlank()) {
            message = root.getClass().getSimpleName();
        }
        if (!message.contains(" ") && chain.size() > 1) {
            message = chain.get(chain.size() - 2).getMessage() + ": " + message;
        }
        return message;
    }

    private static String bounded(String message) {
        String text = message.strip().replaceAll("\\s*\\R\\s*", "\n         ");
        return text.length() <= 1500 ? text : text.substring(0, 1497) + "...";
    }

    private static Optional<String> first(Pattern pattern, String text, int group) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Optional.of(matcher.group(group)) : Optional.empty();
    }
}
