package org.paymentroutes.provider;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How payments of one provider are resolved, in words for people who must answer for it. Follows from the contract alone.
 *
 * @param provider    its name
 * @param account     our merchant account there
 * @param file        where the contract stands; null when it is not from a file
 * @param unknownWhen what leaves a payment UNKNOWN
 * @param operations  one part for each operation, or for several of which the same is true
 */
public record RecoveryPlan(String provider, String account, String file, List<String> unknownWhen, List<Part> operations) {

    /**
     * @param operations  the operations that this is true of
     * @param idempotency ALWAYS, CONDITIONALLY or NEVER: whether such an operation may be sent again when its answer was lost
     * @param steps       what automation does, in this order
     * @param people      when people are asked
     * @param forgets     until when the provider can be asked at all
     * @param sentAgain   whether money will ever be sent again, and on which proof
     */
    public record Part(List<String> operations, String idempotency, List<Step> steps, String people, String forgets, String sentAgain) {
    }

    /**
     * @param when from or until which time, since the first send if nothing else is said
     * @param what is done
     */
    public record Step(String when, String what) {
    }

    private static final int WIDTH = 100;

    /** @return the plan that follows from a contract */
    static RecoveryPlan of(String provider, String file, ProviderContract contract) {
        Map<Part, List<String>> same = new LinkedHashMap<>();
        for (Operation operation : Operation.values()) {
            same.computeIfAbsent(part(contract, contract.rules(operation)), unused -> new ArrayList<>()).add(operation.name());
        }
        List<Part> parts = new ArrayList<>();
        same.forEach((part, names) -> parts.add(new Part(List.copyOf(names), part.idempotency(), part.steps(), part.people(), part.forgets(),
                part.sentAgain())));
        return new RecoveryPlan(provider, contract.getAccount(), file, List.of(
                "no complete answer within " + time(contract.getSend().getDeadlineMs()),
                "a connection that ends after the request left",
                "an answer that is cut, unreadable or on no list of the contract",
                "a worker that is gone: after " + time(contract.getSend().getLeaseMs())), parts);
    }

    private static Part part(ProviderContract contract, ResendRules rules) {
        QueryPolicy query = contract.getQuery();
        List<Step> steps = new ArrayList<>();
        asking(query, steps);
        resending(query, rules, steps);
        return new Part(List.of(), rules.idempotency().name(), steps, people(query), forgets(query, rules), sentAgain(rules));
    }

    private static void asking(QueryPolicy query, List<Step> steps) {
        String waits = Arrays.stream(query.getDelaysMs()).mapToObj(RecoveryPlan::time).collect(Collectors.joining(", "));
        String varied = query.getJitter() > 0 ? ", each varied by up to " + BigDecimal.valueOf(query.getJitter() * 100).stripTrailingZeros().toPlainString() + " %" : "";
        String limit = query.getRatePerMinute() == 0 ? "" : "; at most " + query.getRatePerMinute() + " queries a minute for all payments";
        switch (query.getBy()) {
            case REFERENCE -> steps.add(new Step("after " + time(query.getQuietMs()), "asked by our reference, then again after " + waits
                    + " (the last one repeats" + varied + ")" + limit));
            case PROVIDER_ID -> steps.add(new Step("after " + time(query.getQuietMs()), "asked by the provider's payment id, if an answer has named one, then again after "
                    + waits + " (the last one repeats" + varied + ")" + limit + ". Without the id it cannot be asked"));
            default -> steps.add(new Step("never", "the provider cannot be asked"));
        }
        steps.add(new Step("at any time", "a signed webhook or a settlement line that names it decides as an answer does"));
    }

    private static void resending(QueryPolicy query, ResendRules rules, List<Step> steps) {
        // A query comes first where it finds what was lost.
        String cause = query.getBy() == QueryPolicy.By.REFERENCE ? "when a query does not find it" : "after " + time(query.getQuietMs()) + " without an answer";
        if (rules.max() > 0 && rules.sameKey()) {
            steps.add(new Step("until " + time(rules.keyTrustedMs()), cause + ": sent again under the same key, at most " + times(rules.max())
                    + " (permit SAME_KEY: key remembered for " + time(rules.keyLifetimeMs()) + ", less a margin of " + time(rules.keyMarginMs())
                    + "). A server error that comes again stops this"));
        }
        if (rules.max() > 0 && rules.notFoundFinal()) {
            steps.add(new Step("from " + time(rules.absenceAfterMs()) + " after the last send", rules.notFoundMin()
                    + " not-founds later than that prove that nothing is there: sent again, at most " + times(rules.max())
                    + " (permit NOT_FOUND_FINAL: can arrive for " + time(rules.arrivalLimitMs()) + ", visible after " + time(rules.visibleAfterMs()) + ")"));
        }
        if (rules.max() > 0 && !rules.atLeastOnceUpTo().isEmpty()) {
            steps.add(new Step("up to " + amounts(rules), cause + ": sent again without proof, at most " + times(rules.max())
                    + " (permit AT_LEAST_ONCE): may be paid twice, accepted as \"" + rules.acceptance() + "\""));
        }
        if (rules.retryMax() > 0) {
            steps.add(new Step(time(rules.retryDelayMs()) + " after a refusal", "refused with " + String.join(" or ", rules.retryCodes())
                    + ": tried again under a new key, at most " + times(rules.retryMax()) + " (permit RETRY_AFTER_REJECTION)"));
        }
    }

