package org.paymentroutes.provider;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Finds what makes a contract unsafe or contradictory, each with option, found and allowed. */
final class ContractCheck {

    private static final String COMMON = "resend.";
    private static final int ACCEPTANCE_MIN = 20;
    private static final String HINT_ALLOWED = "such a word in hints: it hints at an earlier request and refuses nothing";

    private final String provider;
    private final ProviderContract contract;
    private final SendPolicy send;
    private final QueryPolicy query;
    private final List<String> problems = new ArrayList<>();

    ContractCheck(String provider, ProviderContract contract) {
        this.provider = provider;
        this.contract = contract;
        this.send = contract.getSend();
        this.query = contract.getQuery();
    }

    /** @return a sentence for each problem; none for a contract that can be used */
    List<String> problems() {
        demand("name", provider, "lower-case letters, digits and hyphens, at most 40, a letter first", provider.matches("[a-z][a-z0-9-]{0,39}"));
        demand("account", contract.getAccount(), "a name", contract.getAccount() != null && !contract.getAccount().isBlank());
        sending();
        asking();
        exposure();
        key();
        answers();
        problems.addAll(new WebhookCheck(contract.getWebhook()).problems());
        List<String> common = resend(new ResendPolicy().over(contract.getResend()));
        Set<String> told = new LinkedHashSet<>();
        for (Operation operation : Operation.values()) {
            for (String problem : resend(contract.rules(operation))) {
                // What an operation has from resend.* is told once, and by that name.
                told.add(common.contains(problem) ? problem
                        : problem.replace(COMMON, operation.name().toLowerCase(Locale.ROOT) + "." + COMMON));
            }
        }
        problems.addAll(told);
        return problems;
    }

    private void sending() {
        demand("send.workers", send.getWorkers(), "1 to 2000", send.getWorkers() >= 1 && send.getWorkers() <= 2000);
        demand("send.deadlineMs", send.getDeadlineMs(), "100 or more", send.getDeadlineMs() >= 100);
        demand("send.leaseMs", send.getLeaseMs(), "at least send.deadlineMs (" + send.getDeadlineMs() + ") + 1000",
                send.getLeaseMs() >= send.getDeadlineMs() + 1000);
        demand("send.backoffBaseMs", send.getBackoffBaseMs(), "1 to send.backoffCapMs",
                send.getBackoffBaseMs() >= 1 && send.getBackoffBaseMs() <= send.getBackoffCapMs());
        demand("send.ratePerSecond", send.getRatePerSecond(), "0 (no limit) or more", send.getRatePerSecond() >= 0);
        demand("send.retryAfterCapMs", send.getRetryAfterCapMs(), "1000 to 31622400000 (366 days)",
                send.getRetryAfterCapMs() >= 1000 && send.getRetryAfterCapMs() <= 31_622_400_000L);
        demand("send.timeLimitMs", send.getTimeLimitMs(), "1 or more", send.getTimeLimitMs() >= 1);
        demand("send.pollMs", send.getPollMs(), "10 or more", send.getPollMs() >= 10);
        demand("send.circuitFailurePercent", send.getCircuitFailurePercent(), "1 to 100",
                send.getCircuitFailurePercent() >= 1 && send.getCircuitFailurePercent() <= 100);
        demand("send.circuitWindow", send.getCircuitWindow(), "1 or more", send.getCircuitWindow() >= 1);
        demand("send.circuitOpenMs", send.getCircuitOpenMs(), "1 or more", send.getCircuitOpenMs() >= 1);
    }

    private void exposure() {
        ExposurePolicy exposure = contract.getExposure();
        demand("exposure.maxCount", exposure.getMaxCount(), "0 (no limit) or more", exposure.getMaxCount() >= 0);
        demand("exposure.maxAmount", exposure.getMaxAmount(), "a list such as 'EUR=10000.00, JPY=1000000'", exposure.isReadable());
        demand("exposure.resumePercent", exposure.getResumePercent(), "1 to 99",
                exposure.getResumePercent() >= 1 && exposure.getResumePercent() <= 99);
    }

