package org.paymentroutes.provider;

import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * What a provider's words say, as its contract lists them: one list of entries for each meaning, compared to the letter,
 * and no entry on two lists.
 *
 * @param <M> what an entry can say
 */
final class WordLists<M extends Enum<M>> {

    private final Map<M, Set<String>> lists;

    WordLists(Class<M> meanings) {
        lists = new EnumMap<>(meanings);
    }

    /**
     * Takes the place of the list for this meaning.
     *
     * @param option  the option's name, for messages
     * @param entries separated by commas
     * @param isEntry whether the text can be an entry
     * @param allowed the form of an entry, for messages
     * @throws IllegalArgumentException when a text is no entry, or stands on another list as well
     */
    void put(M meaning, String option, String entries, Predicate<String> isEntry, String allowed) {
        Set<String> list = new LinkedHashSet<>();
        for (String text : entries.split(",")) {
            String entry = text.strip();
            if (!isEntry.test(entry)) {
                throw new IllegalArgumentException("Option " + option + ": found '" + entry + "', allowed is " + allowed
                        + ", entries separated by commas");
            }
            M other = meaning(entry);
            if (other != null && other != meaning) {
                throw new IllegalArgumentException("Option " + option + ": '" + entry + "' is also listed as " + other);
            }
            list.add(entry);
        }
        lists.put(meaning, list);
    }

    /** @return what the entry says; null when it is on no list */
    M meaning(String entry) {
        return lists.entrySet().stream().filter(list -> list.getValue().contains(entry)).map(Map.Entry::getKey).findFirst().orElse(null);
    }

    /** @return the entries with this meaning; may be empty */
    Set<String> entries(M meaning) {
        return lists.getOrDefault(meaning, Set.of());
    }

    /** @return the same text for the same lists, in whatever order they were written */
    @Override
    public String toString() {
        Map<String, Set<String>> sorted = new TreeMap<>();
        lists.forEach((meaning, list) -> sorted.put(meaning.name(), new TreeSet<>(list)));
        return sorted.toString();
    }
}
