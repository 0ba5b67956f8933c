package org.paymentroutes.settlement.format;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** How a provider's files write times, and in which zone. */
public final class TimeFormat {

    // The JDK's own takes +08 for +08:00, and a file that is cut there for a whole one.
    private static final DateTimeFormatter ISO = new DateTimeFormatterBuilder().appendPattern("uuuu-MM-dd'T'HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).appendOffsetId().toFormatter(Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);

    private String format = "ISO";
    private DateTimeFormatter formatter = ISO;
    private ZoneId zone;
    private final Map<String, ZoneId> zones = new HashMap<>();

    /** @param format ISO (date, time and offset), or a pattern of {@link DateTimeFormatter} with {@code uuuu} for the year */
    public void setFormat(String format) {
        this.format = format;
        this.formatter = formatter("time.format", format);
    }

    /** @param zone zone of times that have none, for example {@code Asia/Shanghai} or {@code +08:00} */
    public void setZone(String zone) {
        this.zone = zone("time.zone", zone);
    }

    /** @param text what the abbreviations of a zone column mean, for example {@code CET=+01:00, CEST=+02:00} */
    public void setZones(String text) {
        Options.pairs("time.zones", text).forEach((name, value) -> zones.put(name, zone("time.zones", value)));
    }

    /** @return zone of times that have none; null when each names its own */
    ZoneId zone() {
        return zone;
    }

    /** @return what is allowed, for a message */
    String allowed() {
        return "ISO".equals(format) ? "a time such as 2026-10-23T10:00:00+08:00" : "a time in the form " + format;
    }

    String allowedZones() {
        return "one of " + zones.keySet();
    }

    static DateTimeFormatter formatter(String option, String pattern) {
        try {
            return "ISO".equals(pattern) ? ISO : DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withResolverStyle(ResolverStyle.STRICT);
        }
        catch (IllegalArgumentException e) {
            throw Options.wrong(option, pattern, "ISO or a pattern such as uuuu-MM-dd HH:mm:ss");
        }
    }

    private static ZoneId zone(String option, String text) {
        try {
            return ZoneId.of(text);
        }
        catch (DateTimeException e) {
            throw Options.wrong(option, text, "a zone such as Europe/Berlin or +02:00");
        }
    }

    /** @return the zone that a zone column names; null when the contract does not know it */
    ZoneId named(String abbreviation) {
        return zones.get(abbreviation);
    }

    /**
     * @param at zone for a time without one; null for the contract's
     * @return the time; null when it is not in the format
     */
    Instant instant(String text, ZoneId at) {
        return instant(formatter, text, at == null ? zone : at);
    }

    static Instant instant(DateTimeFormatter formatter, String text, ZoneId zone) {
        try {
            TemporalAccessor time = formatter.parseBest(text, OffsetDateTime::from, LocalDateTime::from, LocalDate::from);
            if (time instanceof OffsetDateTime offset) {
                return offset.toInstant();
            }
            if (zone == null) {
                return null;
            }
            if (time instanceof LocalDateTime local) {
                // In the hour that is left out in spring nothing happened: the zone is another one.
                return zone.getRules().getValidOffsets(local).isEmpty() ? null : local.atZone(zone).toInstant();
            }
            return ((LocalDate) time).atStartOfDay(zone).toInstant();
        }
        catch (DateTimeException e) {
            return null;
        }
    }
}
