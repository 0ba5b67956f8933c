package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.FieldError;
import org.paymentroutes.payment.IdempotencyKey;
import org.paymentroutes.payment.PaymentIntake;
import org.paymentroutes.payment.PaymentRequest;
import org.paymentroutes.payment.StrictJson;
import org.springframework.stereotype.Component;

/** The two ends of the HTTP intake route: reads a request, and words the answer for each result of the statement. */
@Component("httpIntake")
public class HttpIntake {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String KEY = "Idempotency-Key";

    private final PaymentIntake intake;

    HttpIntake(PaymentIntake intake) {
        this.intake = intake;
    }

    /**
     * Checks the request of this exchange. Sets the variable {@code request} and, as body, the statement's parameters.
     *
     * @throws RuntimeException a refusal with everything that is wrong, or a failure of the database
     */
    public void read(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        // From the servlet request: Camel would also take a query parameter of this name for the header.
        String key = IdempotencyKey.read(KEY, Collections.list(http.getHeaders(KEY)));
        PaymentRequest request = intake.check(StrictJson.object(RequestBodyFilter.bodyOf(http)));
        exchange.setVariable("request", request);
        exchange.getMessage().setBody(intake.parameters(request, key, Caller.current().name()));
    }

    /** Answers 202 with the receipt; the same bytes for a replay. */
    public void accepted(Exchange exchange) {
        Map<?, ?> row = exchange.getMessage().getBody(Map.class);
        PaymentRequest request = exchange.getVariable("request", PaymentRequest.class);
        String id = (String) row.get("payment_id");
        Map<String, Object> receipt = new LinkedHashMap<>();
        receipt.put("paymentId", id);
        receipt.put("sourceReference", request.sourceReference());
        receipt.put("operation", request.operation());
        if (request.refundOf() != null) {
            receipt.put("refundOf", request.refundOf());
        }
        receipt.put("provider", request.provider());
        receipt.put("amountMinor", request.amountMinor());
        receipt.put("amount", request.amount());
        receipt.put("currency", request.currency());
        receipt.put("acceptedAt", row.get("accepted_at"));
        receipt.put("links", Map.of("self", "/api/payments/" + id));
        Map<String, String> headers = new HashMap<>();
        headers.put("Location", "/api/payments/" + id);
        if ("REPLAYED".equals(row.get("result"))) {
            headers.put("Idempotency-Replayed", "true");
        }
        try {
            HttpAnswer.set(exchange, 202, HttpAnswer.JSON, JSON.writeValueAsString(receipt), headers);
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException("texts and numbers are always JSON", e);
        }
    }

    /** Answers 422: this key was used for something else. */
    public void otherContent(Exchange exchange) {
        HttpAnswer.problem(exchange, Problem.of("idempotency-key-reused", "This Idempotency-Key was used for another request.", 422,
                "Repeat a request unchanged, or send a new one under a new key.")
                .with(List.of(new FieldError(KEY, "a key with other content", "the same content, or a new key"))));
    }

    /** Answers 409: the first request with this key, or for this source reference, is being recorded right now. */
    public void inProgress(Exchange exchange) {
        HttpAnswer.problem(exchange, Problem.of("request-in-progress", "The same request is being handled right now.", 409,
                "Repeat it unchanged to get its answer.").retryAfter(1));
    }

    /** Answers 409: the obligation has a payment that is not final. */
    public void obligationOpen(Exchange exchange) {
        Map<?, ?> row = exchange.getMessage().getBody(Map.class);
        PaymentRequest request = exchange.getVariable("request", PaymentRequest.class);
        HttpAnswer.problem(exchange, Problem.of("obligation-open", "There is a payment for this source reference that is not final.", 409,
                "A second payment is accepted after that one has failed or succeeded.")
                .with(List.of(new FieldError("sourceReference", request.sourceReference(), "a reference without an open payment")))
                .with("paymentId", row.get("payment_id"))
                .with("links", Map.of("self", "/api/payments/" + row.get("payment_id"))));
    }
}
