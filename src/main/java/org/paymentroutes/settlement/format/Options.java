package org.paymentroutes.settlement.format;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Reads the small languages of contract options, and says which option is wrong. */
final class Options {

    private Options() {
    }

    static IllegalArgumentException wrong(String option, Object found, String allowed) {
        return new IllegalArgumentException("Option " + option + ": found '" + found + "', allowed is " + allowed);
    }

    /** @return the only character of {@code text}; {@code TAB} stands for a tab, {@code HASH} for {@code #} (which Camel takes
     *         for a reference), {@code NONE} for no character (0) */
    static char character(String option, String text) {
        if ("TAB".equals(text)) {
            return '\t';
        }
        if ("HASH".equals(text)) {
            return '#';
        }
        if ("NONE".equals(text)) {
            return 0;
        }
        if (text == null || text.length() != 1) {
            throw wrong(option, text, "one character, TAB, HASH or NONE");
        }
        return text.charAt(0);
    }

    static Pattern pattern(String option, String text) {
        try {
            return Pattern.compile(text);
        }
        catch (PatternSyntaxException e) {
            throw wrong(option, text, "a regular expression (" + e.getDescription() + ")");
        }
    }

    /** @return {@code A=1, B=2} as a map in that order */
    static Map<String, String> pairs(String option, String text) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String entry : text.split(",")) {
            int equals = entry.indexOf('=');
            if (equals < 1 || entry.substring(equals + 1).isBlank()) {
                throw wrong(option, entry.strip(), "a list such as a=b, c=d");
            }
            pairs.put(entry.substring(0, equals).strip(), entry.substring(equals + 1).strip());
        }
        return pairs;
    }

    /** @return the entries of a list divided by commas */
    static Set<String> words(String text) {
        Set<String> words = new LinkedHashSet<>();
        for (String word : text.split(",")) {
            if (!word.isBlank()) {
                words.add(word.strip());
            }
        }
        return words;
    }
}
