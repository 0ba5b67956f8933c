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
