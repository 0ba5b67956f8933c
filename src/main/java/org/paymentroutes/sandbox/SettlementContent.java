package org.paymentroutes.sandbox;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * What goes into a settlement file.
 *
 * @param rows    the rows
 * @param counted the rows that totals, balances and payouts are made of
 * @param from    start of the period, inclusive
 * @param to      end of the period, exclusive
 * @param number  counts the files of this process
 */
record SettlementContent(List<SettlementLine> rows, List<SettlementLine> counted, Instant from, Instant to, int number) {

    /** @return the same with the rows that the format can hold */
    SettlementContent only(Predicate<SettlementLine> which) {
        return new SettlementContent(rows.stream().filter(which).toList(), counted.stream().filter(which).toList(), from, to, number);
    }

    Set<String> currencies() {
        Set<String> currencies = new TreeSet<>();
        rows.forEach(row -> currencies.add(row.currency()));
        return currencies;
    }

    /** @return the sum of what is counted */
    long sum(ToLongFunction<SettlementLine> part) {
        return counted.stream().mapToLong(part).reduce(0, Math::addExact);
    }
}