    private void asking() {
        demand("query.quietMs", query.getQuietMs(), "0 or more", query.getQuietMs() >= 0);
        demand("query.jitter", query.getJitter(), "0 to 1", query.getJitter() >= 0 && query.getJitter() <= 1);
        demand("query.inconclusiveMax", query.getInconclusiveMax(), "1 or more", query.getInconclusiveMax() >= 1);
        demand("query.timeLimitMs", query.getTimeLimitMs(), "1 or more", query.getTimeLimitMs() >= 1);
        demand("query.reviewDelayMs", query.getReviewDelayMs(), "1 or more", query.getReviewDelayMs() >= 1);
        demand("query.parallel", query.getParallel(), "1 to 1000", query.getParallel() >= 1 && query.getParallel() <= 1000);
        demand("query.ratePerMinute", query.getRatePerMinute(), "0 (no limit) or more", query.getRatePerMinute() >= 0);
        for (int delay : query.getDelaysMs()) {
            demand("query.delaysMs", delay, "1 or more each", delay >= 1);
        }
        demand("query.retentionMs", query.getRetentionMs(),
                "0 (not told), or more than query.timeLimitMs (" + query.getTimeLimitMs() + "): people are asked before the provider forgets",
                query.getRetentionMs() == 0 || query.getRetentionMs() > query.getTimeLimitMs());
    }

    private void key() {
        KeyPolicy key = contract.getKey();
        boolean readable = key.getCharacters().matches("[A-Za-z0-9_.~+/=: -]+");
        demand("key.characters", key.getCharacters(), "characters as in a regular expression between brackets, such as A-Za-z0-9-", readable);
        demand("key.header", key.getHeader(), "the name of a header, or nothing when the body carries $key", key.getHeader().matches("[A-Za-z0-9-]*"));
        demand("key.maxLength and key.characters", key.getMaxLength() + " of " + key.getCharacters(),
                "what takes our key, 32 characters of 0-9 and a-f", readable && key.takes(0));
    }

    private void answers() {
        AnswerRules submit = contract.getSubmitAnswers();
        AnswerRules asked = contract.getQueryAnswers();
        demand("submitAnswers.succeeded", "nothing", "a list such as '200 SUCCEEDED', or submitAnswers.accepted",
                submit.names(Verdict.SUCCEEDED) || submit.names(Verdict.ACCEPTED));
        demand("queryAnswers.succeeded", "nothing", "a list such as '200 SUCCEEDED', or query.by NONE",
                query.getBy() == QueryPolicy.By.NONE || asked.names(Verdict.SUCCEEDED));
        demand("fields.reference", "nothing", "a JSON pointer: a success that names no reference of ours proves nothing",
                contract.getFields().getReference() != null);
        proofs("submitAnswers", submit);
        proofs("queryAnswers", asked);
    }

    private void proofs(String list, AnswerRules rules) {
        for (String entry : rules.entries(Verdict.SUCCEEDED)) {
            demand(list + ".succeeded", "'" + entry + "'", "2xx only", entry.startsWith("2"));
        }
        for (String entry : rules.entries(Verdict.REJECTED)) {
            demand(list + ".rejected", "'" + entry + "'", HINT_ALLOWED, !AnswerRules.hints(entry));
            demand(list + ".rejected", "'" + entry + "'", "2xx and 4xx without 408, 425 and 429: an error of a server refuses nothing for good",
                    entry.matches("(2|4(?!08|25|29)).*"));
        }
        for (String entry : rules.entries(Verdict.NOT_EXECUTED)) {
            demand(list + ".notExecuted", "'" + entry + "'", HINT_ALLOWED, !AnswerRules.hints(entry));
            demand(list + ".notExecuted", "'" + entry + "'", "a 3xx or 4xx, or a 5xx with a word that the provider documents",
                    entry.matches("[34].*|5.. .+") && !entry.startsWith("408"));
        }
    }

