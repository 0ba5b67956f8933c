package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Api;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.jms.artemis.ArtemisProperties;
import org.springframework.jdbc.core.JdbcTemplate;

/** What a subscriber of payments.alerts, an operator and a monitoring system see of an alert. */
@FlowTest
class AlertsIT {

    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;
    @Autowired
    ArtemisProperties artemis;

    @Test
    void anAlertIsOneMessageWhenRaisedAndOneWhenOver() throws Exception {
        String subject = "test-" + UUID.randomUUID();
        raise(subject, "first");
        raise(subject, "second");
        List<Message> messages = new ArrayList<>();
        try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://" + artemis.getEmbedded().getServerId());
                Connection connection = factory.createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                MessageConsumer consumer = session.createConsumer(session.createQueue("payments.alerts"))) {
            connection.start();
            read(consumer, subject, messages, 1);
            JsonNode raised = json(messages.get(0));
            assertThat(raised.path("status").asText()).isEqualTo("RAISED");
            assertThat(raised.path("kind").asText()).isEqualTo("SIGNATURE_FAILURES");
            assertThat(raised.path("detail").asText()).isEqualTo("first");
            assertThat(messages.get(0).getStringProperty("_AMQ_DUPL_ID")).isEqualTo(raised.path("id").asText())
                    .isEqualTo(raised.path("alertId").asLong() + ":RAISED");
            assertThat(messages.get(0).getStringProperty("severity")).isEqualTo("WARNING");

            Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(scrape())
                    .containsPattern("payments_alerts\\{kind=\"SIGNATURE_FAILURES\",severity=\"WARNING\"} [1-9]"));
            jdbc.queryForList("select clear_alert('SIGNATURE_FAILURES', ?, 'test')", subject);
            read(consumer, subject, messages, 2);
            assertThat(json(messages.get(1)).path("status").asText()).isEqualTo("CLEARED");
            assertThat(json(messages.get(1)).path("clearedBy").asText()).isEqualTo("test");
        }
    }

    @Test
    void anOperatorFindsItAndTakesNote() {
        String subject = "test-" + UUID.randomUUID();
        raise(subject, "first");
        JsonNode alert = Flow.json(api.get("viewer", "/api/alerts?open=true&kind=SIGNATURE_FAILURES&subject=" + subject).body()).at("/items/0");
        assertThat(alert.path("action").asText()).isNotBlank();
        String path = "/api/alerts/" + alert.path("alertId").asLong() + "/acknowledge";
        assertThat(api.post("viewer", path, "{}").statusCode()).isEqualTo(403);
        JsonNode taken = Flow.json(api.post("operator", path, "{\"note\":\"asked the provider\"}").body());
        assertThat(taken.path("acknowledgedBy").asText()).isEqualTo("operator");
        assertThat(taken.path("note").asText()).isEqualTo("asked the provider");
        assertThat(api.post("operator", "/api/alerts/9999999/acknowledge", "{}").statusCode()).isEqualTo(404);
        assertThat(api.post("operator", path, "{\"when\":\"now\"}").statusCode()).isEqualTo(422);
    }

    @Test
    void pagesGoOnWhereTheLastOneEnded() {
        for (int i = 0; i < 3; i++) {
            raise("test-" + UUID.randomUUID(), "first");
        }
        JsonNode first = Flow.json(api.get("viewer", "/api/alerts?limit=2").body());
        JsonNode second = Flow.json(api.get("viewer", "/api/alerts?limit=2&before=" + first.path("nextBefore").asLong()).body());
        assertThat(first.path("items")).hasSize(2);
        assertThat(second.at("/items/0/alertId").asLong()).isLessThan(first.at("/items/1/alertId").asLong());
        HttpResponse<String> wrong = api.get("viewer", "/api/alerts?open=maybe&limit=0");
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(Flow.json(wrong.body()).path("errors")).hasSize(2);
    }

    private void raise(String subject, String detail) {
        jdbc.queryForList("select raise_alert('SIGNATURE_FAILURES', ?, 'WARNING', ?)", subject, detail);
    }

    private String scrape() {
        return api.get("viewer", "/actuator/prometheus").body();
    }

    private static void read(MessageConsumer consumer, String subject, List<Message> messages, int count) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
            for (Message message = consumer.receive(50); message != null; message = consumer.receive(50)) {
                if (json(message).path("subject").asText().equals(subject)) {
                    messages.add(message);
                }
            }
            return messages.size() >= count;
        });
        assertThat(messages).hasSize(count);
    }

    private static JsonNode json(Message message) {
        try {
            return Flow.json(((TextMessage) message).getText());
        }
        catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }
}
