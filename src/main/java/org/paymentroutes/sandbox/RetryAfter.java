package org.paymentroutes.sandbox;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** The values of {@code Retry-After} that real services send and that have broken real clients. */
final class RetryAfter {

    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    private RetryAfter() {
    }

    /** The header lines number {@code n} of the table; a number outside it gives one second. */
    static List<String> odd(int n, Instant now) {
        return switch (n) {
            case 0 -> List.of("3");
            case 1 -> List.of("1.5");
            case 2 -> List.of("120junk");
            case 3 -> List.of("1_000");
            case 4 -> List.of("  5  ");
            case 5 -> List.of("Wed, 21 Oct 2015 07:28:00 GMT");
            case 6 -> List.of(httpDate(now.plusSeconds(60)));
            case 7 -> List.of("Fri, 31 Dec 9999 23:59:59 GMT");
            case 8 -> List.of("");
            case 9 -> List.of("2", "4");
            case 10 -> List.of("-5");
            case 11 -> List.of("31536000");
            default -> List.of("1");
        };
    }

    /** The instant in the form that HTTP wants. */
    static String httpDate(Instant instant) {
        return HTTP_DATE.format(instant);
    }
}
