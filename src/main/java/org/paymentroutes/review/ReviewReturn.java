package org.paymentroutes.review;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.springframework.stereotype.Component;

/** Reads what comes back from the review: only which payment it is about, whatever else it says. */
@Component("reviewReturn")
public class ReviewReturn {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final int BODY_MAX = 256 * 1024;

    /**
     * Sets the variable {@code paymentId}, empty when the message names none, and the body to the parameters of
     * {@code sql/ask-now.sql}. The id is the property {@code jobId}, else the member {@code jobId} or {@code paymentId} of
     * the text, else the text.
     *
     * @throws JMSException when the broker is gone
     */
    public void read(Exchange exchange) throws JMSException {
        Message message = exchange.getMessage().getBody(Message.class);
        String id = id(message.getStringProperty("jobId"));
        if (id.isEmpty() && message instanceof TextMessage text && text.getText() != null && text.getText().length() <= BODY_MAX) {
            String body = text.getText().strip();
            id = body.startsWith("{") ? member(body) : id(body);
        }
        exchange.setVariable("paymentId", id);
        exchange.getMessage().setBody(Map.of("paymentId", id));
    }

    private static String member(String json) {
        try {
            JsonNode message = JSON.readTree(json);
            return id(message.path(message.has("jobId") ? "jobId" : "paymentId").asText());
        }
        catch (JsonProcessingException e) {
            return "";
        }
    }

    private static String id(String text) {
        String id = text == null ? "" : text.strip().toLowerCase(Locale.ROOT);
        return ID.matcher(id).matches() ? id : "";
    }
}
