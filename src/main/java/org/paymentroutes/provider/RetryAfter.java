package org.paymentroutes.provider;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;

/** The Retry-After header of RFC 9110, section 10.2.3, read without trust. */
public final class RetryAfter {

    private static final long MAX_MS = Duration.ofDays(400).toMillis();

    private RetryAfter() {
    }

    /**
     * @param date      the Date header of the same answer, or null
     * @param otherwise what counts when there is none: our own clock
     * @return the moment of the answer, on the clock that a date in Retry-After is on
     */
    public static Instant moment(Object date, Instant otherwise) {
        try {
            return date instanceof String text ? ZonedDateTime.parse(text.strip(), DateTimeFormatter.RFC_1123_DATE_TIME).toInstant() : otherwise;
        }
        catch (DateTimeParseException e) {
            return otherwise;
        }
    }

    /**
     * @param header the header as Camel holds it: a text, a list when it was sent twice, or null
     * @param now    the moment of the answer
     * @return milliseconds to wait, rounded up and at most 400 days; null when the header is absent, doubled, past or
     *         not in the form of the RFC
     */
    public static Long millis(Object header, Instant now) {
        if (!(header instanceof String text)) {
            return null;
        }
        String value = text.strip();
        if (value.matches("[0-9]{1,10}")) {
            long seconds = Long.parseLong(value);
            return seconds == 0 ? null : Math.min(seconds * 1000, MAX_MS);
        }
        try {
            Instant until = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
            if (!until.isAfter(now)) {
                return null;
            }
            return until.isAfter(now.plusMillis(MAX_MS)) ? Long.valueOf(MAX_MS) : Long.valueOf(Duration.between(now, until).toMillis() + 1);
        }
        catch (DateTimeParseException e) {
            return null;
        }
    }
}
