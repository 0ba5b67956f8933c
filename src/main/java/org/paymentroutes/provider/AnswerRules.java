package org.paymentroutes.provider;

import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Which answers of a provider prove what: lists of {@code "<HTTP status> <word>"}, for example {@code 200 SUCCEEDED}, or
 * of a status alone, for example {@code 429}. A word is compared as it is, never by case or by a part of it. What is on
 * no list proves nothing.
 */
public final class AnswerRules {

    private static final Pattern HINT = Pattern.compile(
            "(?i)4(09|22) .*(already|duplicat|in.?progress|being.?process|concurren|conflict|idempot|same.?key).*");

    private final Map<Verdict, Set<String>> lists = new EnumMap<>(Verdict.class);

    /** @param entries answers that prove that the money moved; each needs a word */
    public void setSucceeded(String entries) {
        put(Verdict.SUCCEEDED, "succeeded", entries, true);
    }

    /** @param entries final refusals; each needs a word, for a status alone is an opinion of the web server */
    public void setRejected(String entries) {
        put(Verdict.REJECTED, "rejected", entries, true);
    }

    /** @param entries answers that say: in progress */
    public void setAccepted(String entries) {
        put(Verdict.ACCEPTED, "accepted", entries, true);
    }

    /** @param entries answers that say: this request was not executed, and nothing was kept of it */
    public void setNotExecuted(String entries) {
        put(Verdict.NOT_EXECUTED, "notExecuted", entries, false);
    }

    /** @param entries answers to a query that say: no such payment here */
    public void setNotFound(String entries) {
        put(Verdict.NOT_FOUND, "notFound", entries, true);
    }

    /** @param entries answers to a query that say: ask later */
    public void setUnreachable(String entries) {
        put(Verdict.UNREACHABLE, "unreachable", entries, false);
    }

    /** @param entries answers that hint at an earlier request, such as {@code 409 already_captured}: they prove nothing */
    public void setHints(String entries) {
        put(Verdict.AMBIGUOUS, "hints", entries, false);
    }

    private void put(Verdict verdict, String option, String entries, boolean wordNeeded) {
        Set<String> list = new LinkedHashSet<>();
        for (String entry : entries.split(",")) {
            String text = entry.strip();
            if (!text.matches("[1-5][0-9][0-9]( \\S.*)?") || (wordNeeded && text.length() < 5)) {
                throw new IllegalArgumentException("Option " + option + ": found '" + text + "', allowed is '<HTTP status>"
                        + (wordNeeded ? " <word>'" : "' or '<HTTP status> <word>'") + ", entries separated by commas");
            }
            for (Map.Entry<Verdict, Set<String>> other : lists.entrySet()) {
                if (other.getKey() != verdict && other.getValue().contains(text)) {
                    throw new IllegalArgumentException("Option " + option + ": '" + text + "' is also listed as " + other.getKey());
                }
            }
            list.add(text);
        }
        lists.put(verdict, list);
    }

    /** @return whether any answer can prove this verdict */
    public boolean names(Verdict verdict) {
        return !lists.getOrDefault(verdict, Set.of()).isEmpty();
    }

    /** @return what is listed for this verdict; may be empty */
    Set<String> entries(Verdict verdict) {
        return lists.getOrDefault(verdict, Set.of());
    }

    /**
     * @param entry a 409 or 422 with a word
     * @return whether it speaks of an earlier or a parallel request: then the payment may well have been made
     */
    static boolean hints(String entry) {
        return HINT.matcher(entry).matches();
    }

    /** @return whether an answer on no other list speaks of an earlier or a parallel request, as listed or by its words */
    boolean isHint(int httpStatus, Iterable<String> words) {
        Set<String> listed = entries(Verdict.AMBIGUOUS);
        for (String word : words) {
            if (listed.contains(httpStatus + " " + word) || hints(httpStatus + " " + word)) {
                return true;
            }
        }
        return listed.contains(Integer.toString(httpStatus));
    }

    /**
     * @param httpStatus the answer's status
     * @param words      the words that the answer carries: its status word and its code, in this order; may be empty
     * @return what a list says of it, by word first and by status alone last; {@link Verdict#AMBIGUOUS} when no list does
     */
    public Verdict verdict(int httpStatus, Iterable<String> words) {
        for (String word : words) {
            String entry = httpStatus + " " + word;
            for (Map.Entry<Verdict, Set<String>> list : lists.entrySet()) {
                if (list.getValue().contains(entry)) {
                    return list.getKey();
                }
            }
        }
        String status = Integer.toString(httpStatus);
        for (Map.Entry<Verdict, Set<String>> list : lists.entrySet()) {
            if (list.getValue().contains(status)) {
                return list.getKey();
            }
        }
        return Verdict.AMBIGUOUS;
    }

    @Override
    public String toString() {
        Map<String, Set<String>> sorted = new java.util.TreeMap<>();
        lists.forEach((verdict, list) -> sorted.put(verdict.name(), new TreeSet<>(list)));
        return sorted.toString();
    }
}
