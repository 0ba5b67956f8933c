package org.paymentroutes.settlement.format;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Turns the cells of a row into a line, by the rules of a contract and the header of one file. */
final class Rows {

    private static final int ID_MAX = 255;

    private final SettlementContract contract;
    private final Map<String, Integer> exponents;
    private final List<String> header;
    private final Map<String, Integer> index = new LinkedHashMap<>();
    private final List<KindRule> kinds = new ArrayList<>();

    /** What one kind needs, by position. */
    private record KindRule(SettlementKind kind, RowRule rule, String missing, Map<String, List<List<Term>>> amounts,
            int[] rawColumns) {
    }

    private record Term(int cell, String column, boolean negative) {
    }

    /**
     * @param line line of the header, for messages
     * @throws SettlementRefusedException when a column that each file needs is missing, or a needed name stands twice
     */
    Rows(SettlementContract contract, Map<String, Integer> exponents, List<String> header, long line) {
        this.contract = contract;
        this.exponents = exponents;
        this.header = List.copyOf(header);
        Set<String> twice = new LinkedHashSet<>();
        for (int i = 0; i < header.size(); i++) {
            if (index.putIfAbsent(header.get(i), i) != null) {
                twice.add(header.get(i));
            }
        }
        once(contract.getTotals().columns(), twice, line);
        for (SettlementKind kind : SettlementKind.values()) {
            RowRule rule = contract.rule(kind);
            if (rule == null) {
                continue;
            }
            once(rule.columns(), twice, line);
            String missing = null;
            for (String column : rule.columns()) {
                missing = missing == null && !index.containsKey(column) ? column : missing;
            }
            if (missing != null && kind == SettlementKind.PAYMENT) {
                throw new SettlementRefusedException(line, missing, "no column of this name", "it, in any place");
            }
            kinds.add(new KindRule(kind, rule, missing, amounts(rule), rawColumns(rule)));
        }
    }

    private static void once(Set<String> columns, Set<String> twice, long line) {
        for (String column : columns) {
            if (twice.contains(column)) {
                throw new SettlementRefusedException(line, column, "two columns of this name", "one");
            }
        }
    }

    private Map<String, List<List<Term>>> amounts(RowRule rule) {
        Map<String, List<List<Term>>> amounts = new LinkedHashMap<>();
        for (String part : RowRule.AMOUNTS) {
            if (rule.part(part) != null) {
                amounts.put(part, AmountRule.parse(rule.part(part)).stream().map(terms -> terms.stream()
                        .map(term -> new Term(index.getOrDefault(term.column(), -1), term.column(), term.negative())).toList()).toList());
            }
        }
        return amounts;
    }

    private int[] rawColumns(RowRule rule) {
        return new TreeSet<>(rule.columns().stream().map(column -> index.getOrDefault(column, -1)).filter(i -> i >= 0).toList())
                .stream().mapToInt(Integer::intValue).toArray();
    }

    /** @return number of cells of each row */
    int width() {
        return header.size();
    }

    /** @return name of the last column */
    String lastColumn() {
        return header.get(header.size() - 1);
    }

    /** @return position of a column, or -1 */
    int cell(String column) {
        return index.getOrDefault(column, -1);
    }

    /** @return whether the cells meet all conditions */
    boolean meets(Map<String, Set<String>> when, List<String> cells) {
        for (Map.Entry<String, Set<String>> condition : when.entrySet()) {
            int cell = cell(condition.getKey());
            if (cell < 0 || cell >= cells.size() || !condition.getValue().contains(cells.get(cell))) {
                return false;
            }
        }
        return true;
    }

    /**
     * @param line where the row stands
     * @throws SettlementRefusedException naming the cell that is not what the contract describes
     */
    SettlementLine line(List<String> cells, long line) {
        KindRule kind = kind(cells, line);
        if (kind.missing() != null) {
            throw new SettlementRefusedException(line, kind.missing(), "a row of kind " + kind.kind() + " without this column",
                    "it in the header");
        }
        RowRule rule = kind.rule();
        String currency = currency(rule, "currency", cells, line, contract.getMoney().getCurrency());
        String settle = currency(rule, "settleCurrency", cells, line, currency);
        Long amount = amount(kind, "amount", cells, currency, line);
        Long net = amount(kind, "net", cells, settle, line);
        Long fee = amount(kind, "fee", cells, settle, line);
        Long settled = amount(kind, "settleAmount", cells, settle, line);
        settled = settled == null && settle.equals(currency) ? amount : settled;
        if (amount == null && kind.kind() != SettlementKind.IGNORED) {
            throw new SettlementRefusedException(line, kind.amounts().get("amount").get(0).get(0).column(), "nothing", "an amount");
        }
        if (rule.part("sign") != null && amount != null) {
            if (kind.kind() != SettlementKind.IGNORED && (amount < 0 || settled != null && settled < 0)) {
                throw new SettlementRefusedException(line, kind.amounts().get(amount < 0 ? "amount" : "settleAmount").get(0).get(0).column(),
                        "an amount below zero beside a column for the direction", "one of them");
            }
            boolean from = from(rule, cells, line);
            amount = from ? -amount : amount;
            settled = settled == null ? null : (from ? -settled : settled);
            net = net == null ? null : (from ? -net : net);
        }
        if (fee == null && net != null && settled != null && rule.feeFromNet()) {
            fee = settled - net;
        }
        if (settled == null && net != null && fee != null) {
            settled = net + fee;
        }
        String reference = text(rule, "reference", cells, line);
        return new SettlementLine(line, kind.kind(), reference,
                reference != null && rule.referenceMax() > 0 && reference.length() >= rule.referenceMax(),
                text(rule, "providerPaymentId", cells, line), text(rule, "providerLineId", cells, line),
                amount == null ? 0 : amount, currency, fee, net, settle, settled, at(rule, cells, line),
                text(rule, "batch", cells, line), raw(kind, cells), hints(rule, cells));
    }

