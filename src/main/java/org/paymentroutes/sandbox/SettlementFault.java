package org.paymentroutes.sandbox;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What is wrong with a settlement file, on demand. */
public enum SettlementFault {
    /** Nothing. */
    NONE,
    /** One row is a minor unit more than the totals know. */
    OFF_BY_ONE,
    /** The file ends in the middle. */
    TRUNCATED,
    /** One movement is not in the file, and the totals do not know it either. */
    MISSING_ROW,
    /** One row is there twice. */
    DUPLICATE_ROW,
    /** One payment is there twice, under two ids of the provider. */
    TWIN,
    /** A day without any movement. */
    NO_ROWS,
    /** No byte at all. */
    EMPTY;

    /** @return the rows that are written */
    List<SettlementLine> rows(List<SettlementLine> lines) {
        List<SettlementLine> rows = new ArrayList<>(lines);
        if (this == NO_ROWS || rows.isEmpty()) {
            return List.of();
        }
        SettlementLine first = rows.get(0);
        switch (this) {
            case OFF_BY_ONE -> rows.set(0, first.withAmount(first.amount() + 1));
            case MISSING_ROW -> rows.remove(0);
            case DUPLICATE_ROW -> rows.add(first);
            case TWIN -> rows.add(first.withId(first.id() + "-b"));
            default -> {
                // Nothing is wrong with the rows.
            }
        }
        return rows;
    }

    /** @return the rows that totals, balances and payouts are made of */
    List<SettlementLine> counted(List<SettlementLine> lines) {
        return this == OFF_BY_ONE ? lines : rows(lines);
    }

    /** @return the bytes that are written */
    byte[] bytes(byte[] whole) {
        return switch (this) {
            case TRUNCATED -> Arrays.copyOf(whole, whole.length * 5 / 8);
            case EMPTY -> new byte[0];
            default -> whole;
        };
    }
}