    private static String people(QueryPolicy query) {
        return query.getBy() == QueryPolicy.By.REFERENCE
                ? "after " + time(query.getTimeLimitMs()) + " and " + query.getInconclusiveMax() + " inconclusive answers (an unreachable provider is none); "
                        + "it is still asked every " + time(query.getReviewDelayMs())
                : "after " + time(query.getTimeLimitMs()) + (query.getBy() == QueryPolicy.By.PROVIDER_ID ? ", at once when that is all there is to know" : "");
    }

    private static String forgets(QueryPolicy query, ResendRules rules) {
        String asked = query.getBy() == QueryPolicy.By.NONE ? "never knew: there is no query"
                : query.getRetentionMs() == 0 ? "not told for the query" : "the query after " + time(query.getRetentionMs());
        return rules.sameKey() ? asked + "; the key after " + time(rules.keyLifetimeMs()) : asked;
    }

    private static String sentAgain(ResendRules rules) {
        List<String> proofs = new ArrayList<>();
        if (rules.max() > 0 && rules.sameKey()) {
            proofs.add("the provider's promise about the key");
        }
        if (rules.max() > 0 && rules.notFoundFinal()) {
            proofs.add("proven absence");
        }
        if (rules.max() > 0 && !rules.atLeastOnceUpTo().isEmpty()) {
            proofs.add("the written acceptance of duplicates");
        }
        if (rules.retryMax() > 0) {
            proofs.add("a listed refusal");
        }
        String people = "a request that provably did not arrive, a complete settlement file without it, or two people";
        return proofs.isEmpty() ? "not by automation, but for " + people : "yes, by " + String.join(", or by ", proofs) + "; also after " + people;
    }

    private static String amounts(ResendRules rules) {
        return new TreeMap<>(rules.atLeastOnceUpTo()).entrySet().stream().map(entry -> entry.getKey() + " " + entry.getValue().toPlainString())
                .collect(Collectors.joining(", "));
    }

    private static String times(int count) {
        return count == 1 ? "once" : count + " times";
    }

    /** @return the plan as a table of text */
    public String text() {
        StringBuilder text = new StringBuilder("Provider ").append(provider).append(", account ").append(account)
                .append(file == null ? "" : ", " + file).append('\n');
        line(text, "unknown when", String.join("; ", unknownWhen));
        for (Part part : operations) {
            line(text, String.join(", ", part.operations()), switch (part.idempotency()) {
                case "ALWAYS" -> "may always be repeated (ALWAYS)";
                case "CONDITIONALLY" -> "may be repeated on a condition (CONDITIONALLY)";
                default -> "may never be repeated (NEVER)";
            });
            part.steps().forEach(step -> line(text, "  " + step.when(), step.what()));
            line(text, "  people", part.people());
            line(text, "  provider forgets", part.forgets());
            line(text, "  sent again?", part.sentAgain());
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String left, String right) {
        StringBuilder row = new StringBuilder();
        String indent = left;
        for (String word : right.split(" ")) {
            if (row.length() + word.length() > WIDTH) {
                text.append(String.format("  %-34s| %s\n", indent, row.toString().stripTrailing()));
                row.setLength(0);
                indent = "";
            }
            row.append(word).append(' ');
        }
        text.append(String.format("  %-34s| %s\n", indent, row.toString().stripTrailing()));
    }

    /** @return milliseconds as a person writes them: {@code 21 h 36 min}, exact */
    static String time(long milliseconds) {
        if (milliseconds == 0) {
            return "0 s";
        }
        long[] sizes = {86_400_000, 3_600_000, 60_000};
        String[] names = {" d", " h", " min"};
        List<String> parts = new ArrayList<>();
        long rest = milliseconds;
        for (int i = 0; i < sizes.length; i++) {
            if (rest >= sizes[i]) {
                parts.add(rest / sizes[i] + names[i]);
                rest %= sizes[i];
            }
        }
        if (rest > 0) {
            parts.add(BigDecimal.valueOf(rest, 3).stripTrailingZeros().toPlainString() + " s");
        }
        return String.join(" ", parts);
    }
}
