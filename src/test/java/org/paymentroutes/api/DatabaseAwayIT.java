package org.paymentroutes.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.jms.ConnectionFactory;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.test.context.TestPropertySource;

/**
 * Proves what intake says and keeps while the database gives no connection: a 503 soon, and a message that is recorded
 * afterwards. All connections of the pool are held, which is what a full pool and a dead database look like to a route.
 */
@ApplicationTest
@TestPropertySource(properties = "spring.datasource.hikari.connection-timeout=1000")
class DatabaseAwayIT {

    @Autowired
    Api api;
    @Autowired
    HikariDataSource pool;
    @Autowired
    JdbcTemplate jdbc;
    @Autowired
    ConnectionFactory connections;

    @Test
    void answers503SoonAndLosesNothing() throws Exception {
        String reference = "ref-" + UUID.randomUUID();
        String key = Api.key();
        api.pay(Api.key(), payment("warm-" + reference));
        List<Connection> held = new ArrayList<>();
        try {
            while (held.size() < pool.getMaximumPoolSize()) {
                held.add(pool.getConnection());
            }
            long start = System.nanoTime();
            HttpResponse<String> answer = api.pay(key, payment(reference));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
            assertThat(answer.headers().firstValue("Retry-After")).isPresent();
            assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
            assertThat(answer.body()).contains("/problems/unavailable").doesNotContain("Hikari", "java", "at org");
            assertThat(api.get("viewer", "/api/payments").statusCode()).isEqualTo(503);
            new JmsTemplate(connections).send("payments.requests", session -> session.createTextMessage(payment("jms-" + reference)));
        }
        finally {
            for (Connection connection : held) {
                connection.close();
            }
        }
        assertThat(api.pay(key, payment(reference)).statusCode()).isEqualTo(202);
        await().atMost(Duration.ofSeconds(30)).until(() -> jdbc.queryForObject(
                "select count(*) from payment where source_reference = ?", Integer.class, "jms-" + reference) == 1);
    }

    private static String payment(String reference) {
        return """
                {"sourceReference":"%s","operation":"PAYOUT","provider":"acme","amountMinor":5,"currency":"EUR","recipient":"t"}"""
                .formatted(reference);
    }
}