    private List<String> resend(ResendRules rules) {
        int before = problems.size();
        demand("resend.max", rules.max(), "0 to 100", rules.max() >= 0 && rules.max() <= 100);
        demand("resend.max", rules.max(), "0, or one of resend.sameKey, resend.notFoundFinal and"
                        + " resend.atLeastOnceUpTo: nothing sends again without idempotency, query or acceptance",
                rules.max() == 0 || rules.sameKey() || rules.notFoundFinal() || !rules.atLeastOnceUpTo().isEmpty());
        if (rules.sameKey()) {
            sameKey(rules);
        }
        if (rules.notFoundFinal()) {
            notFoundFinal(rules);
        }
        demand("resend.retryMax", rules.retryMax(), "more than 0 exactly when resend.retryCodes lists codes, and at most 99",
                rules.retryMax() > 0 == !rules.retryCodes().isEmpty() && rules.retryMax() >= 0 && rules.retryMax() <= 99);
        demand("resend.retryDelayMs", rules.retryDelayMs(), "0 or more", rules.retryDelayMs() >= 0);
        demand("resend.retryMax", rules.retryMax(), "0, or key.maxLength (" + contract.getKey().getMaxLength() + ") and key.characters ("
                        + contract.getKey().getCharacters() + ") that take a key with -" + rules.retryMax() + " at its end",
                rules.retryMax() <= 0 || !contract.getKey().takes(0) || contract.getKey().takes(rules.retryMax()));
        for (String code : rules.retryCodes()) {
            demand("resend.retryCodes", "'" + code + "'", "a code, without blanks, that hints at no earlier request",
                    code.matches("\\S{1,100}") && !AnswerRules.hints("422 " + code));
        }
        demand("resend.atLeastOnceAcceptance", rules.acceptance() == null ? "nothing" : "'" + rules.acceptance() + "'",
                "who accepts that a payment is made twice, and why, in " + ACCEPTANCE_MIN + " characters or more, with resend.atLeastOnceUpTo",
                rules.atLeastOnceUpTo().isEmpty() || rules.acceptance() != null && rules.acceptance().length() >= ACCEPTANCE_MIN);
        List<String> own = problems.subList(before, problems.size());
        List<String> found = List.copyOf(own);
        own.clear();
        return found;
    }

    private void sameKey(ResendRules rules) {
        demand("resend.serverErrorsReplayed", false, "true with resend.sameKey: where a 5xx is executed again under the"
                + " same key, the same key pays twice", rules.serverErrorsReplayed());
        demand("resend.keyLifetimeMs", rules.keyLifetimeMs() == null ? "nothing" : rules.keyLifetimeMs(),
                "how long the provider remembers a key, with resend.sameKey", rules.keyLifetimeMs() != null && rules.keyLifetimeMs() > 0);
        if (rules.keyLifetimeMs() != null) {
            demand("resend.keyMarginMs", rules.keyMarginMs(), "0 or more, and less than resend.keyLifetimeMs (" + rules.keyLifetimeMs() + ")",
                    rules.keyMarginMs() >= 0 && rules.keyMarginMs() < rules.keyLifetimeMs());
            demand("resend.keyLifetimeMs", rules.keyLifetimeMs(), "at least resend.keyMarginMs (" + rules.keyMarginMs()
                            + ") + query.timeLimitMs (" + query.getTimeLimitMs() + "): the key must outlive the recovery",
                    rules.keyLifetimeMs() - rules.keyMarginMs() >= query.getTimeLimitMs());
        }
    }

    private void notFoundFinal(ResendRules rules) {
        demand("resend.notFoundFinal", "true with query.by " + query.getBy(),
                "query.by REFERENCE: only a query by our reference finds what was lost", query.getBy() == QueryPolicy.By.REFERENCE);
        demand("queryAnswers.notFound", "nothing", "the answer that says so, with resend.notFoundFinal",
                contract.getQueryAnswers().names(Verdict.NOT_FOUND));
        demand("resend.notFoundMin", rules.notFoundMin(), "2 or more", rules.notFoundMin() >= 2 && rules.notFoundMin() <= 1000);
        demand("resend.visibleAfterMs", rules.visibleAfterMs() == null ? "nothing" : rules.visibleAfterMs(),
                "0 or more: after which time a payment must be visible, with resend.notFoundFinal",
                rules.visibleAfterMs() != null && rules.visibleAfterMs() >= 0);
        demand("resend.arrivalLimitMs", rules.arrivalLimitMs() == null ? "nothing" : rules.arrivalLimitMs(),
                "at least send.deadlineMs (" + send.getDeadlineMs() + "): until then a request can still arrive",
                rules.arrivalLimitMs() != null && rules.arrivalLimitMs() >= send.getDeadlineMs());
        Long from = rules.absenceAfterMs();
        demand("resend.visibleAfterMs + resend.arrivalLimitMs", from,
                "less than query.timeLimitMs (" + query.getTimeLimitMs() + "): people would be asked before a not-found proves anything",
                from == null || from < query.getTimeLimitMs());
    }

    private void demand(String option, Object found, String allowed, boolean fine) {
        if (!fine) {
            problems.add("option " + option + ": found " + found + ", allowed is " + allowed);
        }
    }
}
