package org.paymentroutes.payment;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.Exchange;
import org.apache.camel.component.jms.JmsBinding;
import org.apache.camel.component.jms.JmsMessage;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The two ends of the JMS intake route: reads a text message, and prepares what is refused for the dead letters. */
@Component("jmsIntake")
public class JmsIntake {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String KEY = "idempotencyKey";
    private static final int BODY_MAX = 64 * 1024;
    private static final int REASON_MAX = 200;

    private final PaymentIntake intake;
    private final String caller;
    private final String queue;

    JmsIntake(PaymentIntake intake, @Value("${payment-routes.jms.caller:jms}") String caller,
            @Value("${payment-routes.jms.requests:payments.requests}") String queue) {
        this.intake = intake;
        this.caller = caller;
        this.queue = queue;
    }

    /**
     * Checks the message of this exchange, whose body is the JMS message itself. Sets the variables {@code message} and
     * {@code request} and, as body, the statement's parameters. Only text is ever read: no object is deserialised.
     *
     * @throws JMSException            when the broker is gone
     * @throws RefusedRequestException with everything that is wrong with it
     */
    public void read(Exchange exchange) throws JMSException {
        Message message = exchange.getMessage().getBody(Message.class);
        exchange.setVariable("message", message);
        if (!(message instanceof TextMessage text)) {
            throw new RefusedRequestException(RefusedRequestException.Kind.MALFORMED, "The message is not a text message.", List.of());
        }
        String body = text.getText();
        if (body != null && body.length() > BODY_MAX) {
            throw new RefusedRequestException(RefusedRequestException.Kind.MALFORMED,
                    "The message has more than " + BODY_MAX + " characters.", List.of());
        }
        PaymentRequest request = intake.check(StrictJson.object(body == null ? "" : body));
        exchange.setVariable("request", request);
        String key = message.propertyExists(KEY)
                ? IdempotencyKey.read(KEY, List.of(String.valueOf(message.getObjectProperty(KEY)))) : request.sourceReference();
        exchange.getMessage().setBody(intake.parameters(request, key, caller));
    }

    /** @return whether the caught failure stays, however often the message is delivered */
    public boolean poison(Exchange exchange) {
        Throwable failure = exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class);
        return !TechnicalFailure.is(failure) && !(failure instanceof JMSException);
    }

    /** Makes the exchange the original message, with what is wrong with it as properties; its body stays untouched. */
    public void refuse(Exchange exchange) throws JMSException {
        Throwable failure = exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class);
        if (failure instanceof RefusedRequestException refused) {
            deadLetter(exchange, switch (refused.kind()) {
                case MALFORMED -> "malformed-request";
                case INVALID -> "invalid-request";
                case KEY -> "idempotency-key";
            }, refused.getMessage(), refused.errors());
        }
        else if (failure instanceof ProviderRefusedException) {
            deadLetter(exchange, "provider-refused", failure.getMessage(), List.of());
        }
        else {
            deadLetter(exchange, "internal", "The request could not be handled: " + failure.getClass().getSimpleName() + ".", List.of());
        }
    }

    /** As {@link #refuse}, for a key that was used for other content. */
    public void otherContent(Exchange exchange) throws JMSException {
        deadLetter(exchange, "idempotency-key-reused", "This idempotency key was used for another request.", List.of());
    }

    /** As {@link #refuse}, for an obligation that has an open payment. */
    public void obligationOpen(Exchange exchange) throws JMSException {
        deadLetter(exchange, "obligation-open", "There is a payment for this source reference that is not final.", List.of());
    }

    private void deadLetter(Exchange exchange, String type, String reason, List<FieldError> errors) throws JMSException {
        Message message = exchange.getVariable("message", Message.class);
        Map<String, Object> kept = new LinkedHashMap<>();
        for (Object name : new ArrayList<>(Collections.list((java.util.Enumeration<?>) message.getPropertyNames()))) {
            String property = (String) name;
            // A duplicate id of the broker would make a second dead letter vanish.
            if (!property.startsWith("JMS") && !property.startsWith("_AMQ")) {
                kept.put(property, message.getObjectProperty(property));
            }
        }
        String messageId = message.getJMSMessageID();
        message.clearProperties();
        for (Map.Entry<String, Object> property : kept.entrySet()) {
            message.setObjectProperty(property.getKey(), property.getValue());
        }
        message.setStringProperty("problem", problem(type, reason, errors));
        message.setStringProperty("reason", reason.substring(0, Math.min(REASON_MAX, reason.length())));
        message.setStringProperty("originalQueue", queue);
        if (messageId != null) {
            message.setStringProperty("originalMessageId", messageId);
            if (message.getJMSCorrelationID() == null) {
                message.setJMSCorrelationID(messageId);
            }
        }
        JmsMessage letter = new JmsMessage(exchange, message, null, new JmsBinding());
        // Without a body of its own Camel would read the message, and so deserialise an object, to find one.
        letter.setBody(message);
        exchange.setMessage(letter);
    }

    private static String problem(String type, String reason, List<FieldError> errors) {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("type", "/problems/" + type);
        problem.put("title", reason);
        problem.put("errors", errors);
        try {
            return JSON.writeValueAsString(problem);
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException("texts and field errors are always JSON", e);
        }
    }
}
