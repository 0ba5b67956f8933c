package org.paymentroutes.settlement.format;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Makes lines of an entry: one for each transaction in it, or one for the entry as a whole. */
final class CamtLines {

    private final BankRule bank;
    private final Consumer<SettlementLine> lines;
    private final Totalizer sums = new Totalizer(false);
    private long ordinal;

    CamtLines(BankRule bank, Consumer<SettlementLine> lines) {
        this.bank = bank;
        this.lines = lines;
    }

    Totalizer sums() {
        return sums;
    }

    /** @return a control that fails, when the entry is not the sum of its transactions; else null */
    ControlTotal emit(CamtEntry entry) {
        int count = entry.transactions.size();
        if (count == 0) {
            long fee = included(entry.charges, entry, null);
            send(entry, new CamtEntry.Transaction(), entry.signed() + fee, entry.currency, fee, entry.signed(), null);
            return null;
        }
        boolean net = partsAreNet(entry);
        long total = 0;
        for (int i = 0; i < count; i++) {
            total = Totalizer.plus(total, transaction(entry, i, net), entry.line);
        }
        // Charges of the entry may repeat those of its transactions: they count only when something is missing.
        if (count > 1 && total != entry.signed()) {
            long fee = included(entry.charges, entry, total);
            if (fee != 0) {
                SettlementLine line = new SettlementLine(++ordinal, booked(entry) ? SettlementKind.FEE : SettlementKind.IGNORED, null, false,
                        id(entry, entry.bankReference, "charges"), id(entry, entry.bankReference, "charges"), -fee, entry.currency, 0L, -fee,
                        entry.currency, -fee, entry.booked, batch(entry), raw(entry, null), Map.of());
                sums.add(line);
                lines.accept(line);
                total = Totalizer.plus(total, -fee, entry.line);
            }
        }
        String name = entry.bankReference == null ? "entry " + entry.reference : "entry " + entry.bankReference;
        if (total != entry.signed()) {
            return new ControlTotal(name, entry.currency, entry.signed(), total);
        }
        return entry.declaredTransactions != 0 && entry.declaredTransactions != count
                ? new ControlTotal(name + " transactions", null, entry.declaredTransactions, count) : null;
    }

    /** @return whether the transactions add up to the entry as they stand: then charges are taken off already */
    private static boolean partsAreNet(CamtEntry entry) {
        long parts = 0;
        for (CamtEntry.Transaction transaction : entry.transactions) {
            if (transaction.amount == null || !entry.currency.equals(transaction.currency)) {
                return false;
            }
            boolean debit = transaction.debit == null ? entry.debit : transaction.debit;
            parts = Totalizer.plus(parts, debit ? -transaction.amount : transaction.amount, entry.line);
        }
        return parts == entry.signed();
    }

    /** @return what the transaction adds to the entry's amount */
    private long transaction(CamtEntry entry, int i, boolean net) {
        CamtEntry.Transaction transaction = entry.transactions.get(i);
        boolean only = entry.transactions.size() == 1;
        boolean debit = transaction.debit == null ? entry.debit : transaction.debit;
        Long own = transaction.amount == null ? null : (debit ? -transaction.amount : transaction.amount);
        boolean same = transaction.currency == null || transaction.currency.equals(entry.currency);
        List<CamtEntry.Charge> charges = only && transaction.charges.isEmpty() ? entry.charges : transaction.charges;
        long fee = included(charges, entry, same ? own : null);
        if (own == null && !only) {
            throw new SettlementRefusedException(entry.line, "TxDtls", "a transaction of a batch without an amount", "Amt in each");
        }
        long settled = same && own != null ? (net ? own + fee : own) : only ? entry.signed() + fee : 0;
        if (!same && !only) {
            throw new SettlementRefusedException(entry.line, "TxDtls", "a transaction of a batch in another currency than the entry",
                    "amounts in " + entry.currency);
        }
        send(entry, transaction, same ? settled : own, same ? entry.currency : transaction.currency, fee, settled - fee,
                only ? null : String.valueOf(i + 1));
        return settled - fee;
    }

