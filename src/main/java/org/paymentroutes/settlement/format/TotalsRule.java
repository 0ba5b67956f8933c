package org.paymentroutes.settlement.format;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a delimited file declares totals, and what they must be. */
public final class TotalsRule {

    private static final Pattern CHECK = Pattern.compile("(.+?) = (?:(count)|sum (.+?))(?: of ([A-Z]+(?: \\| [A-Z]+)*))?");

    private String header;
    private final Map<String, Set<String>> when = new LinkedHashMap<>();
    private final List<Pattern> lines = new ArrayList<>();
    private final List<Check> checks = new ArrayList<>();
    private String currency;
    private boolean required;

    /** @param column first name of a second header after the rows, which a row of totals follows */
    public void setHeader(String column) {
        this.header = column;
    }

    /** @param text which rows are totals, such as {@code id = TOTAL}; their numbers stand under the header of the rows */
    public void setWhen(String text) {
        RowRule rule = new RowRule();
        rule.setWhen(text);
        when.putAll(rule.when());
    }

    /** @param text a regular expression a line for whole lines with totals, with a named group for each number */
    public void setLines(String text) {
        text.lines().filter(line -> !line.isBlank()).forEach(line -> lines.add(Options.pattern("totals.lines", line.strip())));
    }

    /**
     * @param text a check a line, for a total by its column or group: {@code total = count}, {@code total = sum column}, both
     *             with {@code of KIND | KIND} for the rows of these kinds only
     */
    public void setChecks(String text) {
        text.lines().filter(line -> !line.isBlank()).forEach(line -> {
            Matcher matcher = CHECK.matcher(line.strip());
            if (!matcher.matches()) {
                throw Options.wrong("totals.checks", line, "for example rows = count, or refunds = sum amount of REFUND");
            }
            Set<SettlementKind> kinds = EnumSet.allOf(SettlementKind.class);
            if (matcher.group(4) != null) {
                kinds.clear();
                for (String kind : matcher.group(4).split(" \\| ")) {
                    kinds.add(SettlementKind.valueOf(kind));
                }
            }
            checks.add(new Check(matcher.group(1), matcher.group(3), kinds));
        });
    }

    /** @param column the column of a totals row with its currency; without it {@code money.currency} counts */
    public void setCurrency(String column) {
        this.currency = column;
    }

    /** @param required whether a file without totals is refused: it may be cut */
    public void setRequired(boolean required) {
        this.required = required;
    }

    String header() {
        return header;
    }

    Map<String, Set<String>> when() {
        return when;
    }

    List<Pattern> lines() {
        return lines;
    }

    List<Check> checks() {
        return checks;
    }

    String currency() {
        return currency;
    }

    boolean required() {
        return required;
    }

    void check() {
        int places = (header == null ? 0 : 1) + (when.isEmpty() ? 0 : 1) + (lines.isEmpty() ? 0 : 1);
        if (places > 1) {
            throw Options.wrong("totals", "several of header, when and lines", "one of them");
        }
        if (places == 1 == checks.isEmpty()) {
            throw Options.wrong("totals.checks", checks.isEmpty() ? "nothing" : "checks without header, when or lines",
                    "checks together with one of totals.header, totals.when, totals.lines");
        }
    }

    /** @return columns of the rows that are summed */
    Set<String> columns() {
        Set<String> columns = new LinkedHashSet<>();
        checks.stream().filter(check -> check.column() != null).forEach(check -> columns.add(check.column()));
        return columns;
    }

    /** A total by its name, and the column that it sums; without a column it counts rows. */
    record Check(String name, String column, Set<SettlementKind> kinds) {
    }
}
