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

    /** @param account our merchant account at the provider */
    public void setAccount(String account) {
        this.account = account;
    }

    /** @return whether the submit route sends a REFUND as one; otherwise none is accepted */
    public boolean isRefunds() {
        return refunds;
    }

    /** @param refunds whether the submit route sends a REFUND as one */
    public void setRefunds(boolean refunds) {
        this.refunds = refunds;
    }

    /** @return how requests are sent, and when sending stops */
    public SendPolicy getSend() {
        return send;
    }

    /** @return how and how often payments are asked about */
    public QueryPolicy getQuery() {
        return query;
    }

    /** @return the idempotency key as it is sent */
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

    /** @return where answers carry what we compare */
    public AnswerFields getFields() {
        return fields;
    }

    /** @return how amounts are written in requests and answers */
    public AmountFormat getAmounts() {
        return amounts;
    }

    /** @return which answers to a request prove what */
    public AnswerRules getSubmitAnswers() {
        return submitAnswers;
    }

    /** @return which answers to a query prove what */
    public AnswerRules getQueryAnswers() {
        return queryAnswers;
    }

    /** @return what holds for this operation */
    ResendRules rules(Operation operation) {
        return operations.get(operation).getResend().over(resend);
    }

    /** @return whether and how the provider tells by itself */
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
