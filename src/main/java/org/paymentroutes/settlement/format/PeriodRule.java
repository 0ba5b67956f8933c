package org.paymentroutes.settlement.format;

import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;

/**
 * Which period a file covers completely. Without a rule a file has no period, and that a payment is not in it proves nothing.
 */
public final class PeriodRule {

    private Pattern line;
    private Pattern name;
    private DateTimeFormatter format = TimeFormat.formatter("period.format", "ISO");
    private boolean dayOfRows;
    private boolean dayOfClosing;

    /** @param pattern a whole comment line with the groups {@code from} and {@code to} (exclusive) */
    public void setLine(String pattern) {
        this.line = grouped("period.line", pattern);
    }

    /** @param pattern the whole file name, with the group {@code from} and perhaps {@code to}; without it one day */
    public void setName(String pattern) {
        this.name = grouped("period.name", pattern);
    }

    /** @param pattern ISO or a pattern of {@link DateTimeFormatter} for the groups, in the zone of {@code time.zone} */
    public void setFormat(String pattern) {
        this.format = TimeFormat.formatter("period.format", pattern);
    }

    /** @param dayOfRows whether a file holds one whole day of {@code time.zone}, that of its rows; rows of another are refused */
    public void setDayOfRows(boolean dayOfRows) {
        this.dayOfRows = dayOfRows;
    }

    /** @param dayOfClosing whether a bank statement holds the whole day of its closing balance */
    public void setDayOfClosing(boolean dayOfClosing) {
        this.dayOfClosing = dayOfClosing;
    }

    Pattern line() {
        return line;
    }

    Pattern name() {
        return name;
    }

    DateTimeFormatter format() {
        return format;
    }

    boolean dayOfRows() {
        return dayOfRows;
    }

    boolean dayOfClosing() {
        return dayOfClosing;
    }

    private static Pattern grouped(String option, String pattern) {
        if (!pattern.contains("(?<from>")) {
            throw Options.wrong(option, pattern, "a regular expression with the group (?<from>...)");
        }
        return Options.pattern(option, pattern);
    }
}
