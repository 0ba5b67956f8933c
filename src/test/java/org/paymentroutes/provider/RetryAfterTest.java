package org.paymentroutes.provider;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Retry-After of a provider that we do not trust. The cap of the contract is applied where the answer is recorded. */
class RetryAfterTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final long DAY = Duration.ofDays(1).toMillis();

    @ParameterizedTest
    @CsvSource({"1,1000", "120,120000", "' 7 ',7000", "31536000,31536000000", "9999999999,34560000000"})
    void secondsAreObeyedUpTo400Days(String header, long expected) {
        assertThat(RetryAfter.millis(header, NOW)).isEqualTo(expected).isLessThanOrEqualTo(400 * DAY);
    }

    @ParameterizedTest
    @CsvSource({"'Sun, 01 Mar 2026 12:00:30 GMT',30001", "'Sun, 1 Mar 2026 12:00:30 GMT',30001", "'Mon, 01 Mar 2027 12:00:00 GMT',31536000001",
            "'Fri, 01 Mar 2199 12:00:00 GMT',34560000000"})
    void aDateIsObeyedAndNeverEndsEarly(String header, long expected) {
        assertThat(RetryAfter.millis(header, NOW)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "-3600", "Sun, 01 Mar 2026 12:00:00 GMT", "Wed, 21 Oct 2015 07:28:00 GMT"})
    void nothingToWaitForIsNothing(String header) {
        assertThat(RetryAfter.millis(header, NOW)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "1.5", "120.0", "1e3", "0x10", "+5", "soon", "99999999999", "120 seconds", "PT2M", "2026-03-01T12:00:30Z",
            "Sun, 32 Mar 2026 12:00:30 GMT", "120, 240", "\u0661\u0662"})
    void whatIsNotOfTheRfcIsNothing(String header) {
        assertThat(RetryAfter.millis(header, NOW)).isNull();
    }

    @Test
    void noHeaderAndTwoHeadersAreNothing() {
        assertThat(RetryAfter.millis(null, NOW)).isNull();
        assertThat(RetryAfter.millis(List.of("1", "3600"), NOW)).isNull();
        assertThat(RetryAfter.millis(30, NOW)).isNull();
    }

    @Test
    void aDateIsReadOnTheClockOfTheProvider() {
        // Its clock is an hour ahead of ours: it asks for 30 s, not for an hour.
        Instant theirs = RetryAfter.moment("Sun, 01 Mar 2026 13:00:00 GMT", NOW);
        assertThat(RetryAfter.millis("Sun, 01 Mar 2026 13:00:30 GMT", theirs)).isEqualTo(30_001);
        assertThat(RetryAfter.moment("yesterday", NOW)).isEqualTo(NOW);
        assertThat(RetryAfter.moment(null, NOW)).isEqualTo(NOW);
    }
}
