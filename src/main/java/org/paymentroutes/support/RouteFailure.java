package org.paymentroutes.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why Camel does not take a file of routes. Camel wraps each reason several times, and repeats what it wraps.
 *
 * @param file  the file that Camel names; null when it names none
 * @param line  the line that Camel names, from 1; null when it names none
 * @param route the route or template that it names; null when it names none
 * @param found what is wrong, in the words of the innermost message
 */
public record RouteFailure(String file, Integer line, String route, String found) {

    private static final Pattern PLACE = Pattern.compile("(?:in|resource|reader|file)?,?\\s*(?:line|at line) (\\d{1,9}), column (\\d+)");
    private static final Pattern FILE = Pattern.compile("(?:(?:file|classpath|jar|nested):)?[^\\s'\"\\[\\](),]*\\.camel\\.yaml(?::\\d+)?");
    private static final Pattern ROUTE = Pattern.compile("(?:route|template)[ :(=]*(?:id:? *)?([A-Za-z0-9][A-Za-z0-9._-]*-[A-Za-z0-9._-]+)");

    /** @return what a person needs of this failure; empty when it is not Camel's */
    public static Optional<RouteFailure> of(Throwable failure) {
        List<Throwable> chain = new ArrayList<>();
        boolean camel = false;
        for (Throwable cause = failure; cause != null && chain.size() < 30; cause = cause.getCause()) {
            chain.add(cause);
            camel |= cause.getClass().getName().startsWith("org.apache.camel.") || cause.getClass().getName().startsWith("org.snakeyaml.");
        }
        String all = chain.stream().map(cause -> String.valueOf(cause.getMessage())).reduce("", (a, b) -> a + "\n" + b);
        return camel ? Optional.of(new RouteFailure(first(FILE, all, 0), line(all), first(ROUTE, all, 1), message(chain))) : Optional.empty();
    }

    private static Integer line(String text) {
        String line = first(PLACE, text, 1);
        return line == null ? null : Integer.valueOf(line);
    }

    /** The innermost message, with what its wrapper says when it is only a word. */
    private static String message(List<Throwable> chain) {
        Throwable root = chain.get(chain.size() - 1);
        String message = root.getMessage();
        if (message == null || message.isBlank()) {
            message = root.getClass().getSimpleName();
        }
        if (!message.contains(" ") && chain.size() > 1) {
            message = chain.get(chain.size() - 2).getMessage() + ": " + message;
        }
        return message.strip();
    }

    private static String first(Pattern pattern, String text, int group) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(group) : null;
    }
}
