package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
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
import org.postgresql.util.PSQLException;
import org.springframework.stereotype.Component;

/**
 * What people say about a case: reads proposals, approvals and refusals for the statements, and words the answers. Whether
 * a decision is allowed, and what follows from it, the schema says; here its refusals become problems.
 */
@Component("reviewDecisions")
public class ReviewDecisions {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int REASON_MIN = 5;
    private static final int REASON_MAX = 2000;
    private static final String DONE = "done";

    /** Sets the body to the parameters of {@code sql/propose-decision.sql}. */
    public void propose(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        Map<String, StrictJson.Value> fields = fields(http, Set.of("kind", "reason", "details"));
        List<FieldError> errors = new ArrayList<>();
        StrictJson.Value kind = fields.get("kind");
        if (kind == null || kind.kind() != StrictJson.Kind.STRING || !kind.text().matches("[A-Z_]{3,40}")) {
            errors.add(new FieldError("kind", kind == null ? null : kind.text(), "a kind of decision, such as CONFIRM_FAILED"));
        }
        String reason = reason(fields, errors);
        StrictJson.Value details = fields.get("details");
        if (details != null && details.kind() != StrictJson.Kind.OBJECT) {
            errors.add(new FieldError("details", details.text(), "an object"));
        }
        refuse(errors);
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("caseId", ReviewReads.id(http, 2));
        said.put("kind", kind.text());
        said.put("reason", reason);
        said.put("details", details == null ? "{}" : details(http));
        said.put("actor", Caller.current().name());
        exchange.setVariable("said", said);
        exchange.getMessage().setBody(said);
    }

    /** Sets the body to the parameters of {@code sql/approve-decision.sql}. */
    public void approve(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        fields(http, Set.of());
        say(exchange, Map.of("decisionId", ReviewReads.id(http, 2), "actor", Caller.current().name(), DONE, "approvedBy"));
    }

    /** Sets the body to the parameters of {@code sql/refuse-decision.sql}. A reason is needed. */
    public void refuse(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        List<FieldError> errors = new ArrayList<>();
        String reason = reason(fields(http, Set.of("reason")), errors);
        refuse(errors);
        say(exchange, Map.of("decisionId", ReviewReads.id(http, 2), "actor", Caller.current().name(), "reason", reason,
                DONE, "refusedBy"));
    }

    private static void say(Exchange exchange, Map<String, Object> said) {
        exchange.setVariable("said", said);
        exchange.getMessage().setBody(said);
    }

    /**
     * Sets the body to the parameter of {@code sql/decision-document.sql}, for the decision of the row.
     *
     * @throws ProblemException 404 when the statement found nothing to decide
     */
    public void decided(Exchange exchange) {
        List<?> rows = exchange.getMessage().getBody(List.class);
        if (rows.isEmpty()) {
            throw new ProblemException(PaymentReads.notFound());
        }
        exchange.getMessage().setBody(Map.of("decisionId", ((Map<?, ?>) rows.get(0)).get("decision_id").toString()));
    }

    /** Answers with the number of messages that are sent again. */
    public void resent(Exchange exchange) {
        Map<?, ?> row = exchange.getMessage().getBody(Map.class);
        HttpAnswer.set(exchange, 202, HttpAnswer.JSON,
                "{\"cases\":" + row.get("cases") + ",\"deadLetters\":" + row.get("dead_letters") + "}", Map.of());
    }

    /** Refuses a body with fields: nothing can be chosen here. */
    public void nothing(Exchange exchange) {
        fields(HttpRequests.of(exchange), Set.of());
        exchange.getMessage().setBody("");
    }

