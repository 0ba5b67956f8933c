package org.paymentroutes.settlement.format;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Adds up minor units by currency, and refuses what would not fit. */
final class Totalizer {

    private static final int MAX_BATCHES = 100_000;

    private final Map<String, Long> entries = new TreeMap<>();
    private final Map<String, long[]> batches = new LinkedHashMap<>();
    private final boolean payouts;
    private long count;

    /** @param payouts whether lines of a batch must add up to the payout with the batch's id */
    Totalizer(boolean payouts) {
        this.payouts = payouts;
    }

    /** Takes a line into the sums. */
    void add(SettlementLine line) {
        count++;
        Long value = net(line);
        if (line.kind() == SettlementKind.IGNORED || value == null) {
            return;
        }
        entries.merge(line.settleCurrency(), value, (a, b) -> plus(a, b, line.lineNo()));
        if (payouts && line.batchId() != null) {
            String batch = line.batchId() + " " + line.settleCurrency();
            if (batches.size() >= MAX_BATCHES && !batches.containsKey(batch)) {
                throw new SettlementRefusedException(line.lineNo(), null, "more than " + MAX_BATCHES + " payouts", "fewer");
            }
            long[] sums = batches.computeIfAbsent(batch, name -> new long[3]);
            if (line.kind() == SettlementKind.PAYOUT) {
                sums[0] = plus(sums[0], -value, line.lineNo());
                sums[2]++;
            }
            else {
                sums[1] = plus(sums[1], value, line.lineNo());
            }
        }
    }

    /** @return what the line changes on the account, or null when it does not tell */
    private static Long net(SettlementLine line) {
        if (line.netMinor() != null) {
            return line.netMinor();
        }
        if (line.settleAmountMinor() == null) {
            return null;
        }
        return line.settleAmountMinor() - (line.feeMinor() == null ? 0 : line.feeMinor());
    }

    static long plus(long a, long b, long line) {
        try {
            return Math.addExact(a, b);
        }
        catch (ArithmeticException e) {
            throw new SettlementRefusedException(line, null, "amounts whose sum does not fit into 64 bits", "smaller amounts");
        }
    }

    long count() {
        return count;
    }

    Map<String, Long> entries() {
        return entries;
    }

    /** @return for each payout that is in the file: its amount against the sum of its lines */
    List<ControlTotal> payouts() {
        List<ControlTotal> controls = new ArrayList<>();
        batches.forEach((batch, sums) -> {
            if (sums[2] > 0) {
                int space = batch.lastIndexOf(' ');
                controls.add(new ControlTotal("payout " + batch.substring(0, space), batch.substring(space + 1), sums[0], sums[1]));
            }
        });
        return controls;
    }
}
