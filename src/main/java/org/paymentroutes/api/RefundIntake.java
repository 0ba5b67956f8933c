package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.http.HttpServletRequest;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.FieldError;
import org.paymentroutes.payment.IdempotencyKey;
import org.paymentroutes.payment.PaymentIntake;
import org.paymentroutes.payment.PaymentRequest;
import org.paymentroutes.payment.RefundedPayment;
import org.paymentroutes.payment.StrictJson;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.springframework.stereotype.Component;

/** Reads a request for a refund, and words what the database refuses of it. */
@Component("refundIntake")
public class RefundIntake {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String KEY = "Idempotency-Key";
    /** Of {@code refund_counted} in the schema. */
    private static final String NOT_REFUNDED = "PR010";

    private final PaymentIntake intake;

    RefundIntake(PaymentIntake intake) {
        this.intake = intake;
    }

    /** Sets the variables {@code key} and {@code fields}, and the body to the parameters of {@code sql/refunded-payment.sql}. */
    public void read(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        exchange.setVariable("key", IdempotencyKey.read(KEY, Collections.list(http.getHeaders(KEY))));
        exchange.setVariable("fields", StrictJson.object(RequestBodyFilter.bodyOf(http)));
        // A refund is its caller's own, whatever else this login may see.
        exchange.getMessage().setBody(Map.of("paymentId", PaymentReads.idOf(http, "/refunds"), "caller", Caller.current().name()));
    }

    /** Sets the variable {@code request}, and the body to the intake statement's parameters, from the refunded payment's row. */
    @SuppressWarnings("unchecked")
    public void request(Exchange exchange) {
        Map<?, ?> row = exchange.getMessage().getBody(Map.class);
        if (row == null) {
            throw new ProblemException(PaymentReads.notFound());
        }
        PaymentRequest request = intake.checkRefund(exchange.getVariable("fields", Map.class), RefundedPayment.of(row));
        exchange.setVariable("request", request);
        exchange.getMessage().setBody(intake.parameters(request, exchange.getVariable("key", String.class), Caller.current().name()));
    }

    /** Answers with what the database refused and what is left of the payment, or as {@link Problems#answer} does. */
    public void refused(Exchange exchange) {
        Throwable failure = exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class);
        PaymentRequest request = exchange.getVariable("request", PaymentRequest.class);
        for (Throwable cause = failure; cause != null && request != null; cause = cause.getCause()) {
            if (cause instanceof PSQLException refusal && NOT_REFUNDED.equals(refusal.getSQLState())) {
                HttpAnswer.problem(exchange, problem(refusal.getServerErrorMessage(), request));
                return;
            }
        }
        HttpAnswer.problem(exchange, Problems.of(failure));
    }

    private static Problem problem(ServerErrorMessage message, PaymentRequest request) {
        JsonNode detail;
        try {
            detail = JSON.readTree(message.getDetail());
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException("the schema writes this detail as JSON", e);
        }
        Map<String, Object> links = Map.of("self", "/api/payments/" + request.refundOf());
        if (!detail.hasNonNull("leftMinor") || detail.path("leftMinor").asLong() >= request.amountMinor()) {
            return Problem.of("not-refundable", "This payment is not refunded.", 409, "Not refunded: " + detail.path("why").asText() + ".")
                    .with("state", detail.path("state").asText()).with("links", links);
        }
        long leftMinor = detail.path("leftMinor").asLong();
        String left = BigDecimal.valueOf(leftMinor, request.exponent()).toPlainString();
        return Problem.of("refund-too-large", "The refund is larger than what is left of the payment.", 409,
                        "Left are " + left + " " + request.currency() + ", asked for were " + request.amount() + " " + request.currency() + ".")
                .with(List.of(new FieldError("amountMinor", Long.toString(request.amountMinor()), leftMinor == 0
                        ? "nothing: nothing is left" : "1 to " + leftMinor)))
                .with("leftMinor", leftMinor).with("left", left).with("currency", request.currency()).with("links", links);
    }
}
