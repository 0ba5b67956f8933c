package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.wire.WireProvider.closed;
import static org.paymentroutes.wire.WireProvider.throttled;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paymentroutes.wire.WireProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.jms.artemis.ArtemisProperties;
import org.springframework.jdbc.core.JdbcTemplate;

/** What a durable subscriber of payments.events gets. */
@FlowTest
class EventsIT {

    private final WireProvider patient = FlowProviders.wire(FlowProviders.PATIENT);

    @Autowired
    Flow flow;
    @Autowired
    JdbcTemplate jdbc;
    @Autowired
    EmbeddedActiveMQ broker;
    @Autowired
    ArtemisProperties artemis;

    private final List<Event> seen = new ArrayList<>();
    private Subscriber subscriber;

    private record Event(String duplicateId, String id, JsonNode json) {
    }

    /** One durable subscription to the topic. */
    private final class Subscriber implements AutoCloseable {

        private final ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://" + artemis.getEmbedded().getServerId());
        private final Connection connection = factory.createConnection();
        private final Session session;
        private final MessageConsumer consumer;

        Subscriber() throws JMSException {
            connection.setClientID("events-it");
            session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            consumer = session.createDurableSubscriber(session.createTopic("payments.events"), "all");
            connection.start();
        }

        void read() throws JMSException {
            for (Message message = consumer.receive(50); message != null; message = consumer.receive(50)) {
                JsonNode json = Flow.json(((TextMessage) message).getText());
                seen.add(new Event(message.getStringProperty("_AMQ_DUPL_ID"), json.path("id").asText(), json));
            }
        }

        @Override
        public void close() throws JMSException {
            connection.close();
            factory.close();
        }
    }

    @BeforeEach
    void subscribes() throws JMSException {
        subscriber = new Subscriber();
    }

    @AfterEach
    void leaves() throws JMSException {
        subscriber.close();
    }

    @Test
    void eachTransitionIsOneCloudEventInOrder() {
        String tag = Flow.tag();
        patient.script(tag).post(throttled(), closed());
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        flow.await(id, "SUCCEEDED");
        List<String> states = flow.states(id);
        List<Event> events = awaitEvents(id, states.size());

        assertThat(states).containsExactly("PENDING", "SUBMITTING", "PENDING", "SUBMITTING", "UNKNOWN", "SUCCEEDED");
        assertThat(events).extracting(event -> event.json().at("/data/toState").asText()).isEqualTo(states);
        for (int i = 0; i < events.size(); i++) {
            Event event = events.get(i);
            JsonNode json = event.json();
            assertThat(event.id()).isEqualTo(id + ":" + (i + 1)).isEqualTo(event.duplicateId());
            assertThat(json.path("specversion").asText()).isEqualTo("1.0");
            assertThat(json.path("source").asText()).isEqualTo("/payment-routes");
            assertThat(json.path("type").asText()).isEqualTo("org.paymentroutes.payment." + states.get(i).toLowerCase());
            assertThat(json.path("subject").asText()).isEqualTo(id);
            assertThat(json.path("datacontenttype").asText()).isEqualTo("application/json");
            assertThat(OffsetDateTime.parse(json.path("time").asText())).isNotNull();
            assertThat(json.at("/data/amountMinor").isIntegralNumber()).isTrue();
            assertThat(json.at("/data/currency").asText()).isEqualTo("EUR");
            assertThat(json.toString()).doesNotContain("tok_1");
        }
    }

    @Test
    void aReversalIsOneCloudEventAfterTheTransitionsOfItsPayment() {
        String id = flow.scripted(FlowProviders.PATIENT, "");
        flow.await(id, "SUCCEEDED");
        jdbc.update("insert into reversal (payment_id, kind, amount_minor, currency, fact, source, reason, actor)"
                + " values (?::uuid, 'RETURN', 34, 'EUR', ?, 'SETTLEMENT', 'account closed', 'test')", id, "returned " + id);
        Event event = awaitEvents(id, 4).get(3);
        long reversal = jdbc.queryForObject("select reversal_id from reversal where payment_id = ?::uuid", Long.class, id);
        assertThat(event.id()).isEqualTo(id + ":reversal:" + reversal).isEqualTo(event.duplicateId());
        assertThat(event.json().path("type").asText()).isEqualTo("org.paymentroutes.payment.reversed");
        assertThat(event.json().at("/data/kind").asText()).isEqualTo("RETURN");
        assertThat(event.json().at("/data/amountMinor").asLong()).isEqualTo(34);
        assertThat(event.json().path("subject").asText()).isEqualTo(id);
    }

    @Test
    void aBatchThatIsSentAgainReachesNobodyTwice() throws JMSException {
        String id = flow.scripted(FlowProviders.PATIENT, "");
        flow.await(id, "SUCCEEDED");
        awaitEvents(id, 3);
        // As after a crash between the send and the delete.
        jdbc.update("insert into event_outbox (transition_id) select transition_id from transition where payment_id = ?::uuid", id);
        String next = flow.scripted(FlowProviders.PATIENT, "");
        flow.await(next, "SUCCEEDED");
        awaitEvents(next, 3);
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() ->
                jdbc.queryForObject("select count(*) from event_outbox", Integer.class) == 0);
        subscriber.read();
        assertThat(events(id)).hasSize(3);
        assertThat(events(next)).hasSize(3);
    }

    @Test
    void aBrokerThatIsDownDelaysEventsAndNothingElse() throws Exception {
        subscriber.close();
        broker.stop();
        List<String> ids;
        try {
            ids = IntStream.range(0, 10).mapToObj(i -> flow.scripted(FlowProviders.PATIENT, "")).toList();
            flow.awaitAll(ids, "SUCCEEDED");
            assertThat(jdbc.queryForObject("select count(*) from event_outbox join transition using (transition_id)"
                    + " where payment_id = ?::uuid", Integer.class, ids.get(9))).isEqualTo(3);
        }
        finally {
            broker.start();
        }
        subscriber = new Subscriber();
        for (String id : ids) {
            assertThat(awaitEvents(id, 3)).extracting(event -> event.json().at("/data/version").asInt()).containsExactly(1, 2, 3);
        }
    }

    private List<Event> awaitEvents(String id, int count) {
        Awaitility.await(id).atMost(Duration.ofSeconds(30)).until(() -> {
            subscriber.read();
            return events(id).size() >= count;
        });
        return events(id);
    }

    private List<Event> events(String id) {
        return seen.stream().filter(event -> event.json().path("subject").asText().equals(id)).toList();
    }
}
