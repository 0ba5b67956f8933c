package org.paymentroutes.settlement.format;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** One entry of a statement while it is read. */
final class CamtEntry {

    final long line;
    final List<Transaction> transactions = new ArrayList<>();
    final List<Charge> charges = new ArrayList<>();
    final List<String> codes = Arrays.asList("", "", "", "");
    String reference;
    String bankReference;
    String currency;
    Long amount;
    Boolean debit;
    boolean reversal;
    String status = "";
    Instant booked;
    String valueDate;
    /** What the bank writes to the entry; not kept, for what the contract looks for in it. */
    String info;
    int declaredTransactions;

    CamtEntry(long line) {
        this.line = line;
    }

    Transaction transaction() {
        if (transactions.size() >= 100_000) {
            throw new SettlementRefusedException(line, "TxDtls", "more than 100000 transactions in one entry", "fewer");
        }
        Transaction transaction = new Transaction();
        transactions.add(transaction);
        return transaction;
    }

    long signed() {
        return debit ? -amount : amount;
    }

    /** @return the codes of an entry or a transaction: domain/family/sub-family, and the bank's own */
    static Set<String> codes(List<String> codes) {
        Set<String> all = new LinkedHashSet<>();
        if (!codes.get(0).isEmpty()) {
            all.add(String.join("/", codes.subList(0, 3)));
        }
        if (!codes.get(3).isEmpty()) {
            all.add(codes.get(3));
        }
        return all;
    }

    /** One transaction in an entry. */
    static final class Transaction {
        final List<Charge> charges = new ArrayList<>();
        final List<String> codes = Arrays.asList("", "", "", "");
        String endToEnd;
        String bankReference;
        String transactionId;
        String currency;
        Long amount;
        Boolean debit;
        String returnReason;
        String text;
        /** References of the sender that are not kept, for what the contract looks for in them. */
        String references;
    }

    /** A charge of the bank. */
    static final class Charge {
        String currency;
        Long amount;
        boolean credit;
        /** Whether the entry's amount contains it; null when the file does not say. */
        Boolean included;

        /** @return what we pay */
        long fee() {
            return credit ? -amount : amount;
        }
    }
}
