package org.paymentroutes.settlement.format;

import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What one statement says of itself, and what its entries come to, in minor units by currency. */
final class CamtSums {

    /** By {@code element/element} as it is written, such as {@code TtlCdtNtries/Sum}. */
    final Map<String, String> summary = new LinkedHashMap<>();
    String id;
    String account;
    String currency;
    /** The direction of the declared net of all entries; null when the file does not say. */
    Boolean netDebit;
    Instant from;
    Instant to;

    private final List<Balance> balances = new ArrayList<>();
    private final Map<String, Long> booked = new TreeMap<>();
    private final Map<String, Long> debits = new TreeMap<>();
    private final Map<String, Long> credits = new TreeMap<>();
    private long debitEntries;
    private long creditEntries;

    /** One balance of the account. */
    static final class Balance {
        String code = "";
        String currency;
        Long amount;
        boolean debit;
        LocalDate date;

        long signed() {
            return debit ? -amount : amount;
        }
    }

    void add(Balance balance, long line) {
        if (balance.amount == null) {
            throw new SettlementRefusedException(line, "Bal", "a balance without an amount", "Amt with a currency");
        }
        balances.add(balance);
    }

    void add(CamtEntry entry, long line) {
        if (entry.debit) {
            debitEntries++;
        }
        else {
            creditEntries++;
        }
        if (entry.status.equals("BOOK")) {
            booked.merge(entry.currency, entry.signed(), (a, b) -> Totalizer.plus(a, b, line));
        }
        (entry.debit ? debits : credits).merge(entry.currency, entry.amount, (a, b) -> Totalizer.plus(a, b, line));
    }

    /** @return the first balance; null when there is none */
    Balance opening() {
        return find(false, "OPBD", "PRCD", "ITBD");
    }

    /** @return the last balance; null when there is none */
    Balance closing() {
        return find(true, "CLBD", "ITBD");
    }

    private Balance find(boolean fromEnd, String... codes) {
        for (String code : codes) {
            List<Balance> found = balances.stream().filter(one -> one.code.equals(code)).toList();
            if (!found.isEmpty()) {
                return found.get(fromEnd ? found.size() - 1 : 0);
            }
        }
        return null;
    }

    /** @return the sum of the booked entries in this currency, signed */
    long booked(String code) {
        return booked.getOrDefault(code, 0L);
    }

    /** Refuses balances and booked entries in another currency than the account's: no balance would tell of them. */
    void oneCurrency(long line) {
        Balance one = opening() != null ? opening() : closing();
        String account = currency != null ? currency : one == null ? null : one.currency;
        for (Balance balance : new Balance[] {opening(), closing()}) {
            if (account != null && balance != null && !account.equals(balance.currency)) {
                throw new SettlementRefusedException(line, "Bal", "a balance in " + balance.currency, account + " as the account");
            }
        }
        for (String other : booked.keySet()) {
            if (account != null && !account.equals(other)) {
                throw new SettlementRefusedException(line, "Ntry", "entries in " + other, account + " as the account");
            }
        }
    }

    /** @return each number and sum that the statement declares, with what was counted */
    List<ControlTotal> declared(CamtValues values, long line) {
        String ccy = currency != null ? currency : booked.keySet().stream().findFirst().orElse(null);
        List<ControlTotal> controls = new ArrayList<>();
        summary.forEach((name, declared) -> {
            if (name.endsWith("NbOfNtries")) {
                controls.add(new ControlTotal(name, null, values.number(declared, line), of(name, debitEntries, creditEntries, line)));
            }
            else if (ccy != null) {
                controls.add(sum(name, ccy, values.money(declared, ccy, line), line));
            }
        });
        return controls;
    }

    private ControlTotal sum(String name, String ccy, long told, long line) {
        long debit = debits.getOrDefault(ccy, 0L);
        long credit = credits.getOrDefault(ccy, 0L);
        if (name.startsWith("TtlNet") || name.endsWith("TtlNetNtryAmt")) {
            long net = credit - debit;
            // Without a direction only the size is told.
            return new ControlTotal(name, ccy, Boolean.TRUE.equals(netDebit) ? -told : told, netDebit == null ? Math.abs(net) : net);
        }
        return new ControlTotal(name, ccy, told, of(name, debit, credit, line));
    }

    /** @return what the total of this name counts: all, credits or debits */
    private static long of(String name, long debit, long credit, long line) {
        return name.startsWith("TtlNtries") ? Totalizer.plus(credit, debit, line) : name.startsWith("TtlCdt") ? credit : debit;
    }
}
