package org.paymentroutes.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.BytesMessage;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.Message;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.ApplicationTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.core.MessageCreator;

/** Proves that a message becomes one payment or one dead letter with its reason, and that only text is read. */
@ApplicationTest
class JmsIntakeIT {

    private static final AtomicInteger DESERIALISED = new AtomicInteger();

    @Autowired
    ConnectionFactory connections;
    @Autowired
    JdbcTemplate jdbc;

    @Test
    void makesOnePaymentOfAMessageThatComesTwice() {
        String reference = reference();
        send(session -> text(session, payment(reference, 1234), "key-" + reference));
        send(session -> text(session, payment(reference, 1234), "key-" + reference));
        send(session -> text(session, payment(reference + "-b", 1), null));

        await().atMost(Duration.ofSeconds(20)).until(() -> count(reference + "-b") == 1);
        assertThat(count(reference)).isEqualTo(1);
        assertThat(jdbc.queryForMap("select caller, request_key, actor from payment where source_reference = ?", reference))
                .containsEntry("caller", "jms").containsEntry("request_key", "key-" + reference);
        assertThat(jdbc.queryForMap("select request_key from payment where source_reference = ?", reference + "-b"))
                .containsEntry("request_key", reference + "-b");
    }

    @Test
    void doesNotBelieveWhoTheMessageSaysItIs() {
        String reference = reference();
        send(session -> {
            Message message = text(session, payment(reference, 1), null);
            message.setStringProperty("caller", "admin");
            message.setStringProperty("CamelSqlQuery", "select 1");
            message.setStringProperty("CAmelSqlQuery", "select 1");
            message.setJMSReplyTo(session.createQueue("evil"));
            return message;
        });
        await().atMost(Duration.ofSeconds(20)).until(() -> count(reference) == 1);
        assertThat(jdbc.queryForObject("select caller from payment where source_reference = ?", String.class, reference)).isEqualTo("jms");
    }

    @Test
    void movesAnInvalidMessageUntouchedToTheDeadLettersWithItsReason() throws Exception {
        String id = "corr-" + UUID.randomUUID();
        String body = "{\"sourceReference\":\"x\", \"operation\":\"GIVE\"}";
        send(session -> {
            Message message = text(session, body, null);
            message.setJMSCorrelationID(id);
            message.setStringProperty("origin", "erp");
            return message;
        });
        TextMessage letter = (TextMessage) deadLetter(id);
        assertThat(letter.getText()).isEqualTo(body);
        assertThat(letter.getStringProperty("problem")).contains("/problems/invalid-request", "\"field\":\"operation\"", "recipient");
        assertThat(letter.getStringProperty("reason")).isNotBlank();
        assertThat(letter.getStringProperty("originalQueue")).isEqualTo("payments.requests");
        assertThat(letter.getStringProperty("origin")).isEqualTo("erp");
    }

    @Test
    void refusesTheSameKeyForOtherContent() throws Exception {
        String reference = reference();
        String id = "corr-" + UUID.randomUUID();
        send(session -> text(session, payment(reference, 1), "key-" + reference));
        await().atMost(Duration.ofSeconds(20)).until(() -> count(reference) == 1);
        send(session -> {
            Message message = text(session, payment(reference, 2), "key-" + reference);
            message.setJMSCorrelationID(id);
            return message;
        });
        assertThat(deadLetter(id).getStringProperty("problem")).contains("/problems/idempotency-key-reused");
    }

    @Test
    void neverReadsAnythingButText() throws Exception {
        String object = "corr-" + UUID.randomUUID();
        String bytes = "corr-" + UUID.randomUUID();
        send(session -> {
            ObjectMessage message = session.createObjectMessage(new Trap());
            message.setJMSCorrelationID(object);
            return message;
        });
        send(session -> {
            BytesMessage message = session.createBytesMessage();
            message.writeBytes(payment(reference(), 1).getBytes(java.nio.charset.StandardCharsets.UTF_8));
            message.setJMSCorrelationID(bytes);
            return message;
        });
        for (String id : new String[] {object, bytes}) {
            assertThat(deadLetter(id).getStringProperty("reason")).contains("not a text message");
        }
        BytesMessage letter = (BytesMessage) deadLetter(bytes);
        assertThat(letter.getBodyLength()).isGreaterThan(50);
        assertThat(DESERIALISED).hasValue(0);
    }

    private Message deadLetter(String correlationId) {
        JmsTemplate template = new JmsTemplate(connections);
        AtomicInteger found = new AtomicInteger();
        Message[] letter = new Message[1];
        await().atMost(Duration.ofSeconds(20)).until(() -> template.browseSelected("payments.dead-letters",
                "JMSCorrelationID = '" + correlationId + "'", (session, browser) -> {
                    var messages = browser.getEnumeration();
                    while (messages.hasMoreElements()) {
                        letter[0] = (Message) messages.nextElement();
                        found.incrementAndGet();
                    }
                    return letter[0] != null;
                }));
        return letter[0];
    }

    private void send(MessageCreator creator) {
        new JmsTemplate(connections).send("payments.requests", creator);
    }

    private static Message text(Session session, String body, String key) throws jakarta.jms.JMSException {
        Message message = session.createTextMessage(body);
        if (key != null) {
            message.setStringProperty("idempotencyKey", key);
        }
        return message;
    }

    private int count(String reference) {
        return jdbc.queryForObject("select count(*) from payment where source_reference = ?", Integer.class, reference);
    }

    private static String reference() {
        return "line-" + UUID.randomUUID();
    }

    private static String payment(String reference, long minor) {
        return """
                {"sourceReference":"%s","operation":"PAYOUT","provider":"acme","amountMinor":%d,"currency":"EUR","recipient":"tok"}"""
                .formatted(reference, minor);
    }

    /** Counts how often it is made from a message. */
    static final class Trap implements Serializable {

        private static final long serialVersionUID = 1L;

        private void readObject(ObjectInputStream in) {
            DESERIALISED.incrementAndGet();
        }
    }
}
