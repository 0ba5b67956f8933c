package org.paymentroutes.sandbox;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A behaviour with its number, written {@code slow_paid/5}.
 *
 * @param behaviour what to play
 * @param number seconds for {@code slow_*}, position in the table for odd Retry-After values; -1 when not given
 */
public record Script(Behaviour behaviour, int number) {

    /**
     * Reads {@code word} or {@code word/number}; a leading slash is allowed.
     *
     * @throws IllegalArgumentException when no behaviour has that word or the number is not 0 to 86400
     */
    public static Script parse(String text) {
        String word = text.startsWith("/") ? text.substring(1) : text;
        int slash = word.indexOf('/');
        String name = slash < 0 ? word : word.substring(0, slash);
        Behaviour behaviour = Behaviour.of(name).orElseThrow(() -> new IllegalArgumentException(
                "behaviour: found '" + text + "'; allowed: " + Stream.of(Behaviour.values()).map(Behaviour::word)
                        .collect(Collectors.joining(", "))));
        return new Script(behaviour, slash < 0 ? -1 : number(text, word.substring(slash + 1)));
    }

    private static int number(String text, String digits) {
        if (!digits.matches("[0-9]{1,5}") || Integer.parseInt(digits) > 86_400) {
            throw new IllegalArgumentException("behaviour: found '" + text + "'; allowed after the slash: 0 to 86400");
        }
        return Integer.parseInt(digits);
    }

    /** The text that {@link #parse} reads back. */
    @Override
    public String toString() {
        return number < 0 ? behaviour.word() : behaviour.word() + "/" + number;
    }
}
