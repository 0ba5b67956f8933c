package org.paymentroutes.provider;

import java.math.BigDecimal;
import java.util.Currency;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How much money of a provider may be in doubt before claiming stops by itself. It resumes by itself when the doubt has
 * fallen, or for a bounded time by an operator.
 */
public final class ExposurePolicy {

    private int maxCount;
    private String maxAmount = "";
    private int resumePercent = 80;

    public int getMaxCount() {
        return maxCount;
    }

    /** @param maxCount so many payments of one currency may be in doubt; 0 is no limit */
    public void setMaxCount(int maxCount) {
        this.maxCount = maxCount;
    }

    public String getMaxAmount() {
        return maxAmount;
    }

    /** @param maxAmount so much money may be in doubt, by currency, as in {@code EUR=10000.00, JPY=1000000}; empty is no limit */
    public void setMaxAmount(String maxAmount) {
        this.maxAmount = maxAmount;
    }

    public int getResumePercent() {
        return resumePercent;
    }

    /** @param resumePercent claiming resumes when the doubt has fallen to this share of the limit, 1 to 99 */
    public void setResumePercent(int resumePercent) {
        this.resumePercent = resumePercent;
    }

    /** @return whether the list of amounts can be read, with currencies that exist and no more digits than they have */
    boolean isReadable() {
        try {
            amounts();
            return true;
        }
        catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * @return the largest amounts in major units, by currency
     * @throws IllegalArgumentException when the list cannot be read
     */
    private Map<String, BigDecimal> amounts() {
        Map<String, BigDecimal> amounts = new LinkedHashMap<>();
        for (String entry : maxAmount.isBlank() ? new String[0] : maxAmount.split(",")) {
            String[] parts = entry.strip().split("=");
            if (parts.length != 2 || !parts[1].matches("[0-9]{1,15}(\\.[0-9]{1,4})?")) {
                throw new IllegalArgumentException("not CURRENCY=amount");
            }
            BigDecimal amount = new BigDecimal(parts[1]);
            Currency currency = Currency.getInstance(parts[0]);
            if (amount.signum() == 0 || amount.scale() > Math.max(0, currency.getDefaultFractionDigits())
                    || amounts.put(currency.getCurrencyCode(), amount) != null) {
                throw new IllegalArgumentException("not an amount of this currency, or given twice");
            }
        }
        return amounts;
    }

    /** @return the largest amounts as a JSON object: major units as text, by currency */
    String amountsJson() {
        return amounts().entrySet().stream().map(entry -> "\"" + entry.getKey() + "\":\"" + entry.getValue().toPlainString() + "\"")
                .collect(Collectors.joining(",", "{", "}"));
    }
}
