package org.paymentroutes.settlement.format;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where the parts of a line stand in a row: names of columns, for all rows or for the rows of one kind. A part that a kind
 * does not name is taken from the rule for all rows; {@code NONE} takes it away.
 *
 * <p>An amount is a column, {@code -column}, or columns with {@code " + "} and {@code " - "} between them, where empty cells
 * do not count; {@code " | "} divides alternatives, of which the first that is not empty counts.
 */
public final class RowRule {

    private static final String NONE = "NONE";
    /** Part names in the order of messages. */
    static final List<String> TEXTS = List.of("reference", "providerPaymentId", "providerLineId", "currency", "settleCurrency",
            "at", "zone", "batch", "sign");
    static final List<String> AMOUNTS = List.of("amount", "fee", "net", "settleAmount");

    private final Map<String, String> parts = new LinkedHashMap<>();
    private final Map<String, Set<String>> when = new LinkedHashMap<>();
    private final Map<String, String> hints = new LinkedHashMap<>();
    private Set<String> negative = Set.of();
    private Set<String> positive = Set.of();
    private int referenceMax;
    private Boolean feeFromNet;

    /** @param text which rows are of this kind: {@code column = VALUE | VALUE}, several with {@code " & "} */
    public void setWhen(String text) {
        for (String condition : text.split(" & ")) {
            String[] sides = condition.split(" = ", 2);
            if (sides.length != 2 || sides[0].isBlank() || sides[1].isBlank()) {
                throw Options.wrong("when", condition, "for example type = REFUND | REVERSAL");
            }
            Set<String> values = new LinkedHashSet<>();
            for (String value : sides[1].split(" \\| ")) {
                values.add(value.strip());
            }
            when.put(sides[0].strip(), values);
        }
    }

    /** @param column our reference: the key that we sent to the provider */
    public void setReference(String column) {
        parts.put("reference", column);
    }

    /** @param length from this length on a reference may have been cut; 0: never */
    public void setReferenceMax(int length) {
        this.referenceMax = length;
    }

    /** @param column the provider's id of the payment */
    public void setProviderPaymentId(String column) {
        parts.put("providerPaymentId", column);
    }

    /** @param column the provider's id of this row, by which a row of two files is known as one */
    public void setProviderLineId(String column) {
        parts.put("providerLineId", column);
    }

    /** @param amount the amount before fees; money to us must come out positive */
    public void setAmount(String amount) {
        parts.put("amount", amount);
    }

    /** @param column the ISO 4217 code of the amount and the fee */
    public void setCurrency(String column) {
        parts.put("currency", column);
    }

    /** @param fee what the provider takes; must come out positive when we pay it */
    public void setFee(String fee) {
        parts.put("fee", fee);
    }

    /** @param feeFromNet whether the fee is amount - net in rows without any fee cell */
    public void setFeeFromNet(boolean feeFromNet) {
        this.feeFromNet = feeFromNet;
    }

    /** @param net the amount less the fee */
    public void setNet(String net) {
        parts.put("net", net);
    }

    /** @param column the ISO 4217 code of the money that is paid out, where it is another than that of the payment */
    public void setSettleCurrency(String column) {
        parts.put("settleCurrency", column);
    }

    /** @param amount what is paid out for the row, in the settlement currency */
    public void setSettleAmount(String amount) {
        parts.put("settleAmount", amount);
    }

    /** @param column when it happened */
    public void setAt(String column) {
        parts.put("at", column);
    }

    /** @param column the column with the zone of the time, by the names of {@code time.zones} */
    public void setZone(String column) {
        parts.put("zone", column);
    }

    /** @param column the payout or batch that the row belongs to */
    public void setBatch(String column) {
        parts.put("batch", column);
    }

    /** @param column the column that tells the direction of the money of unsigned amounts */
    public void setSign(String column) {
        parts.put("sign", column);
    }

    /** @param values the values of the sign column for money from us */
    public void setNegative(String values) {
        this.negative = Options.words(values);
    }

    /** @param values the values of the sign column for money to us */
    public void setPositive(String values) {
        this.positive = Options.words(values);
    }

    /** @param text what else is kept: {@code name=column, name=column} */
    public void setHints(String text) {
        hints.putAll(Options.pairs("hints", text));
    }

    Map<String, Set<String>> when() {
        return when;
    }

    Map<String, String> hints() {
        return hints;
    }

    /** @return the part's column or amount; null when there is none */
    String part(String name) {
        String part = parts.get(name);
        return NONE.equals(part) ? null : part;
    }

    Set<String> negative() {
        return negative;
    }

    Set<String> positive() {
        return positive;
    }

    int referenceMax() {
        return referenceMax;
    }

    boolean feeFromNet() {
        return Boolean.TRUE.equals(feeFromNet);
    }

    /** @return this rule, with what it does not say taken from {@code all} */
    RowRule over(RowRule all) {
        RowRule merged = new RowRule();
        merged.parts.putAll(all.parts);
        merged.parts.putAll(parts);
        merged.when.putAll(when);
        merged.hints.putAll(all.hints);
        merged.hints.putAll(hints);
        merged.negative = negative.isEmpty() ? all.negative : negative;
        merged.positive = positive.isEmpty() ? all.positive : positive;
        merged.referenceMax = referenceMax == 0 ? all.referenceMax : referenceMax;
        merged.feeFromNet = feeFromNet == null ? all.feeFromNet : feeFromNet;
        return merged;
    }

    /** @return all columns it names */
    Set<String> columns() {
        Set<String> columns = new LinkedHashSet<>(when.keySet());
        for (String text : TEXTS) {
            if (part(text) != null) {
                columns.add(part(text));
            }
        }
        for (String amount : AMOUNTS) {
            if (part(amount) != null) {
                AmountRule.parse(part(amount)).forEach(terms -> terms.forEach(term -> columns.add(term.column())));
            }
        }
        columns.addAll(hints.values());
        return columns;
    }

    /** @return what is missing or wrong, or null */
    String problem() {
        List<String> missing = new ArrayList<>();
        if (part("amount") == null) {
            missing.add("amount");
        }
        if (part("sign") != null && (negative.isEmpty() || positive.isEmpty())) {
            missing.add("negative and positive");
        }
        return missing.isEmpty() ? null : "without " + String.join(", ", missing);
    }
}
