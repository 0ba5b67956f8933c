package org.paymentroutes.provider;

/**
 * What a provider promises and how we deal with it: a bean in the provider's YAML file. Everything automation does
 * with a payment follows from here.
 */
public final class ProviderContract {

    private String account;
    private final SendPolicy send = new SendPolicy();
    private final QueryPolicy query = new QueryPolicy();
    private final AnswerFields fields = new AnswerFields();
    private final AmountFormat amounts = new AmountFormat();
    private final AnswerRules submitAnswers = new AnswerRules();
    private final AnswerRules queryAnswers = new AnswerRules();

    /** @return our merchant account at the provider; part of what makes its payment ids unique */
    public String getAccount() {
        return account;
    }

    public void setAccount(String account) {
        this.account = account;
    }

    public SendPolicy getSend() {
        return send;
    }

    public QueryPolicy getQuery() {
        return query;
    }

    public AnswerFields getFields() {
        return fields;
    }

    public AmountFormat getAmounts() {
        return amounts;
    }

    public AnswerRules getSubmitAnswers() {
        return submitAnswers;
    }

    public AnswerRules getQueryAnswers() {
        return queryAnswers;
    }

    /**
     * Refuses what cannot be right.
     *
     * @param provider name of the provider, for the message
     * @throws IllegalArgumentException naming the option, what was found and what is allowed
     */
    public void check(String provider) {
        demand(provider, "account", account, "a name", account != null && !account.isBlank());
        demand(provider, "send.workers", send.getWorkers(), "1 to 2000", send.getWorkers() >= 1 && send.getWorkers() <= 2000);
        demand(provider, "send.deadlineMs", send.getDeadlineMs(), "100 or more", send.getDeadlineMs() >= 100);
        demand(provider, "send.leaseMs", send.getLeaseMs(), "at least send.deadlineMs (" + send.getDeadlineMs() + ") + 1000",
                send.getLeaseMs() >= send.getDeadlineMs() + 1000);
        demand(provider, "send.backoffBaseMs", send.getBackoffBaseMs(), "1 to send.backoffCapMs",
                send.getBackoffBaseMs() >= 1 && send.getBackoffBaseMs() <= send.getBackoffCapMs());
        demand(provider, "send.ratePerSecond", send.getRatePerSecond(), "0 (no limit) or more", send.getRatePerSecond() >= 0);
        demand(provider, "query.quietMs", query.getQuietMs(), "0 or more", query.getQuietMs() >= 0);
        demand(provider, "query.jitter", query.getJitter(), "0 to 1", query.getJitter() >= 0 && query.getJitter() <= 1);
        demand(provider, "submitAnswers.succeeded", "nothing", "a list such as '200 SUCCEEDED'", submitAnswers.names(Verdict.SUCCEEDED)
                || submitAnswers.names(Verdict.ACCEPTED));
        demand(provider, "queryAnswers.succeeded", "nothing", "a list such as '200 SUCCEEDED', or query.by NONE",
                query.getBy() == QueryPolicy.By.NONE || queryAnswers.names(Verdict.SUCCEEDED));
        demand(provider, "submitAnswers.succeeded", "a success that names no reference (fields.reference is empty)",
                "a JSON pointer in fields.reference", fields.getReference() != null);
    }

    private static void demand(String provider, String option, Object found, String allowed, boolean fine) {
        if (!fine) {
            throw new IllegalArgumentException("Provider " + provider + ", option " + option + ": found " + found
                    + ", allowed is " + allowed);
        }
    }
}