    /** @return the charges inside the amount of the entry; {@code parts} is what its transactions add up to, if known */
    private static long included(List<CamtEntry.Charge> charges, CamtEntry entry, Long parts) {
        long stated = 0;
        long open = 0;
        for (CamtEntry.Charge charge : charges) {
            if (charge.currency.equals(entry.currency)) {
                stated += Boolean.TRUE.equals(charge.included) ? charge.fee() : 0;
                open += charge.included == null ? charge.fee() : 0;
            }
        }
        // Without the indicator the numbers decide, and only when they fit to the cent.
        return parts != null && open != 0 && parts - stated - open == entry.signed() ? stated + open : stated;
    }

    private void send(CamtEntry entry, CamtEntry.Transaction transaction, long amount, String currency, long fee, long net, String part) {
        Map<String, String> hints = new LinkedHashMap<>();
        hint(hints, "status", entry.status);
        hint(hints, "entry", entry.reference);
        hint(hints, "valueDate", entry.valueDate);
        hint(hints, "reason", transaction.returnReason);
        long outside = Stream.concat(entry.charges.stream(), transaction.charges.stream())
                .filter(charge -> Boolean.FALSE.equals(charge.included)).mapToLong(CamtEntry.Charge::fee).sum();
        hint(hints, "chargesNotIncludedMinor", outside == 0 || part != null ? null : String.valueOf(outside));
        hint(hints, "transactions", part == null && entry.declaredTransactions > 1 ? String.valueOf(entry.declaredTransactions) : null);
        hint(hints, "payout", bank.payouts(transaction.text, transaction.endToEnd, transaction.references, entry.info));
        if (bank.keepText() && transaction.text != null) {
            hints.put("text", Kept.freeText(transaction.text, 140));
        }
        String id = transaction.bankReference != null && !transaction.bankReference.equals(entry.bankReference) ? transaction.bankReference
                : transaction.transactionId != null ? transaction.transactionId : id(entry, entry.bankReference, part);
        SettlementKind kind = kind(entry, transaction);
        hint(hints, "original", kind == SettlementKind.RETURN ? transaction.endToEnd : null);
        SettlementLine line = new SettlementLine(++ordinal, kind, bounded(transaction.endToEnd), false, bounded(id),
                bounded(id), amount, currency, fee, net, entry.currency, net + fee, entry.booked, part == null ? null : batch(entry),
                raw(entry, transaction), hints);
        sums.add(line);
        lines.accept(line);
    }

    private SettlementKind kind(CamtEntry entry, CamtEntry.Transaction transaction) {
        if (!booked(entry)) {
            return SettlementKind.IGNORED;
        }
        Set<String> codes = CamtEntry.codes(entry.codes);
        codes.addAll(CamtEntry.codes(transaction.codes));
        SettlementKind kind = bank.kind(codes);
        if (kind != null) {
            return kind;
        }
        return entry.reversal || transaction.returnReason != null ? SettlementKind.RETURN : SettlementKind.PAYMENT;
    }

    private static boolean booked(CamtEntry entry) {
        return entry.status.equals("BOOK");
    }

    private static String batch(CamtEntry entry) {
        return bounded(entry.bankReference == null ? entry.reference : entry.bankReference);
    }

    private static String id(CamtEntry entry, String reference, String part) {
        return reference == null || reference.isEmpty() ? null : part == null ? reference : reference + "/" + part;
    }

    private static void hint(Map<String, String> hints, String name, String text) {
        if (text != null && !text.isEmpty()) {
            hints.put(name, Kept.text(text, 140));
        }
    }

    private static String raw(CamtEntry entry, CamtEntry.Transaction transaction) {
        StringBuilder raw = new StringBuilder().append(entry.reference == null ? "" : entry.reference).append(' ')
                .append(entry.bankReference == null ? "" : entry.bankReference).append(' ').append(entry.debit ? "DBIT " : "CRDT ")
                .append(entry.reversal ? "reversal " : "").append(entry.status);
        CamtEntry.codes(entry.codes).forEach(code -> raw.append(' ').append(code));
        if (transaction != null && transaction.endToEnd != null) {
            raw.append(' ').append(transaction.endToEnd);
        }
        return Kept.text(raw, SettlementLine.RAW_MAX);
    }

    private static String bounded(String id) {
        return id == null || id.isEmpty() ? null : Kept.text(id, 255);
    }
}
