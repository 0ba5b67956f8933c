package org.paymentroutes.settlement.format;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a file says of the time it covers and of the payout it is about: in its name, in a line, or by its rows. */
final class DelimitedPeriod {

    private final PeriodRule rule;
    private final ZoneId zone;
    private Instant from;
    private Instant to;
    private String batch;
    private boolean oneBatch = true;

    DelimitedPeriod(SettlementContract contract, String name) {
        this.rule = contract.getPeriod();
        this.zone = contract.getTime().zone();
        if (rule.name() != null) {
            Matcher matcher = rule.name().matcher(name);
            if (!matcher.matches()) {
                throw new SettlementRefusedException(0, null, "the name '" + name + "'", "a name like " + rule.name());
            }
            set(matcher, rule.name(), 0);
        }
    }

    /** @return whether it tells the period */
    boolean comment(CharSequence raw, long line) {
        Matcher matcher = rule.line() == null ? null : rule.line().matcher(raw);
        if (matcher == null || !matcher.matches()) {
            return false;
        }
        set(matcher, rule.line(), line);
        return true;
    }

    private void set(Matcher matcher, Pattern pattern, long line) {
        from = time(matcher.group("from"), line);
        to = pattern.pattern().contains("(?<to>") && matcher.group("to") != null ? time(matcher.group("to"), line)
                : from.atZone(zone).plusDays(1).toInstant();
        if (!from.isBefore(to)) {
            throw new SettlementRefusedException(line, "period", from + " to " + to, "a period that ends after its start");
        }
    }

    private Instant time(String text, long line) {
        Instant time = TimeFormat.instant(rule.format(), text, zone);
        if (time == null) {
            throw new SettlementRefusedException(line, "period", "'" + text + "'", "a time in the form of period.format");
        }
        return time;
    }

    void row(SettlementLine line) {
        oneBatch &= batch == null || line.batchId() == null || batch.equals(line.batchId());
        batch = batch == null ? line.batchId() : batch;
        if (line.at() == null || line.kind() == SettlementKind.IGNORED) {
            return;
        }
        if (rule.dayOfRows() && from == null) {
            LocalDate day = line.at().atZone(zone).toLocalDate();
            from = day.atStartOfDay(zone).toInstant();
            to = day.plusDays(1).atStartOfDay(zone).toInstant();
        }
        if (from != null && rule.dayOfRows() && (line.at().isBefore(from) || !line.at().isBefore(to))) {
            throw new SettlementRefusedException(line.lineNo(), "time", line.at().toString(), "a time from " + from + " to " + to);
        }
    }

    /** @return the payout of all rows; null when there are several or none */
    String batch() {
        return oneBatch ? batch : null;
    }

    /** @return the first moment; null when the file does not tell */
    Instant from() {
        return from;
    }

    /** @return the moment after the last; null when the file does not tell */
    Instant to() {
        return to;
    }
}
