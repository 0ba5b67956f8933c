package org.paymentroutes.settlement.format;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads lines of cells with a header. */
final class DelimitedReader implements SettlementReader {

    private final SettlementContract contract;
    private final Map<String, Integer> exponents;

    DelimitedReader(SettlementContract contract, Map<String, Integer> exponents) {
        this.contract = contract;
        this.exponents = exponents;
    }

    @Override
    public SettlementHeader read(InputStream in, String name, Consumer<SettlementLine> lines) throws IOException {
        return new Run(in, name, lines).run();
    }

    /** One file. */
    private final class Run {

        private final DelimitedRecords records;
        private final Consumer<SettlementLine> lines;
        private final TextFormat text = contract.getText();
        private final TotalsRule totals = contract.getTotals();
        private final Totalizer sums = new Totalizer(true);
        private final List<ControlTotal> controls = new ArrayList<>();
        private final Map<TotalsRule.Check, Map<String, Long>> counted = new LinkedHashMap<>();
        private final Map<TotalsRule.Check, Map<String, Long>> declared = new LinkedHashMap<>();
        private final Map<String, Pattern> found = new HashMap<>();
        private final DelimitedPeriod period;
        private Rows rows;
        private List<String> totalsHeader;
        private boolean totalsSeen;
        private boolean ended;
        private SettlementLine last;
        private int beforeHeader;

        Run(InputStream in, String name, Consumer<SettlementLine> lines) {
            this.records = new DelimitedRecords(in, text);
            this.lines = lines;
            this.period = new DelimitedPeriod(contract, name);
            totals.checks().forEach(check -> {
                counted.put(check, new TreeMap<>());
                declared.put(check, new TreeMap<>());
            });
        }

        SettlementHeader run() throws IOException {
            while (records.next()) {
                take();
            }
            if (rows == null) {
                throw new SettlementRefusedException(beforeHeader == 0 ? 0 : records.line(), null,
                        beforeHeader == 0 ? "no header" : "the end of the file", "a header with the columns of the contract");
            }
            checkEnd();
            controls();
            return new SettlementHeader(period.batch(), 1, true, period.from(), period.to(), sums.count(), controls, Map.of(),
                    Map.of(), sums.entries());
        }

        private void take() {
            last = null;
            if (text.end() != null && text.end().matcher(records.raw()).matches()) {
                ended = true;
                return;
            }
            if (text.ignore() != null && text.ignore().matcher(records.raw()).matches()) {
                return;
            }
            if (totalsLine()) {
                period.comment(records.raw(), records.line());
                return;
            }
            if (records.comment()) {
                comment();
                return;
            }
            if (rows == null) {
                header();
            }
            else if (ended) {
                throw new SettlementRefusedException(records.line(), null, "a row after the end mark", "nothing");
            }
            else if (totalsHeader != null) {
                totalsUnder(totalsHeader, records.cells());
            }
            else if (records.cells().get(0).equals(totals.header())) {
                totalsHeader = List.copyOf(records.cells());
            }
            else if (!totals.when().isEmpty() && rows.meets(totals.when(), records.cells())) {
                totalsRow();
            }
            else if (totalsSeen) {
                throw new SettlementRefusedException(records.line(), null, "a row after the totals", "nothing");
            }
            else {
                row();
            }
        }

        private void comment() {
            boolean known = period.comment(records.raw(), records.line());
            long cells = 1 + records.raw().chars().filter(c -> c == text.delimiter()).count();
            // What begins a comment may begin a reference too, and nobody would miss the row.
            if (!known && rows != null && cells >= rows.width()) {
                throw new SettlementRefusedException(records.line(), null, "a comment with as many cells as a row",
                        "quotes around a cell that begins with " + text.comment());
            }
        }

        private void header() {
            if (records.cells().containsAll(contract.rule(SettlementKind.PAYMENT).columns())) {
                rows = new Rows(contract, exponents, records.cells(), records.line());
                return;
            }
            beforeHeader++;
            if (beforeHeader < text.headerWithin()) {
                return;
            }
            char first = records.raw().charAt(0);
            if (first == '{' || first == '<') {
                // Services answer errors as JSON or XML where a file is expected.
                throw new SettlementRefusedException(records.line(), null, "'" + records.raw() + "'",
                        "a header with the columns of the contract");
            }
            new Rows(contract, exponents, records.cells(), records.line());
        }

        private void row() {
            if (records.cells().size() != rows.width()) {
                throw new SettlementRefusedException(records.line(), null, records.cells().size() + " cells",
                        rows.width() + " as in the header");
            }
            SettlementLine line = rows.line(records.cells(), records.line());
            last = line;
            period.row(line);
            sums.add(line);
            counted.forEach((check, byCurrency) -> count(check, byCurrency, line));
            lines.accept(line);
        }

