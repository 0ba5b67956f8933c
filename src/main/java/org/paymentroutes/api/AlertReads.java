package org.paymentroutes.api;

import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.FieldError;
import org.paymentroutes.payment.RefusedRequestException;
import org.paymentroutes.payment.StrictJson;
import org.springframework.stereotype.Component;

/** Shows alerts, and reads who takes care of one: checks what came in for the statements, and words the answers. */
@Component("alertReads")
public class AlertReads {

    private static final int LIMIT_MAX = 200;
    private static final int NOTE_MAX = 500;
    private static final Pattern TEXT = Pattern.compile("[^\\p{Cntrl}]{1,200}");
    private static final Pattern ID = Pattern.compile("[1-9][0-9]{0,17}");
    private static final Set<String> LIST = new TreeSet<>(Set.of("open", "kind", "severity", "subject", "before", "limit"));

    /** Sets the body to the parameters of {@code sql/alert-list.sql}. */
    public void list(Exchange exchange) {
        Map<String, String> query = HttpRequests.parameters(HttpRequests.of(exchange), LIST);
        List<FieldError> errors = new ArrayList<>();
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("open", value(query, "open", "", Set.of("true", "false")::contains, "true or false", errors));
        parameters.put("kind", value(query, "kind", "", text -> text.matches("[A-Z][A-Z_]{2,39}"), "a kind such as UNKNOWN_OLD", errors));
        parameters.put("severity", value(query, "severity", "", Set.of("WARNING", "CRITICAL")::contains, "WARNING or CRITICAL", errors));
        parameters.put("subject", value(query, "subject", "", TEXT.asMatchPredicate(), "1 to 200 characters, no control characters", errors));
        parameters.put("before", value(query, "before", Long.toString(Long.MAX_VALUE), ID.asMatchPredicate(), "the nextBefore of a page", errors));
        parameters.put("limit", value(query, "limit", "50", text -> text.matches("[1-9][0-9]{0,2}") && Integer.parseInt(text) <= LIMIT_MAX,
                "an integer from 1 to " + LIMIT_MAX, errors));
        HttpRequests.refuse(errors);
        exchange.getMessage().setBody(parameters);
    }

    private static String value(Map<String, String> query, String name, String otherwise, Predicate<String> fine, String allowed,
            List<FieldError> errors) {
        String value = query.get(name);
        if (value == null) {
            return otherwise;
        }
        if (!fine.test(value)) {
            errors.add(new FieldError(name, value, allowed));
            return otherwise;
        }
        return value;
    }

    /** Sets the body to the parameters of {@code sql/alert-acknowledge.sql}. The body of the request may hold a note. */
    public void acknowledge(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        Map<String, StrictJson.Value> fields = StrictJson.object(RequestBodyFilter.bodyOf(http));
        List<FieldError> errors = new ArrayList<>();
        fields.keySet().stream().filter(name -> !name.equals("note")).forEach(name -> errors.add(new FieldError(name, "an unknown field", "note")));
        StrictJson.Value note = fields.get("note");
        if (note != null && (note.kind() != StrictJson.Kind.STRING || note.text().isBlank() || note.text().length() > NOTE_MAX
                || note.text().codePoints().anyMatch(Character::isISOControl))) {
            errors.add(new FieldError("note", note.text(), "1 to " + NOTE_MAX + " characters, no control characters"));
        }
        if (!errors.isEmpty()) {
            throw new RefusedRequestException(RefusedRequestException.Kind.INVALID, "A field is wrong.", errors);
        }
        String[] path = http.getRequestURI().split("/");
        String id = path[path.length - 2];
        if (!ID.matcher(id).matches()) {
            throw new ProblemException(PaymentReads.notFound());
        }
        exchange.getMessage().setBody(Map.of("alertId", id, "actor", Caller.current().name(), "note", note == null ? "" : note.text()));
    }

    /** Answers with the document of the row, or 404 when there is no row. */
    public void document(Exchange exchange) {
        String document = exchange.getMessage().getBody(String.class);
        if (document == null) {
            HttpAnswer.problem(exchange, PaymentReads.notFound());
        }
        else {
            HttpAnswer.set(exchange, 200, HttpAnswer.JSON, document, Map.of());
        }
    }
}
