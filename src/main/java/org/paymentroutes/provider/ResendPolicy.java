package org.paymentroutes.provider;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What the provider promises about sending a payment again, and what we accept: options {@code resend.*} for all
 * operations, {@code charge.resend.*}, {@code payout.resend.*} and {@code refund.resend.*} for one. What is set for an
 * operation stands over what is set for all. All times in milliseconds.
 */
public final class ResendPolicy {

    private Boolean sameKey;
    private Long keyLifetimeMs;
    private Long keyMarginMs;
    private Boolean serverErrorsReplayed;
    private Boolean notFoundFinal;
    private Integer notFoundMin;
    private Long visibleAfterMs;
    private Long arrivalLimitMs;
    private List<String> retryCodes;
    private Integer retryMax;
    private Long retryDelayMs;
    private Map<String, BigDecimal> atLeastOnceUpTo;
    private String atLeastOnceAcceptance;
    private Integer max;

    /** @param sameKey the provider gives the same answer to the same key and never executes it a second time */
    public void setSameKey(boolean sameKey) {
        this.sameKey = sameKey;
    }

    /** @param keyLifetimeMs how long the provider remembers a key, since the first send, as its documentation says */
    public void setKeyLifetimeMs(long keyLifetimeMs) {
        this.keyLifetimeMs = keyLifetimeMs;
    }

    /** @param keyMarginMs how long before the end of its lifetime a key is no longer trusted */
    public void setKeyMarginMs(long keyMarginMs) {
        this.keyMarginMs = keyMarginMs;
    }

    /** @param serverErrorsReplayed a 5xx that the provider has stored under a key is repeated, not executed again */
    public void setServerErrorsReplayed(boolean serverErrorsReplayed) {
        this.serverErrorsReplayed = serverErrorsReplayed;
    }

    /** @param notFoundFinal several not-founds by our reference, late enough, prove that there is nothing */
    public void setNotFoundFinal(boolean notFoundFinal) {
        this.notFoundFinal = notFoundFinal;
    }

    /** @param notFoundMin how many not-founds it takes */
    public void setNotFoundMin(int notFoundMin) {
        this.notFoundMin = notFoundMin;
    }

    /** @param visibleAfterMs the longest time after which an executed payment is visible to the query */
    public void setVisibleAfterMs(long visibleAfterMs) {
        this.visibleAfterMs = visibleAfterMs;
    }

    /** @param arrivalLimitMs the longest time after which a request that left can still arrive; at least the deadline */
    public void setArrivalLimitMs(long arrivalLimitMs) {
        this.arrivalLimitMs = arrivalLimitMs;
    }

    /** @param retryCodes codes of final refusals after which a try under a new key is worth it, for example a daily limit */
    public void setRetryCodes(String retryCodes) {
        this.retryCodes = retryCodes.isBlank() ? List.of() : Arrays.stream(retryCodes.split(",")).map(String::strip).toList();
    }

    /** @param retryMax how many new keys a payment gets at most */
    public void setRetryMax(int retryMax) {
        this.retryMax = retryMax;
    }

    /** @param retryDelayMs wait before such a try */
    public void setRetryDelayMs(long retryDelayMs) {
        this.retryDelayMs = retryDelayMs;
    }

    /** @param amounts up to these amounts a payment that may have moved is sent again, for example {@code EUR=5.00,JPY=500} */
    public void setAtLeastOnceUpTo(String amounts) {
        Map<String, BigDecimal> parsed = new TreeMap<>();
        for (String entry : amounts.isBlank() ? new String[0] : amounts.split(",")) {
            String text = entry.strip();
            if (!text.matches("[A-Z]{3}=[0-9]{1,12}(\\.[0-9]{1,4})?")) {
                throw new IllegalArgumentException("Option atLeastOnceUpTo: found '" + text
                        + "', allowed is a currency and an amount such as EUR=5.00, entries separated by commas");
            }
            parsed.put(text.substring(0, 3), new BigDecimal(text.substring(4)));
        }
        atLeastOnceUpTo = parsed;
    }

    /** @param words who accepts that such a payment may be made twice, and why; kept with the contract */
    public void setAtLeastOnceAcceptance(String words) {
        atLeastOnceAcceptance = words.strip();
    }

    /** @param max how often automation sends a payment again at most; 0 never */
    public void setMax(int max) {
        this.max = max;
    }

    /** @return what holds where these options stand over others, with the defaults of what neither sets */
    ResendRules over(ResendPolicy all) {
        Long lifetime = first(all, policy -> policy.keyLifetimeMs, null);
        List<String> codes = first(all, policy -> policy.retryCodes, List.of());
        boolean same = first(all, policy -> policy.sameKey, false);
        boolean absent = first(all, policy -> policy.notFoundFinal, false);
        Map<String, BigDecimal> duplicates = first(all, policy -> policy.atLeastOnceUpTo, Map.of());
        return new ResendRules(same, lifetime,
                first(all, policy -> policy.keyMarginMs, lifetime == null ? null : lifetime / 10),
                first(all, policy -> policy.serverErrorsReplayed, false),
                absent, first(all, policy -> policy.notFoundMin, 3),
                first(all, policy -> policy.visibleAfterMs, null), first(all, policy -> policy.arrivalLimitMs, null),
                codes, first(all, policy -> policy.retryMax, codes.isEmpty() ? 0 : 1), first(all, policy -> policy.retryDelayMs, 60_000L),
                duplicates, first(all, policy -> policy.atLeastOnceAcceptance, null),
                first(all, policy -> policy.max, same || absent || !duplicates.isEmpty() ? 3 : 0));
    }

    private <T> T first(ResendPolicy all, Function<ResendPolicy, T> option, T otherwise) {
        T own = option.apply(this);
        T common = own != null ? own : option.apply(all);
        return common != null ? common : otherwise;
    }
}