    private KindRule kind(List<String> cells, long line) {
        for (KindRule kind : kinds) {
            if (meets(kind.rule().when(), cells)) {
                return kind;
            }
        }
        String column = contract.rule(SettlementKind.PAYMENT).when().keySet().iterator().next();
        Set<String> allowed = new LinkedHashSet<>();
        kinds.forEach(kind -> allowed.addAll(kind.rule().when().getOrDefault(column, Set.of())));
        throw new SettlementRefusedException(line, column, "'" + cells.get(cell(column)) + "'",
                "a row that the contract names: " + String.join(", ", allowed));
    }

    private String currency(RowRule rule, String part, List<String> cells, long line, String otherwise) {
        String column = rule.part(part);
        String code = column == null ? otherwise : cells.get(cell(column)).toUpperCase(Locale.ROOT);
        if (!exponents.containsKey(code)) {
            throw new SettlementRefusedException(line, column == null ? part : column, "'" + code + "'", "an ISO 4217 currency code");
        }
        return code;
    }

    private Long amount(KindRule kind, String part, List<String> cells, String currency, long line) {
        for (List<Term> alternative : kind.amounts().getOrDefault(part, List.of())) {
            Long sum = null;
            for (Term term : alternative) {
                String text = cells.get(term.cell());
                if (!text.isEmpty()) {
                    long value = money(text, term.column(), currency, line);
                    sum = Totalizer.plus(sum == null ? 0 : sum, term.negative() ? -value : value, line);
                }
            }
            if (sum != null) {
                return sum;
            }
        }
        return null;
    }

    /** @return the minor units of a cell in a currency */
    long money(String text, String column, String currency, long line) {
        try {
            return contract.getMoney().minor(text, currency, exponents.get(currency));
        }
        catch (MoneyFormat.NotAnAmountException e) {
            throw new SettlementRefusedException(line, column, "'" + text + "'", e.getMessage());
        }
    }

    private boolean from(RowRule rule, List<String> cells, long line) {
        String sign = cells.get(cell(rule.part("sign")));
        if (!rule.negative().contains(sign) && !rule.positive().contains(sign)) {
            throw new SettlementRefusedException(line, rule.part("sign"), "'" + sign + "'",
                    "one of " + rule.negative() + " or " + rule.positive());
        }
        return rule.negative().contains(sign);
    }

    private String text(RowRule rule, String part, List<String> cells, long line) {
        String column = rule.part(part);
        String text = column == null ? "" : cells.get(cell(column));
        if (text.length() > ID_MAX) {
            throw new SettlementRefusedException(line, column, text.length() + " characters", "at most " + ID_MAX);
        }
        return text.isEmpty() ? null : text;
    }

    private Instant at(RowRule rule, List<String> cells, long line) {
        String column = rule.part("at");
        String text = column == null ? "" : cells.get(cell(column));
        if (text.isEmpty()) {
            return null;
        }
        ZoneId zone = null;
        if (rule.part("zone") != null) {
            String name = cells.get(cell(rule.part("zone")));
            zone = contract.getTime().named(name);
            if (zone == null) {
                throw new SettlementRefusedException(line, rule.part("zone"), "'" + name + "'", contract.getTime().allowedZones());
            }
        }
        Instant at = contract.getTime().instant(text, zone);
        if (at == null) {
            throw new SettlementRefusedException(line, column, "'" + text + "'", contract.getTime().allowed());
        }
        return at;
    }

    private String raw(KindRule kind, List<String> cells) {
        StringBuilder raw = new StringBuilder();
        for (int cell : kind.rawColumns()) {
            raw.append(raw.isEmpty() ? "" : ",").append(cells.get(cell));
        }
        return Kept.text(raw, SettlementLine.RAW_MAX);
    }

    private Map<String, String> hints(RowRule rule, List<String> cells) {
        if (rule.hints().isEmpty()) {
            return Map.of();
        }
        Map<String, String> hints = new LinkedHashMap<>();
        rule.hints().forEach((name, column) -> {
            String text = cells.get(cell(column));
            if (!text.isEmpty()) {
                hints.put(name, Kept.text(text, ID_MAX));
            }
        });
        return hints;
    }
}
