package org.paymentroutes.support;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The clock of a database, movable forward. All that the application computes with time it asks the database by
 * unqualified {@code now()} and {@code clock_timestamp()}; a schema in front of {@code pg_catalog} answers instead, with
 * an offset that every session sees at once.
 */
public final class TestClock {

    /** What the sessions of the application and of its migrations must look through, in this order. */
    public static final String SEARCH_PATH = "public,test_clock,pg_catalog";

    private static final List<String> INSTALL = List.of(
            "create schema if not exists test_clock",
            "create sequence if not exists test_clock.offset_ms minvalue 0 start 0",
            "create or replace function test_clock.now() returns timestamptz language sql stable"
                    + " as 'select pg_catalog.now() + (select last_value from test_clock.offset_ms) * interval ''1 millisecond'''",
            "create or replace function test_clock.clock_timestamp() returns timestamptz language sql volatile"
                    + " as 'select pg_catalog.clock_timestamp() + (select last_value from test_clock.offset_ms) * interval ''1 millisecond'''",
            "create or replace function test_clock.statement_timestamp() returns timestamptz language sql stable"
                    + " as 'select pg_catalog.statement_timestamp() + (select last_value from test_clock.offset_ms) * interval ''1 millisecond'''");

    private final JdbcTemplate jdbc;

    /** @param jdbc a database whose sessions have {@link #SEARCH_PATH} and whose migrations ran after {@link #install} */
    public TestClock(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** @return the properties of an application whose database gets this clock before its migrations */
    public static Map<String, Object> properties() {
        // The clocks of the tests are apart on purpose.
        return Map.of("payment-routes.alerts.clock-jump", "36500d", "spring.flyway.init-sqls[0]", String.join("; ", INSTALL),
                "spring.datasource.hikari.data-source-properties.options",
                "-c idle_in_transaction_session_timeout=30s -c lock_timeout=10s -c statement_timeout=60s -c search_path=" + SEARCH_PATH);
    }

    /** Puts the clock into a database that has no tables yet. */
    public static void install(JdbcTemplate jdbc) {
        INSTALL.forEach(jdbc::execute);
    }

    /** @return what the database takes for the time */
    public Instant now() {
        return jdbc.queryForObject("select test_clock.clock_timestamp()", OffsetDateTime.class).toInstant();
    }

    /** Lets this much time pass at once. */
    public void advance(Duration time) {
        jdbc.queryForList("select setval('test_clock.offset_ms', last_value + ?) from test_clock.offset_ms", time.toMillis());
    }

    /** Lets time pass until this moment; nothing when it is over. */
    public void to(Instant moment) {
        Duration left = Duration.between(now(), moment);
        if (!left.isNegative()) {
            advance(left.plusMillis(1));
        }
    }
}
