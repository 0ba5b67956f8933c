package org.paymentroutes.settlement.format;

import java.util.EnumMap;
import java.util.Map;

/**
 * What the settlement files of one provider look like: a bean named {@code <provider>-settlement} in a YAML file. Nothing is
 * guessed: what the contract does not name is refused.
 */
public final class SettlementContract {

    /** The family of formats. */
    public enum Format {
        /** Lines of cells with a header. */
        DELIMITED,
        /** ISO 20022 camt.053 and camt.054. */
        CAMT,
        /** SWIFT MT940 and MT942. */
        SWIFT
    }

    private Format format = Format.DELIMITED;
    private final TextFormat text = new TextFormat();
    private final MoneyFormat money = new MoneyFormat();
    private final TimeFormat time = new TimeFormat();
    private final RowRule row = new RowRule();
    private final Map<SettlementKind, RowRule> kinds = new EnumMap<>(SettlementKind.class);
    private final TotalsRule totals = new TotalsRule();
    private final PeriodRule period = new PeriodRule();
    private final BankRule bank = new BankRule();
    private final ArchiveRule archive = new ArchiveRule();

    /** Makes a contract of defaults. */
    public SettlementContract() {
        for (SettlementKind kind : SettlementKind.values()) {
            kinds.put(kind, new RowRule());
        }
    }

    public Format getFormat() {
        return format;
    }

    /** @param format the family of formats */
    public void setFormat(Format format) {
        this.format = format;
    }

    /** @return how the text is divided into rows and cells */
    public TextFormat getText() {
        return text;
    }

    /** @return how amounts are written */
    public MoneyFormat getMoney() {
        return money;
    }

    /** @return how times are written, and in which zone */
    public TimeFormat getTime() {
        return time;
    }

    /** @return where parts stand in rows of all kinds */
    public RowRule getRow() {
        return row;
    }

    /** @return where parts stand in rows of kind PAYMENT */
    public RowRule getPayment() {
        return kinds.get(SettlementKind.PAYMENT);
    }

    /** @return where parts stand in rows of kind REFUND */
    public RowRule getRefund() {
        return kinds.get(SettlementKind.REFUND);
    }

    /** @return where parts stand in rows of kind FEE */
    public RowRule getFee() {
        return kinds.get(SettlementKind.FEE);
    }

    /** @return where parts stand in rows of kind PAYOUT */
    public RowRule getPayout() {
        return kinds.get(SettlementKind.PAYOUT);
    }

    /** @return where parts stand in rows of kind RETURN */
    public RowRule getReturned() {
        return kinds.get(SettlementKind.RETURN);
    }

    /** @return where parts stand in rows of kind CHARGEBACK */
    public RowRule getChargeback() {
        return kinds.get(SettlementKind.CHARGEBACK);
    }

    /** @return where parts stand in rows of kind ADJUSTMENT */
    public RowRule getAdjustment() {
        return kinds.get(SettlementKind.ADJUSTMENT);
    }

    /** @return which rows say nothing about money */
    public RowRule getIgnored() {
        return kinds.get(SettlementKind.IGNORED);
    }

    /** @return what a file says of its rows together, which must hold */
    public TotalsRule getTotals() {
        return totals;
    }

    /** @return how a file says which time it covers */
    public PeriodRule getPeriod() {
        return period;
    }

    /** @return what only statements of banks have */
    public BankRule getBank() {
        return bank;
    }

    /** @return which file of an archive is the settlement file */
    public ArchiveRule getArchive() {
        return archive;
    }

    /** @return the rule for the kind, with what holds for all rows; null when the contract names no such rows */
    RowRule rule(SettlementKind kind) {
        RowRule rule = kinds.get(kind);
        boolean only = kinds.values().stream().allMatch(other -> other.when().isEmpty());
        return rule.when().isEmpty() && !(only && kind == SettlementKind.PAYMENT) ? null : rule.over(row);
    }

    /**
     * Refuses what cannot be right.
     *
     * @throws IllegalArgumentException naming the option, what was found and what is allowed
     */
    public void check() {
        if (format != Format.DELIMITED) {
            if (time.zone() == null) {
                throw Options.wrong("time.zone", "nothing", "the zone of the bank's days");
            }
            return;
        }
        text.check();
        money.check();
        totals.check();
        for (SettlementKind kind : SettlementKind.values()) {
            RowRule rule = rule(kind);
            if (rule != null && kind != SettlementKind.IGNORED && rule.problem() != null) {
                throw Options.wrong("rows of " + kind, rule.problem(), "a column for it");
            }
            if (rule != null && rule.part("currency") == null && money.getCurrency() == null) {
                throw Options.wrong("money.currency", "nothing", "a currency, because rows of " + kind + " name none");
            }
        }
        if (rule(SettlementKind.PAYMENT) == null) {
            throw Options.wrong("payment.when", "nothing", "which rows are payments");
        }
        if ((period.dayOfRows() || period.line() != null || period.name() != null) && time.zone() == null) {
            throw Options.wrong("time.zone", "nothing", "a zone, because period needs one");
        }
    }

    /**
     * @param exponents exponent by ISO 4217 code of every currency we know
     * @return a reader by this contract; it may be used by several threads
     */
    public SettlementReader reader(Map<String, Integer> exponents) {
        check();
        return switch (format) {
            case DELIMITED -> new DelimitedReader(this, exponents);
            case CAMT -> new CamtReader(this, exponents);
            case SWIFT -> new SwiftReader(this, exponents);
        };
    }
}