    /** Answers with what the schema has against it. The same said twice by one person is answered as the first time. */
    public void refused(Exchange exchange) {
        Throwable failure = exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class);
        PSQLException refusal = refusal(failure);
        if (refusal == null) {
            HttpAnswer.problem(exchange, Problems.of(failure));
            return;
        }
        JsonNode detail = detail(refusal);
        if ("PR021".equals(refusal.getSQLState()) && isReplay(exchange.getVariable("said", Map.class), detail)) {
            HttpAnswer.set(exchange, 200, HttpAnswer.JSON, detail.toString(), Map.of("Idempotency-Replayed", "true"));
            return;
        }
        HttpAnswer.problem(exchange, problem(refusal, detail));
    }

    private static Problem problem(PSQLException refusal, JsonNode detail) {
        String said = refusal.getServerErrorMessage().getMessage();
        if ("second_person_is_another".equals(refusal.getServerErrorMessage().getConstraint())) {
            return Problem.of("second-person", "The second person is another than the first.", 403,
                    "Who proposed a decision does not approve it.");
        }
        return switch (refusal.getSQLState()) {
            case "PR020" -> Problem.of("case-closed", "The case is closed.", 409, said).with("case", detail);
            case "PR021" -> Problem.of("decision-made", "Somebody was first.", 409, said).with("decision", detail);
            case "PR022" -> Problem.of("decision-not-allowed", "The evidence does not allow this decision.", 409, said)
                    .with("decision", detail);
            case "PR023" -> Problem.of("invalid-request", "The decision does not say what it must.", 422, "One field is wrong.")
                    .with(List.of(new FieldError(detail.path("field").asText(), detail.path("found").textValue(),
                            detail.path("allowed").asText())));
            // What follows from the decision is refused by a rule of payments, files or webhooks.
            default -> Problem.of("decision-not-allowed", "The evidence does not allow this decision.", 409, said);
        };
    }

    private static PSQLException refusal(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof PSQLException sql && sql.getServerErrorMessage() != null && sql.getSQLState() != null
                    && (sql.getSQLState().startsWith("PR")
                        || "second_person_is_another".equals(sql.getServerErrorMessage().getConstraint()))) {
                return sql;
            }
        }
        return null;
    }

    private static boolean isReplay(Map<?, ?> said, JsonNode made) {
        if (said == null) {
            return false;
        }
        String actor = (String) said.get("actor");
        if (said.containsKey(DONE)) {
            return actor.equals(made.path((String) said.get(DONE)).textValue());
        }
        return actor.equals(made.path("proposedBy").textValue()) && said.get("kind").equals(made.path("kind").textValue())
                && said.get("reason").equals(made.path("reason").textValue())
                && read((String) said.get("details")).equals(made.path("details"));
    }

    private static JsonNode detail(PSQLException refusal) {
        String detail = refusal.getServerErrorMessage().getDetail();
        return detail == null || !detail.startsWith("{") ? JSON.createObjectNode() : read(detail);
    }

    private static JsonNode read(String json) {
        try {
            return JSON.readTree(json);
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException("checked or made by the database", e);
        }
    }

    private static Map<String, StrictJson.Value> fields(HttpServletRequest http, Set<String> allowed) {
        HttpRequests.refuseParameters(http);
        Map<String, StrictJson.Value> fields = StrictJson.object(RequestBodyFilter.bodyOf(http));
        List<FieldError> errors = new ArrayList<>();
        fields.keySet().stream().filter(name -> !allowed.contains(name)).forEach(name -> errors.add(
                new FieldError(name, "an unknown field", allowed.isEmpty() ? "no fields" : "one of " + String.join(", ", allowed.stream().sorted().toList()))));
        refuse(errors);
        return fields;
    }

    private static String reason(Map<String, StrictJson.Value> fields, List<FieldError> errors) {
        StrictJson.Value reason = fields.get("reason");
        String text = reason != null && reason.kind() == StrictJson.Kind.STRING ? reason.text().strip() : "";
        if (text.length() < REASON_MIN || text.length() > REASON_MAX || text.codePoints().anyMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE)
                || CardNumbers.isIn(text)) {
            errors.add(new FieldError("reason", reason == null ? null : reason.text(),
                    "why, in " + REASON_MIN + " to " + REASON_MAX + " characters without a card number"));
        }
        return text;
    }

    private static String details(HttpServletRequest http) {
        JsonNode details;
        try {
            details = JSON.readTree(RequestBodyFilter.bodyOf(http)).path("details");
        }
        catch (IOException e) {
            throw new IllegalStateException("it was read as strict JSON before", e);
        }
        String text = details.toString();
        // Half of a surrogate pair would be stored as another character than was said.
        if (CardNumbers.isIn(text) || text.contains("\\u0000")
                || text.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
            refuse(List.of(new FieldError("details", text, "no card number, no character 0 and no half of a surrogate pair")));
        }
        return text;
    }

    private static void refuse(List<FieldError> errors) {
        if (!errors.isEmpty()) {
            throw new RefusedRequestException(RefusedRequestException.Kind.INVALID, "A field is wrong.", errors);
        }
    }
}
