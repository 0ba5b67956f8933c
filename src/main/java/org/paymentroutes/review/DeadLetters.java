package org.paymentroutes.review;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.CardNumbers;
import org.paymentroutes.payment.Fingerprint;
import org.paymentroutes.payment.RefusedRequestException;
import org.paymentroutes.payment.StrictJson;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Reads the messages that no consumer could use. Of a body, which may hold anything, only a keyed digest, the length and
 * identifiers that look like ours are taken; the message itself stays in the broker's queue of dead letters.
 */
@Component("deadLetters")
public class DeadLetters {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}");
    private static final Pattern PROBLEM = Pattern.compile("/problems/([a-z][a-z-]{1,60})");
    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final int BODY_MAX = 64 * 1024;
    private static final int REASON_MAX = 500;

    private final Fingerprint fingerprint;
    private final ConnectionFactory connections;
    private final String queue;

    DeadLetters(Fingerprint fingerprint, ConnectionFactory connections,
            @Value("${payment-routes.jms.dead-letters:payments.dead-letters}") String queue) {
        this.fingerprint = fingerprint;
        this.connections = connections;
        this.queue = queue;
    }

    /**
     * Sets the body to the parameters of {@code sql/record-dead-letter.sql}; the body was the JMS message itself.
     *
     * @throws JMSException when the broker is gone
     */
    public void read(Exchange exchange) throws JMSException {
        Message message = exchange.getMessage().getBody(Message.class);
        Map<String, Object> row = new HashMap<>();
        String origin = first(message, "originalQueue");
        if (origin.isEmpty()) {
            origin = keptOrigin(message.getJMSMessageID());
        }
        row.put("queue", IDENTIFIER.matcher(origin).matches() ? origin : "unknown");
        String id = first(message, "originalMessageId", "JMSMessageID", "_AMQ_ORIG_MESSAGE_ID");
        row.put("fact", IDENTIFIER.matcher(id).matches() ? id : String.valueOf(message.getJMSMessageID()));
        row.put("problem", problem(message));
        String reason = first(message, "reason");
        row.put("reason", reason.isEmpty() || CardNumbers.isIn(reason)
                ? message.propertyExists("_AMQ_ACTUAL_EXPIRY") ? "It was not taken in its time." : "No delivery of it succeeded."
                : reason.substring(0, Math.min(REASON_MAX, reason.length())));
        body(message, row);
        String key = first(message, "idempotencyKey");
        row.put("requestKey", safe(key));
        row.putIfAbsent("sourceReference", "");
        row.putIfAbsent("provider", "");
        row.putIfAbsent("paymentId", "");
        exchange.getMessage().setBody(row);
    }

    /** The copy says that it comes from the dead letters; the message that is kept there says where it was before. */
    private String keptOrigin(String messageId) throws JMSException {
        if (messageId == null || !IDENTIFIER.matcher(messageId).matches()) {
            return "";
        }
        try (Connection connection = connections.createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                QueueBrowser kept = session.createBrowser(session.createQueue(queue), "JMSMessageID = '" + messageId + "'")) {
            connection.start();
            Enumeration<?> found = kept.getEnumeration();
            return found.hasMoreElements() ? first((Message) found.nextElement(), "_AMQ_ORIG_ADDRESS") : "";
        }
    }

    private void body(Message message, Map<String, Object> row) throws JMSException {
        byte[] body = new byte[0];
        if (message instanceof TextMessage text && text.getText() != null) {
            body = text.getText().getBytes(StandardCharsets.UTF_8);
            if (body.length <= BODY_MAX) {
                identifiers(text.getText(), row);
            }
        }
        else if (message instanceof BytesMessage bytes && bytes.getBodyLength() <= BODY_MAX) {
            body = new byte[(int) bytes.getBodyLength()];
            bytes.readBytes(body);
        }
        row.put("bodyDigest", body.length == 0 ? "" : fingerprint.of(body));
        row.put("bodyLength", body.length);
    }

    private static void identifiers(String body, Map<String, Object> row) {
        Map<String, StrictJson.Value> fields;
        try {
            fields = StrictJson.object(body);
        }
        catch (RefusedRequestException e) {
            return;
        }
        row.put("sourceReference", safe(text(fields, "sourceReference")));
        String provider = text(fields, "provider");
        row.put("provider", provider.matches("[a-z][a-z0-9-]{0,39}") ? provider : "");
        for (String name : List.of("paymentId", "jobId")) {
            if (UUID.matcher(text(fields, name)).matches()) {
                row.put("paymentId", text(fields, name));
            }
        }
    }

    private static String problem(Message message) throws JMSException {
        if (message.propertyExists("_AMQ_ACTUAL_EXPIRY")) {
            return "expired";
        }
        try {
            JsonNode problem = JSON.readTree(first(message, "problem"));
            var type = PROBLEM.matcher(problem == null ? "" : problem.path("type").asText());
            return type.matches() ? type.group(1) : "not-delivered";
        }
        catch (IOException e) {
            return "not-delivered";
        }
    }

    private static String text(Map<String, StrictJson.Value> fields, String name) {
        StrictJson.Value value = fields.get(name);
        return value != null && value.kind() == StrictJson.Kind.STRING ? value.text() : "";
    }

    private static String safe(String identifier) {
        return IDENTIFIER.matcher(identifier).matches() && !CardNumbers.isIn(identifier) ? identifier : "";
    }

    private static String first(Message message, String... names) throws JMSException {
        for (String name : names) {
            Object value = name.equals("JMSMessageID") ? message.getJMSMessageID() : message.getObjectProperty(name);
            if (value != null && !value.toString().isBlank()) {
                return value.toString();
            }
        }
        return "";
    }
}
