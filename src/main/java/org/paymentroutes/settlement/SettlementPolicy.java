package org.paymentroutes.settlement;

import java.util.TreeMap;
import java.util.Map;

/**
 * How the settlement files of one provider are read against our books, and when they are expected: a bean named
 * {@code <provider>-reconciliation} in the provider's YAML file. Without one, the defaults.
 */
public final class SettlementPolicy {

    /** What the provider has as reference of a payment. */
    public enum Reference {
        /** The key that we gave it. */
        PROVIDER_KEY,
        /** Our key, or what the caller names its order by. */
        SOURCE_REFERENCE
    }

    /** Where the money of a line is. */
    public enum Settles {
        /** At the bank. */
        LINES,
        /** At the provider, until a PAYOUT line moves it to the bank. */
        PAYOUTS,
        /** PAYOUTS for a file with PAYOUT lines, else LINES. */
        FILE
    }

    private Reference reference = Reference.PROVIDER_KEY;
    private Settles settles = Settles.FILE;
    private long lagMs;
    private Long windowMs;
    private String tolerance = "";
    private Long everyMs;
    private long lateMs = 86_400_000;
    private String payoutsArriveAt;
    private long payoutLagMs = 432_000_000;
    private Long payoutWindowMs;

    public Reference getReference() {
        return reference;
    }

    /** @param reference what the provider has as reference of a payment */
    public void setReference(Reference reference) {
        this.reference = reference;
    }

    public Settles getSettles() {
        return settles;
    }

    /** @param settles where the money of a line is */
    public void setSettles(Settles settles) {
        this.settles = settles;
    }

    /** @return how long after it was sent a payment may stand in a file at the latest, in milliseconds */
    public long getLagMs() {
        return lagMs;
    }

    public void setLagMs(long lagMs) {
        this.lagMs = lagMs;
    }

    /** @return how far the time of a line without a reference may be from its payment's, in milliseconds; null: it is not matched */
    public Long getWindowMs() {
        return windowMs;
    }

    public void setWindowMs(Long windowMs) {
        this.windowMs = windowMs;
    }

    /** @return accepted differences of an amount in minor units, such as {@code EUR 2, JPY 1}; they are booked */
    public String getTolerance() {
        return tolerance;
    }

    public void setTolerance(String tolerance) {
        this.tolerance = tolerance;
    }

    /** @return the length of the period that each file is for, in milliseconds; null: none is expected */
    public Long getEveryMs() {
        return everyMs;
    }

    public void setEveryMs(Long everyMs) {
        this.everyMs = everyMs;
    }

    /** @return how long after the end of its period a file arrives at the latest, in milliseconds */
    public long getLateMs() {
        return lateMs;
    }

    public void setLateMs(long lateMs) {
        this.lateMs = lateMs;
    }

    /**
     * @return the provider, a bank, whose statements confirm the payouts of this one: until then they are in transit; null: a
     *         payout is at the bank when the provider says so
     */
    public String getPayoutsArriveAt() {
        return payoutsArriveAt;
    }

    public void setPayoutsArriveAt(String payoutsArriveAt) {
        this.payoutsArriveAt = payoutsArriveAt == null || payoutsArriveAt.isBlank() ? null : payoutsArriveAt.strip();
    }

    /** @return how long after its time a payout may be in transit before people are asked, in milliseconds */
    public long getPayoutLagMs() {
        return payoutLagMs;
    }

    public void setPayoutLagMs(long payoutLagMs) {
        this.payoutLagMs = payoutLagMs;
    }

    /**
     * @return of a bank: how far the time of a line that names no payout may be from that of the payout of its amount, in
     *         milliseconds; null: only lines that name their payout are matched
     */
    public Long getPayoutWindowMs() {
        return payoutWindowMs;
    }

    public void setPayoutWindowMs(Long payoutWindowMs) {
        this.payoutWindowMs = payoutWindowMs;
    }

    /** @throws IllegalArgumentException naming the option, what was found and what is allowed */
    String payoutsAtBank(String provider) {
        if (payoutsArriveAt != null && payoutsArriveAt.equals(provider)) {
            throw new IllegalArgumentException("option payoutsArriveAt: found '" + provider + "' itself, allowed is the provider whose files are the bank's");
        }
        if (payoutsArriveAt != null && settles == Settles.LINES) {
            throw new IllegalArgumentException("option payoutsArriveAt: found with settles LINES, allowed with PAYOUTS or FILE: else the money is at the"
                    + " bank before its payout");
        }
        return payoutsArriveAt;
    }

    /** @throws IllegalArgumentException naming the option, what was found and what is allowed */
    Map<String, Long> tolerances() {
        Map<String, Long> found = new TreeMap<>();
        for (String one : tolerance.split(",")) {
            String[] parts = one.strip().split(" +");
            if (one.isBlank()) {
                continue;
            }
            if (parts.length != 2 || !parts[0].matches("[A-Z]{3}") || !parts[1].matches("[0-9]{1,9}")) {
                throw new IllegalArgumentException("option tolerance: found '" + one.strip() + "', allowed is a currency and minor units, such as EUR 2");
            }
            found.put(parts[0], Long.valueOf(parts[1]));
        }
        return found;
    }
}
