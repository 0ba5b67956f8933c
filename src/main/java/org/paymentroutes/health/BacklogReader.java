package org.paymentroutes.health;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.paymentroutes.health.Backlog.Kind;
import org.paymentroutes.health.Backlog.Row;
import org.paymentroutes.support.NamedSql;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/** Reads the backlog every few seconds, in one statement, and keeps it for health and metrics. */
@Component
class BacklogReader implements Watch.Look {

    private static final Logger LOG = LoggerFactory.getLogger(BacklogReader.class);

    private final JdbcTemplate jdbc;
    private final String sql = NamedSql.load("backlog");
    private final MultiGauge outbox;
    private final MultiGauge outboxAge;
    private final MultiGauge open;
    private final MultiGauge openAge;
    private final MultiGauge inDoubt;
    private final MultiGauge paused;
    private final MultiGauge alerts;
    private final MultiGauge exposureCount;
    private final MultiGauge exposureAmount;
    private final MultiGauge exposureStopped;
    private volatile Backlog last;
    private volatile boolean reachable = true;

    BacklogReader(JdbcTemplate jdbc, MeterRegistry registry) {
        this.jdbc = jdbc;
        this.outbox = gauge(registry, "payments.outbox", "Tasks in the outbox");
        this.outboxAge = gauge(registry, "payments.outbox.age.seconds", "How long the oldest task has been due");
        this.open = gauge(registry, "payments.open", "Payments that wait for their outcome, by state");
        this.openAge = gauge(registry, "payments.open.age.seconds", "Age of the oldest payment in this state");
        this.inDoubt = gauge(registry, "payments.in.doubt", "Money that may or may not have moved, in major units");
        this.paused = gauge(registry, "payments.paused", "1 while an operator has paused the provider");
        this.alerts = gauge(registry, "payments.alerts", "Open alerts");
        this.exposureCount = gauge(registry, "payments.exposure.count", "Payments in doubt that count against the limits of a provider");
        this.exposureAmount = gauge(registry, "payments.exposure.amount", "Money in doubt that counts against the limits, in major units");
        this.exposureStopped = gauge(registry, "payments.exposure.stopped", "1 while money in doubt has stopped the claiming");
        Gauge.builder("payments.events.waiting", this, reader -> reader.events(Row::number))
                .description("Transitions that the topic does not have yet").register(registry);
        Gauge.builder("payments.events.age.seconds", this, reader -> reader.events(Row::ageSeconds))
                .description("Age of the oldest transition that the topic does not have yet").register(registry);
        Gauge.builder("payments.database.reachable", this, reader -> reader.reachable ? 1 : 0)
                .description("1 while the last look at the database was answered").register(registry);
    }

    private static MultiGauge gauge(MeterRegistry registry, String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }

    /** @return the last backlog that could be read; null before the first */
    Backlog last() {
        return last;
    }

    /** @return whether the last look was answered */
    boolean reachable() {
        return reachable;
    }

    @Override
    public void look() {
        try {
            Backlog backlog = new Backlog(jdbc.query(sql, (row, number) -> new Row(Kind.valueOf(row.getString("kind")),
                    row.getString("provider"), row.getString("label"), row.getLong("number"), row.getDouble("age_seconds"),
                    row.getDouble("amount"))), System.nanoTime());
            last = backlog;
            publish(backlog);
            if (!reachable) {
                LOG.info("The database answers again");
            }
            reachable = true;
        }
        catch (DataAccessException | TransactionException e) {
            if (reachable) {
                LOG.warn("The database does not answer: {}", e.getMostSpecificCause().getMessage());
            }
            reachable = false;
        }
    }

    private void publish(Backlog backlog) {
        register(outbox, backlog.rows(Kind.OUTBOX), "task", Row::number);
        register(outboxAge, backlog.rows(Kind.OUTBOX), "task", Row::ageSeconds);
        register(open, backlog.rows(Kind.STATE), "state", Row::number);
        register(openAge, backlog.rows(Kind.STATE), "state", Row::ageSeconds);
        register(inDoubt, backlog.rows(Kind.IN_DOUBT), "currency", Row::amount);
        paused.register(backlog.rows(Kind.PROVIDER)
                .<MultiGauge.Row<?>>map(row -> MultiGauge.Row.of(Tags.of("provider", row.provider()), row.label().equals("PAUSED") ? 1 : 0))
                .toList(), true);
        register(exposureCount, backlog.rows(Kind.EXPOSURE), "currency", Row::number);
        register(exposureAmount, backlog.rows(Kind.EXPOSURE), "currency", Row::amount);
        register(exposureStopped, backlog.rows(Kind.EXPOSURE_STOP), "currency", Row::number);
        alerts.register(backlog.rows(Kind.ALERT)
                .<MultiGauge.Row<?>>map(row -> MultiGauge.Row.of(Tags.of("kind", row.provider(), "severity", row.label()), row.number()))
                .toList(), true);
    }

    private static void register(MultiGauge gauge, Stream<Row> rows, String label, ToDoubleFunction<Row> value) {
        gauge.register(rows.<MultiGauge.Row<?>>map(row -> MultiGauge.Row.of(
                Tags.of("provider", row.provider(), label, row.label()), value.applyAsDouble(row))).toList(), true);
    }

    private double events(ToDoubleFunction<Row> value) {
        Backlog backlog = last;
        return backlog == null ? 0 : backlog.rows(Kind.EVENTS).mapToDouble(value).sum();
    }
}
