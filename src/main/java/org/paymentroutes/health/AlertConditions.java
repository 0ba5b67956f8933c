package org.paymentroutes.health;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.camel.Exchange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * What the alert routes need from this node, as {@code bean: alertConditions}: limits, what the broker and this node's
 * clock say, and one log line for each alert.
 */
@Component("alertConditions")
public class AlertConditions {

    private static final Logger LOG = LoggerFactory.getLogger("org.paymentroutes.alerts");
    private static final int REMEMBERED = 2000;

    private final AlertProperties alerts;
    private final HealthProperties health;
    private final BrokerReader broker;
    private final Set<String> logged = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    });

    AlertConditions(AlertProperties alerts, HealthProperties health, BrokerReader broker) {
        this.alerts = alerts;
        this.health = health;
        this.broker = broker;
    }

    /** Sets the variables that {@code sql/notice-conditions.sql} compares with, in seconds. */
    public void limits(Exchange exchange) {
        exchange.setVariable("unknownAge", health.unknownAge().toSeconds());
        exchange.setVariable("outboxLag", health.outboxLag().toSeconds());
        exchange.setVariable("deadLetters", broker.deadLetters());
    }

    /** The database is asked for its time after this step. */
    public void asks(Exchange exchange) {
        exchange.setVariable("limit", alerts.clockSkew().toMillis());
        exchange.setVariable("jump", alerts.clockJump().toMillis());
        exchange.setVariable("askedAt", System.currentTimeMillis());
    }

    /** The database has answered with the time in the body. */
    public void answered(Exchange exchange) {
        exchange.setVariable("answeredAt", System.currentTimeMillis());
        exchange.setVariable("databaseAt", exchange.getMessage().getBody(Long.class));
    }

    /** Writes one line for each alert in the body that this node has not logged yet: also while the broker is away. */
    public synchronized void log(List<Map<String, Object>> rows) {
        for (Map<String, Object> row : rows) {
            if (logged.add((String) row.get("message_id"))) {
                if ("RAISED".equals(row.get("happened"))) {
                    LOG.warn("Alert {} {} ({}): {}", row.get("kind"), row.get("subject"), row.get("severity"), row.get("detail"));
                }
                else {
                    LOG.info("Alert {} {} is over", row.get("kind"), row.get("subject"));
                }
            }
        }
    }
}
