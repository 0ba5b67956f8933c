package org.paymentroutes.provider;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a provider promises and how we deal with it: a bean in the provider's YAML file. Everything automation does
 * with a payment follows from here.
 */
public final class ProviderContract {

    private String account;
    private boolean refunds;
    private final SendPolicy send = new SendPolicy();
    private final QueryPolicy query = new QueryPolicy();
    private final KeyPolicy key = new KeyPolicy();
    private final ResendPolicy resend = new ResendPolicy();
    private final Map<Operation, OperationPolicy> operations = new EnumMap<>(Operation.class);
    private final ExposurePolicy exposure = new ExposurePolicy();
    private final AnswerFields fields = new AnswerFields();
    private final AmountFormat amounts = new AmountFormat();
    private final AnswerRules submitAnswers = new AnswerRules();
    private final AnswerRules queryAnswers = new AnswerRules();
    private final WebhookPolicy webhook = new WebhookPolicy();

    /** Makes a contract of defaults. */
    public ProviderContract() {
        for (Operation operation : Operation.values()) {
            operations.put(operation, new OperationPolicy());
        }
    }

    /** @return our merchant account at the provider; part of what makes its payment ids unique */
    public String getAccount() {
        return account;
    }

    public void setAccount(String account) {
        this.account = account;
    }

    /** @return whether the submit route sends a REFUND as one; otherwise none is accepted */
    public boolean isRefunds() {
        return refunds;
    }

    public void setRefunds(boolean refunds) {
        this.refunds = refunds;
    }

    public SendPolicy getSend() {
        return send;
    }

    public QueryPolicy getQuery() {
        return query;
    }

    public KeyPolicy getKey() {
        return key;
    }

    /** @return what holds for all operations, where none says otherwise */
    public ResendPolicy getResend() {
        return resend;
    }

    /** @return what differs for charges */
    public OperationPolicy getCharge() {
        return operations.get(Operation.CHARGE);
    }

    /** @return what differs for payouts */
    public OperationPolicy getPayout() {
        return operations.get(Operation.PAYOUT);
    }

    /** @return what differs for refunds */
    public OperationPolicy getRefund() {
        return operations.get(Operation.REFUND);
    }

    /** @return how much money may be in doubt before nothing more is sent */
    public ExposurePolicy getExposure() {
        return exposure;
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

    /** @return what holds for this operation */
    ResendRules rules(Operation operation) {
        return operations.get(operation).getResend().over(resend);
    }

    public WebhookPolicy getWebhook() {
        return webhook;
    }

    /**
     * Refuses what cannot be right.
     *
     * @param file     where it stands, for the message; null when it is not from a file
     * @param provider name of the provider, for the message
     * @throws ContractRefusedException naming each option, what was found and what is allowed
     */
    public void check(String file, String provider) {
        List<String> problems = new ContractCheck(provider, this).problems();
        if (!problems.isEmpty()) {
            throw new ContractRefusedException(file, provider, problems);
        }
    }
}
