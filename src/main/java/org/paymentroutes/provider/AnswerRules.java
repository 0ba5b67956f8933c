package org.paymentroutes.provider;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which answers of a provider prove what: lists of {@code "<HTTP status> <word>"}, for example {@code 200 SUCCEEDED}, or
 * of a status alone, for example {@code 429}. A word is compared as it is, never by case or by a part of it. What is on
 * no list proves nothing.
 */
public final class AnswerRules {

    private static final Pattern HINT = Pattern.compile(
            "(?i)4(09|22) .*(already|duplicat|in.?progress|being.?process|concurren|conflict|idempot|same.?key).*");

    private final WordLists<Verdict> lists = new WordLists<>(Verdict.class);

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
        lists.put(verdict, option, entries, text -> text.matches("[1-5][0-9][0-9]( \\S.*)?") && (!wordNeeded || text.length() >= 5),
                wordNeeded ? "'<HTTP status> <word>'" : "'<HTTP status>' or '<HTTP status> <word>'");
    }

    /** @return whether any answer can prove this verdict */
    public boolean names(Verdict verdict) {
        return !entries(verdict).isEmpty();
    }

    /** @return what is listed for this verdict; may be empty */
    Set<String> entries(Verdict verdict) {
        return lists.entries(verdict);
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
            Verdict listed = lists.meaning(httpStatus + " " + word);
            if (listed != null) {
                return listed;
            }
        }
        Verdict listed = lists.meaning(Integer.toString(httpStatus));
        return listed != null ? listed : Verdict.AMBIGUOUS;
    }

    @Override
    public String toString() {
        return lists.toString();
    }
}
