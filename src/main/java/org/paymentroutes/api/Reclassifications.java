package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.http.HttpServletRequest;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.CardNumbers;
import org.paymentroutes.payment.FieldError;
import org.paymentroutes.payment.RefusedRequestException;
import org.paymentroutes.payment.StrictJson;
import org.paymentroutes.provider.Providers;
import org.paymentroutes.provider.Reclassifier;
import org.postgresql.util.PSQLException;
import org.springframework.stereotype.Component;

/** New readings of kept answers over HTTP: the work list, a dry run that becomes a proposal, and what a second person says. */
@Component("reclassifications")
public class Reclassifications {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> PROPOSAL = new java.util.TreeSet<>(Set.of("from", "to", "reason"));

    private final Providers providers;
    private final Reclassifier reclassifier;

    Reclassifications(Providers providers, Reclassifier reclassifier) {
        this.providers = providers;
        this.reclassifier = reclassifier;
    }

    /** Answers with the words and codes of a provider that are on no list of its contract. */
    public void unlisted(Exchange exchange) throws JsonProcessingException {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        List<Map<String, Object>> items = reclassifier.unlisted(provider(http)).stream().map(row -> {
            Map<String, Object> item = new LinkedHashMap<>();
            item.put("answerTo", "QUERY".equals(row.get("source")) ? "QUERY" : "PAYMENT");
            item.put("httpStatus", row.get("http_status"));
            item.put("words", row.get("words"));
            item.put("count", row.get("times"));
            item.put("firstAt", row.get("first_at"));
            item.put("lastAt", row.get("last_at"));
            item.put("examplePaymentId", row.get("payment_id"));
            item.put("links", Map.of("self", "/api/payments/" + row.get("payment_id")));
            return item;
        }).toList();
        HttpAnswer.set(exchange, 200, HttpAnswer.JSON, JSON.writeValueAsString(Map.of("items", items)), Map.of());
    }

    /** Reads the past again and keeps the proposal. Sets the body to the parameters of {@code sql/reclassification-document.sql}. */
    public void propose(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        String provider = provider(http);
        List<FieldError> errors = new ArrayList<>();
        Map<String, StrictJson.Value> fields = fields(http, PROPOSAL, errors);
        OffsetDateTime from = time(fields, "from", errors);
        OffsetDateTime to = time(fields, "to", errors);
        if (from != null && to != null && !from.isBefore(to)) {
            errors.add(new FieldError("to", to.toString(), "a time after from"));
        }
        StrictJson.Value reason = fields.get("reason");
        if (reason == null || reason.kind() != StrictJson.Kind.STRING || reason.text().length() < 5 || reason.text().length() > 2000
                || reason.text().codePoints().anyMatch(Character::isISOControl) || CardNumbers.isIn(reason.text())) {
            errors.add(new FieldError("reason", reason == null ? null : reason.text(), "why, in 5 to 2000 characters without a card number"));
        }
        refuse(errors);
        try {
            long id = reclassifier.propose(provider, from.toString(), to.toString(), reason.text(), Caller.current().name());
            exchange.setVariable("status", 201);
            exchange.getMessage().setBody(Map.of("reclassificationId", Long.toString(id)));
        }
        catch (Reclassifier.TooManyDifferencesException e) {
            throw new ProblemException(Problem.of("too-many-differences", "Too much would be read differently.", 422,
                    "The lists of the contract, or the period, need another look: " + e.getMessage() + "."));
        }
    }

    /** Sets the body to the parameters of {@code sql/reclassification-document.sql}. */
    public void one(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        exchange.getMessage().setBody(Map.of("reclassificationId", ReviewReads.id(http, 1)));
    }

    /** Sets the body to the parameters of {@code sql/decide-reclassification.sql}: the last part of the path is the decision. */
    public void decide(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        List<FieldError> errors = new ArrayList<>();
        fields(http, Set.of(), errors);
        refuse(errors);
        String path = http.getRequestURI();
        exchange.getMessage().setBody(Map.of("reclassificationId", ReviewReads.id(http, 2),
                "decision", path.substring(path.lastIndexOf('/') + 1), "actor", Caller.current().name()));
    }

    /** Sets the body to the parameters of {@code sql/reclassification-document.sql}, for the row that was decided. */
    public void decided(Exchange exchange) {
        List<?> rows = exchange.getMessage().getBody(List.class);
        if (rows.isEmpty()) {
            throw new ProblemException(PaymentReads.notFound());
        }
        exchange.getMessage().setBody(Map.of("reclassificationId", ((Map<?, ?>) rows.get(0)).get("reclassification_id").toString()));
    }

    /** Answers with the document of the row, or 404 when there is no row. */
    public void document(Exchange exchange) {
        String document = exchange.getMessage().getBody(String.class);
        Integer status = exchange.getVariable("status", 200, Integer.class);
        if (document == null) {
            throw new ProblemException(PaymentReads.notFound());
        }
        HttpAnswer.set(exchange, status, HttpAnswer.JSON, document, Map.of());
    }

    /** Answers with what the schema has against it, or as {@link Problems#answer} does. */
    public void refused(Exchange exchange) {
        Throwable failure = exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class);
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof PSQLException refusal && refusal.getServerErrorMessage() != null) {
                if ("reclassified_by_another".equals(refusal.getServerErrorMessage().getConstraint())) {
                    HttpAnswer.problem(exchange, Problem.of("second-person", "The second person is another than the first.", 403,
                            "Who proposed it does not approve it."));
                    return;
                }
                if ("PR012".equals(refusal.getSQLState()) || "PR001".equals(refusal.getSQLState())) {
                    HttpAnswer.problem(exchange, Problem.of("reclassification-decided", "This is not possible any more.", 409,
                            refusal.getServerErrorMessage().getMessage()));
                    return;
                }
            }
        }
        HttpAnswer.problem(exchange, Problems.of(failure));
    }

    private String provider(HttpServletRequest http) {
        String[] path = http.getRequestURI().split("/");
        String name = path[path.length - 2];
        if (!providers.names().contains(name)) {
            throw new ProblemException(PaymentReads.notFound());
        }
        return name;
    }

    private static Map<String, StrictJson.Value> fields(HttpServletRequest http, Set<String> allowed, List<FieldError> errors) {
        HttpRequests.refuseParameters(http);
        Map<String, StrictJson.Value> fields = StrictJson.object(RequestBodyFilter.bodyOf(http));
        fields.keySet().stream().filter(name -> !allowed.contains(name)).forEach(name -> errors.add(new FieldError(name,
                "an unknown field", allowed.isEmpty() ? "no fields" : "one of " + String.join(", ", allowed))));
        return fields;
    }

    private static OffsetDateTime time(Map<String, StrictJson.Value> fields, String name, List<FieldError> errors) {
        StrictJson.Value value = fields.get(name);
        try {
            OffsetDateTime time = value == null || value.kind() != StrictJson.Kind.STRING ? null : OffsetDateTime.parse(value.text());
            if (time != null && time.getYear() >= 1970 && time.getYear() <= 9999) {
                return time;
            }
        }
        catch (DateTimeParseException e) {
            // Said below, together with what else is wrong.
        }
        errors.add(new FieldError(name, value == null ? null : value.text(), "an RFC 3339 time with offset, such as 2026-01-31T12:00:00Z"));
        return null;
    }

    private static void refuse(List<FieldError> errors) {
        if (!errors.isEmpty()) {
            throw new RefusedRequestException(RefusedRequestException.Kind.INVALID,
                    errors.size() == 1 ? "One field is wrong." : errors.size() + " fields are wrong.", errors);
        }
    }
}
