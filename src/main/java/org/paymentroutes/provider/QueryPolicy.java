package org.paymentroutes.provider;

import java.util.Arrays;

/** Whether and when a provider is asked what became of a payment. All times in milliseconds. */
public final class QueryPolicy {

    /** By what a provider finds a payment. */
    public enum By {
        /** By our reference: an answer that was lost can be asked for. */
        REFERENCE,
        /** By the provider's own id only: of no help when the answer with the id was lost. */
        PROVIDER_ID,
        /** It cannot be asked. */
        NONE
    }

    private By by = By.REFERENCE;
    private int quietMs = 120_000;
    private int[] delaysMs = {120_000, 300_000, 900_000};
    private double jitter = 0.2;
    private int inconclusiveMax = 3;
    private long timeLimitMs = 1_800_000;
    private int reviewDelayMs = 3_600_000;
    private int parallel = 4;
    private long retentionMs;
    private int ratePerMinute;

    /** @return by what the provider finds a payment */
    public By getBy() {
        return by;
    }

    /** @param by by what the provider finds a payment */
    public void setBy(By by) {
        this.by = by;
    }

    public int getQuietMs() {
        return quietMs;
    }

    /** @param quietMs how long a new UNKNOWN is left alone before the first query */
    public void setQuietMs(int quietMs) {
        this.quietMs = quietMs;
    }

    public int[] getDelaysMs() {
        return delaysMs.clone();
    }

    /** @param delays waits between queries; the last one repeats */
    public void setDelaysMs(String delays) {
        delaysMs = Arrays.stream(delays.split(",")).mapToInt(text -> Integer.parseInt(text.strip())).toArray();
    }

    public double getJitter() {
        return jitter;
    }

    /** @param jitter share of a wait by which it varies at random, 0 to 1 */
    public void setJitter(double jitter) {
        this.jitter = jitter;
    }

    public int getInconclusiveMax() {
        return inconclusiveMax;
    }

    /** @param inconclusiveMax after so many inconclusive answers, and the time limit, people decide */
    public void setInconclusiveMax(int inconclusiveMax) {
        this.inconclusiveMax = inconclusiveMax;
    }

    public long getTimeLimitMs() {
        return timeLimitMs;
    }

    /** @param timeLimitMs time since the first send after which people are asked */
    public void setTimeLimitMs(long timeLimitMs) {
        this.timeLimitMs = timeLimitMs;
    }

    public int getReviewDelayMs() {
        return reviewDelayMs;
    }

    /** @param reviewDelayMs wait between queries while people look at it: REVIEW ends automation, not observation */
    public void setReviewDelayMs(int reviewDelayMs) {
        this.reviewDelayMs = reviewDelayMs;
    }

    public int getParallel() {
        return parallel;
    }

    /** @param parallel queries on the wire at the same time */
    public void setParallel(int parallel) {
        this.parallel = parallel;
    }

    public long getRetentionMs() {
        return retentionMs;
    }

    /** @param retentionMs how long after a payment the provider still knows it; 0 when it does not say */
    public void setRetentionMs(long retentionMs) {
        this.retentionMs = retentionMs;
    }

    public int getRatePerMinute() {
        return ratePerMinute;
    }

    /** @param ratePerMinute queries of all nodes together in a minute; 0 for no limit */
    public void setRatePerMinute(int ratePerMinute) {
        this.ratePerMinute = ratePerMinute;
    }
}
