package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.FieldError;
import org.paymentroutes.payment.RefusedRequestException;
import org.paymentroutes.payment.StrictJson;
import org.springframework.stereotype.Component;

/** What operators ask for by hand: a query now, and a comparison with the provider. Neither ever sends. */
@Component("operatorRequests")
public class OperatorRequests {

    private static final ObjectMapper JSON = JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
    private static final int IDS_MAX = 200;

    /** Sets the body to the parameters of {@code sql/refresh.sql}. The body of the request is an empty object. */
    public void refresh(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        Map<String, StrictJson.Value> fields = StrictJson.object(RequestBodyFilter.bodyOf(http));
        refuse(fields.keySet().stream().map(name -> new FieldError(name, "an unknown field", "no fields")).toList());
        exchange.setVariable("paymentId", PaymentReads.idOf(http, "/refresh"));
        exchange.setVariable("actor", Caller.current().name());
    }

    /** Answers what will happen, or the problem of why nothing will. */
    public void refreshed(Exchange exchange) throws JsonProcessingException {
        String document = exchange.getMessage().getBody(String.class);
        if (document == null) {
            throw new ProblemException(PaymentReads.notFound());
        }
        JsonNode found = JSON.readTree(document);
        String result = found.path("result").asText();
        if (!result.equals("ASKED")) {
            throw new ProblemException(problem(result, found));
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("paymentId", found.path("paymentId").asText());
        answer.put("state", found.path("state").asText());
        answer.put("willHappen", "The provider is asked within seconds, as soon as its budget of queries allows; nothing is sent. What it"
                + " says is recorded as evidence.");
        answer.put("wasDueAt", found.path("wasDueAt").asText());
        answer.put("queryCount", found.path("queryCount").asInt());
        answer.put("links", Map.of("self", "/api/payments/" + found.path("paymentId").asText()));
        HttpAnswer.set(exchange, 202, HttpAnswer.JSON, JSON.writeValueAsString(answer), Map.of());
    }

    private static Problem problem(String result, JsonNode found) {
        String title = "The provider is not asked now.";
        return switch (result) {
            case "FINAL" -> Problem.of("payment-final", title, 409, "The payment is " + found.path("state").asText()
                    + ". Compare it with the provider instead.");
            case "PENDING" -> Problem.of("payment-not-sent", title, 409, "The payment waits to be sent; there is nothing to ask about.");
            case "SUBMITTING" -> Problem.of("payment-being-sent", title, 409,
                    "A worker waits for its answer; it is asked about when the lease is over.");
            case "CANNOT_BE_ASKED" -> Problem.of("provider-cannot-be-asked", title, 409,
                    "The contract of provider " + found.path("provider").asText() + " names no query by our reference.");
            default -> Problem.of("too-many-requests", title, 429, result.equals("TOO_OFTEN") ? "It was asked for a moment ago."
                    : "Many payments of this provider were asked for in this minute.").retryAfter(found.path("retryAfter").asInt());
        };
    }

    /** Sets the variables that {@code sql/compare.sql} reads. */
    public void compare(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        JsonNode body = body(http);
        List<FieldError> errors = new ArrayList<>();
        body.fieldNames().forEachRemaining(name -> {
            if (!Set.of("provider", "ids").contains(name)) {
                errors.add(new FieldError(name, "an unknown field", "provider, ids"));
            }
        });
        if (!body.path("provider").isTextual() || !body.path("provider").textValue().matches("[a-z][a-z0-9-]{0,39}")) {
            errors.add(new FieldError("provider", body.has("provider") ? body.path("provider").asText() : null, "name of a provider"));
        }
        Set<String> ids = new LinkedHashSet<>();
        for (JsonNode id : body.path("ids")) {
            if (id.isTextual() && id.textValue().matches("[^\\p{Cntrl}]{1,255}")) {
                ids.add(id.textValue());
            }
            else {
                errors.add(new FieldError("ids", id.asText(), "texts of 1 to 255 characters"));
            }
        }
        if (!body.path("ids").isArray() || body.path("ids").isEmpty() || body.path("ids").size() > IDS_MAX) {
            errors.add(new FieldError("ids", body.path("ids").isArray() ? body.path("ids").size() + " ids" : null,
                    "1 to " + IDS_MAX + " payment ids, ours or the provider's"));
        }
        refuse(errors);
        exchange.setVariable("provider", body.path("provider").textValue());
        exchange.setVariable("ids", JSON.valueToTree(ids).toString());
    }

    private static JsonNode body(HttpServletRequest http) {
        try {
            JsonNode body = JSON.readTree(RequestBodyFilter.bodyOf(http));
            if (body != null && body.isObject()) {
                return body;
            }
        }
        catch (IOException e) {
            // Its message would repeat a part of the body; said below.
        }
        throw new RefusedRequestException(RefusedRequestException.Kind.MALFORMED, "The body is not a well-formed JSON object.", List.of());
    }

    /** Refuses when the provider is unknown or cannot be asked, before anybody is asked. */
    public void comparable(Exchange exchange) {
        List<?> rows = exchange.getMessage().getBody(List.class);
        if (rows.isEmpty()) {
            throw new ProblemException(PaymentReads.notFound());
        }
        if (!Boolean.TRUE.equals(((Map<?, ?>) rows.get(0)).get("can_query"))) {
            throw new ProblemException(Problem.of("provider-cannot-be-asked", "The provider is not asked now.", 409,
                    "The contract of this provider names no query by our reference."));
        }
    }

    /** Answers with each id: ours, theirs, and the difference. */
    public void compared(Exchange exchange) throws JsonProcessingException {
        List<Object> items = new ArrayList<>();
        Map<String, Integer> differences = new LinkedHashMap<>();
        for (Object found : exchange.getMessage().getBody(List.class)) {
            Map<?, ?> row = (Map<?, ?>) found;
            Map<String, Object> item = new LinkedHashMap<>();
            item.put("id", row.get("id"));
            Map<String, Object> ours = new LinkedHashMap<>();
            ours.put("paymentId", row.get("payment_id"));
            ours.put("state", row.get("state"));
            ours.put("category", row.get("category"));
            ours.put("operation", row.get("operation"));
            ours.put("amountMinor", row.get("amount_minor"));
            ours.put("currency", row.get("currency"));
            ours.put("providerPaymentId", row.get("provider_payment_id"));
            item.put("ours", row.get("payment_id") == null ? null : ours);
            item.put("theirs", row.get("theirs"));
            item.put("difference", row.get("difference"));
            differences.merge((String) row.get("difference"), 1, Integer::sum);
            items.add(item);
        }
        HttpAnswer.set(exchange, 200, HttpAnswer.JSON, JSON.writeValueAsString(Map.of("items", items, "differences", differences)), Map.of());
    }

    private static void refuse(List<FieldError> errors) {
        if (!errors.isEmpty()) {
            throw new RefusedRequestException(RefusedRequestException.Kind.INVALID, "A field is wrong.", errors);
        }
    }
}