        private void count(TotalsRule.Check check, Map<String, Long> byCurrency, SettlementLine line) {
            if (!check.kinds().contains(line.kind())) {
                return;
            }
            if (check.column() == null) {
                byCurrency.merge(line.currency(), 1L, Long::sum);
                return;
            }
            int cell = rows.cell(check.column());
            String value = cell < 0 ? "" : records.cells().get(cell);
            if (!value.isEmpty()) {
                byCurrency.merge(line.currency(), rows.money(value, check.column(), line.currency(), line.lineNo()),
                        (a, b) -> Totalizer.plus(a, b, line.lineNo()));
            }
        }

        private boolean totalsLine() {
            for (Pattern pattern : totals.lines()) {
                Matcher matcher = pattern.matcher(records.raw());
                if (matcher.matches()) {
                    if (found.put(pattern.pattern(), pattern) != null) {
                        throw new SettlementRefusedException(records.line(), null, "totals a second time", "once");
                    }
                    for (TotalsRule.Check check : totals.checks()) {
                        if (pattern.pattern().contains("(?<" + check.name() + ">")) {
                            declare(check, matcher.group(check.name()), contract.getMoney().getCurrency());
                        }
                    }
                    totalsSeen = true;
                    return true;
                }
            }
            return false;
        }

        private void totalsUnder(List<String> names, List<String> cells) {
            if (totalsSeen) {
                throw new SettlementRefusedException(records.line(), null, "a row after the totals", "nothing");
            }
            if (cells.size() != names.size()) {
                throw new SettlementRefusedException(records.line(), null, cells.size() + " cells",
                        names.size() + " as in the header of the totals");
            }
            for (TotalsRule.Check check : totals.checks()) {
                int cell = names.indexOf(check.name());
                if (cell >= 0) {
                    declare(check, cells.get(cell), contract.getMoney().getCurrency());
                }
            }
            totalsSeen = true;
        }

        private void totalsRow() {
            if (records.cells().size() != rows.width()) {
                throw new SettlementRefusedException(records.line(), null, records.cells().size() + " cells",
                        rows.width() + " as in the header");
            }
            String currency = totals.currency() == null ? contract.getMoney().getCurrency()
                    : records.cells().get(Math.max(rows.cell(totals.currency()), 0));
            for (TotalsRule.Check check : totals.checks()) {
                int cell = rows.cell(check.name());
                if (cell < 0) {
                    throw new SettlementRefusedException(records.line(), check.name(), "no column of this name", "it, in any place");
                }
                declare(check, records.cells().get(cell), currency);
            }
            totalsSeen = true;
        }

        private void declare(TotalsRule.Check check, String value, String currency) {
            if (currency == null || !exponents.containsKey(currency)) {
                throw new SettlementRefusedException(records.line(), totals.currency(), "'" + currency + "'", "an ISO 4217 currency code");
            }
            long number;
            if (check.column() == null) {
                if (!value.matches("[0-9]{1,15}")) {
                    throw new SettlementRefusedException(records.line(), check.name(), "'" + value + "'", "a number of rows");
                }
                number = Long.parseLong(value);
            }
            else {
                number = rowsOrRefuse().money(value, check.name(), currency, records.line());
            }
            if (declared.get(check).put(currency, number) != null) {
                throw new SettlementRefusedException(records.line(), check.name(), "a second total in " + currency, "one");
            }
        }

        private Rows rowsOrRefuse() {
            if (rows == null) {
                throw new SettlementRefusedException(records.line(), null, "totals before a header", "the header first");
            }
            return rows;
        }

        private void checkEnd() {
            if (text.end() != null && !ended) {
                throw new SettlementRefusedException(records.line(), null, "the end of the file without its end mark",
                        "a line like " + text.end());
            }
            boolean all = totals.lines().isEmpty() ? totalsSeen : found.size() == totals.lines().size();
            if (totals.required() && !all) {
                throw new SettlementRefusedException(records.line(), null, "the end of the file without its totals", "totals at the end");
            }
            if (records.closed() || records.line() == 0) {
                return;
            }
            // An amount that is cut is still an amount; a time that is cut is not a time.
            boolean complete = last == null
                    || last.at() != null && rows.lastColumn().equals(contract.rule(SettlementKind.PAYMENT).part("at"));
            if (text.finalLineEnd() || !complete) {
                throw new SettlementRefusedException(records.line(), rows.lastColumn(), "the end of the file in this row",
                        "a line end after the last row");
            }
        }

        private void controls() {
            if (ended) {
                controls.add(new ControlTotal("end", null, 1, 1));
            }
            if (totalsSeen) {
                for (TotalsRule.Check check : totals.checks()) {
                    Map<String, Long> told = declared.get(check);
                    Map<String, Long> real = counted.get(check);
                    told.forEach((currency, value) -> controls.add(
                            new ControlTotal(check.name(), currency, value, real.getOrDefault(currency, 0L))));
                    // Rows in a currency of which the totals say nothing are not covered by them.
                    if (!told.isEmpty()) {
                        real.forEach((currency, value) -> {
                            if (!told.containsKey(currency) && value != 0) {
                                controls.add(new ControlTotal(check.name(), currency, 0, value));
                            }
                        });
                    }
                }
            }
            controls.addAll(sums.payouts());
        }
    }
}
