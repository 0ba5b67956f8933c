package org.paymentroutes.provider;

/** How payments are sent to a provider. All times in milliseconds. */
public final class SendPolicy {

    private int workers = 16;
    private int deadlineMs = 10_000;
    private int leaseMs = 60_000;
    private int ratePerSecond;
    private int backoffBaseMs = 1_000;
    private int backoffCapMs = 300_000;
    private long retryAfterCapMs = 3_600_000;
    private long timeLimitMs = 1_800_000;
    private int circuitFailurePercent = 50;
    private int circuitWindow = 20;
    private int circuitOpenMs = 10_000;
    private int pollMs = 1_000;

    public int getWorkers() {
        return workers;
    }

    /** @param workers requests on the wire at the same time, for each node */
    public void setWorkers(int workers) {
        this.workers = workers;
    }

    public int getDeadlineMs() {
        return deadlineMs;
    }

    /** @param deadlineMs from the start of an attempt to the last byte of its answer */
    public void setDeadlineMs(int deadlineMs) {
        this.deadlineMs = deadlineMs;
    }

    public int getLeaseMs() {
        return leaseMs;
    }

    /** @param leaseMs how long one worker owns a claimed payment; longer than the deadline with room to record */
    public void setLeaseMs(int leaseMs) {
        this.leaseMs = leaseMs;
    }

    public int getRatePerSecond() {
        return ratePerSecond;
    }

    /** @param ratePerSecond claims for each second and node; 0 for no limit */
    public void setRatePerSecond(int ratePerSecond) {
        this.ratePerSecond = ratePerSecond;
    }

    public int getBackoffBaseMs() {
        return backoffBaseMs;
    }

    /** @param backoffBaseMs first wait after an attempt that provably did not execute; doubles, with full jitter */
    public void setBackoffBaseMs(int backoffBaseMs) {
        this.backoffBaseMs = backoffBaseMs;
    }

    public int getBackoffCapMs() {
        return backoffCapMs;
    }

    /** @param backoffCapMs the longest of these waits, but for a Retry-After */
    public void setBackoffCapMs(int backoffCapMs) {
        this.backoffCapMs = backoffCapMs;
    }

    public long getRetryAfterCapMs() {
        return retryAfterCapMs;
    }

    /** @param retryAfterCapMs the longest Retry-After that is obeyed */
    public void setRetryAfterCapMs(long retryAfterCapMs) {
        this.retryAfterCapMs = retryAfterCapMs;
    }

    public long getTimeLimitMs() {
        return timeLimitMs;
    }

    /** @param timeLimitMs time since acceptance after which a payment that could not be sent goes to people */
    public void setTimeLimitMs(long timeLimitMs) {
        this.timeLimitMs = timeLimitMs;
    }

    public int getCircuitFailurePercent() {
        return circuitFailurePercent;
    }

    /** @param circuitFailurePercent share of failed attempts in the window at which claiming stops */
    public void setCircuitFailurePercent(int circuitFailurePercent) {
        this.circuitFailurePercent = circuitFailurePercent;
    }

    public int getCircuitWindow() {
        return circuitWindow;
    }

    /** @param circuitWindow number of last attempts that the share is taken of */
    public void setCircuitWindow(int circuitWindow) {
        this.circuitWindow = circuitWindow;
    }

    public int getCircuitOpenMs() {
        return circuitOpenMs;
    }

    /** @param circuitOpenMs how long claiming stays stopped before a few payments try again */
    public void setCircuitOpenMs(int circuitOpenMs) {
        this.circuitOpenMs = circuitOpenMs;
    }

    public int getPollMs() {
        return pollMs;
    }

    /** @param pollMs how often the outbox is looked at when nothing was recorded on this node */
    public void setPollMs(int pollMs) {
        this.pollMs = pollMs;
    }
}
