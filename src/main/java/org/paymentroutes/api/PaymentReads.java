package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.util.RawValue;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.FieldError;
import org.springframework.stereotype.Component;
import org.springframework.web.util.UriComponentsBuilder;

/** Reads of payments and balances: checks parameters for the statements, and words the answers. */
@Component("paymentReads")
public class PaymentReads {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LIMIT_DEFAULT = 50;
    private static final int LIMIT_MAX = 200;
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}");
    private static final Pattern TEXT = Pattern.compile("[^\\p{Cntrl}]{1,200}");
    private static final Pattern CURSOR = Pattern.compile("(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z)_([0-9a-f-]{36})");
    private static final Set<String> STATES = new TreeSet<>(Set.of(
            "PENDING", "SUBMITTING", "PROCESSING", "UNKNOWN", "SUCCEEDED", "FAILED", "REVIEW"));
    private static final Set<String> OPERATIONS = new TreeSet<>(Set.of("CHARGE", "PAYOUT", "REFUND"));
    private static final Set<String> LIST = new TreeSet<>(Set.of("state", "provider", "sourceReference", "operation",
            "currency", "acceptedFrom", "acceptedTo", "cursor", "limit"));
    private static final Set<String> BALANCES = new TreeSet<>(Set.of("currency", "account", "provider"));

    /** Sets the body to the parameters of {@code sql/payment-document.sql}. */
    public void one(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        exchange.getMessage().setBody(Map.of("paymentId", idOf(http, ""), "caller", Caller.current().scope()));
    }

    /**
     * @param http  the request
     * @param after what follows the payment id in its path
     * @return the payment id in its path
     * @throws ProblemException 404 when it cannot be one
     */
    static String idOf(HttpServletRequest http, String after) {
        String path = http.getRequestURI();
        path = path.endsWith(after) ? path.substring(0, path.length() - after.length()) : path;
        String id = path.substring(path.lastIndexOf('/') + 1).toLowerCase(java.util.Locale.ROOT);
        if (!ID.matcher(id).matches()) {
            throw new ProblemException(notFound());
        }
        return id;
    }

    /** Sets the body to the parameters of {@code sql/payment-list.sql}, and the variable {@code query}. */
    public void list(Exchange exchange) {
        Map<String, String> query = HttpRequests.parameters(HttpRequests.of(exchange), LIST);
        List<FieldError> errors = new ArrayList<>();
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("state", oneOf(query, "state", STATES, errors));
        parameters.put("operation", oneOf(query, "operation", OPERATIONS, errors));
        for (String name : List.of("provider", "sourceReference", "currency")) {
            parameters.put(name, text(query, name, errors));
        }
        parameters.put("acceptedFrom", time(query, "acceptedFrom", "-infinity", errors));
        parameters.put("acceptedTo", time(query, "acceptedTo", "infinity", errors));
        parameters.put("limit", limit(query, errors));
        cursor(query, parameters, errors);
        HttpRequests.refuse(errors);
        parameters.put("caller", Caller.current().scope());
        exchange.setVariable("query", query);
        exchange.getMessage().setBody(parameters);
    }

    /** Sets the body to the parameters of {@code sql/ledger-balances.sql}. */
    public void balances(Exchange exchange) {
        Map<String, String> query = HttpRequests.parameters(HttpRequests.of(exchange), BALANCES);
        List<FieldError> errors = new ArrayList<>();
        Map<String, Object> parameters = new HashMap<>();
        BALANCES.forEach(name -> parameters.put(name, text(query, name, errors)));
        HttpRequests.refuse(errors);
        exchange.getMessage().setBody(parameters);
    }

    /** Answers with the document of the row, or 404 when there is no row. */
    public void document(Exchange exchange) {
        // Camel gives a row of one column as its value.
        String document = exchange.getMessage().getBody(String.class);
        if (document == null) {
            HttpAnswer.problem(exchange, notFound());
        }
        else {
            HttpAnswer.set(exchange, 200, HttpAnswer.JSON, document, Map.of());
        }
    }

    /** Answers with the page of the row and the link to the next one. */
    public void page(Exchange exchange) {
        Map<?, ?> row = exchange.getMessage().getBody(Map.class);
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("items", new RawValue((String) row.get("items")));
        if (Boolean.TRUE.equals(row.get("more"))) {
            String cursor = Base64.getUrlEncoder().withoutPadding()
                    .encodeToString(((String) row.get("last")).getBytes(StandardCharsets.UTF_8));
            Map<?, ?> query = exchange.getVariable("query", Map.class);
            UriComponentsBuilder next = UriComponentsBuilder.fromPath("/api/payments");
            Map<String, Object> values = new HashMap<>();
            query.forEach((name, value) -> {
                if (!"cursor".equals(name)) {
                    next.queryParam((String) name, "{" + name + "}");
                    values.put((String) name, value);
                }
            });
            next.queryParam("cursor", cursor);
            page.put("next", next.encode().buildAndExpand(values).toUriString());
        }
        try {
            HttpAnswer.set(exchange, 200, HttpAnswer.JSON, JSON.writeValueAsString(page), Map.of());
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException("the database made this JSON", e);
        }
    }

    static Problem notFound() {
        return Problem.of("not-found", "There is no such resource.", 404, null);
    }

    private static String oneOf(Map<String, String> query, String name, Set<String> allowed, List<FieldError> errors) {
        String value = query.get(name);
        if (value != null && !allowed.contains(value)) {
            errors.add(new FieldError(name, value, "one of " + String.join(", ", allowed)));
        }
        return value == null ? "" : value;
    }

    private static String text(Map<String, String> query, String name, List<FieldError> errors) {
        String value = query.get(name);
        if (value != null && !TEXT.matcher(value).matches()) {
            errors.add(new FieldError(name, value, "1 to 200 characters, no control characters"));
        }
        return value == null ? "" : value;
    }

    private static String time(Map<String, String> query, String name, String otherwise, List<FieldError> errors) {
        String value = query.get(name);
        if (value == null) {
            return otherwise;
        }
        try {
            OffsetDateTime time = OffsetDateTime.parse(value);
            if (time.getYear() >= 1970 && time.getYear() <= 9999) {
                return time.toString();
            }
        }
        catch (DateTimeParseException e) {
            // Said below, together with what else is wrong.
        }
        errors.add(new FieldError(name, value, "an RFC 3339 time with offset, such as 2026-01-31T12:00:00Z"));
        return otherwise;
    }

    private static int limit(Map<String, String> query, List<FieldError> errors) {
        String value = query.get("limit");
        if (value == null) {
            return LIMIT_DEFAULT;
        }
        if (value.matches("[1-9][0-9]{0,2}") && Integer.parseInt(value) <= LIMIT_MAX) {
            return Integer.parseInt(value);
        }
        errors.add(new FieldError("limit", value, "an integer from 1 to " + LIMIT_MAX));
        return LIMIT_DEFAULT;
    }

    private static void cursor(Map<String, String> query, Map<String, Object> parameters, List<FieldError> errors) {
        parameters.put("beforeAt", "infinity");
        parameters.put("beforeId", "ffffffff-ffff-ffff-ffff-ffffffffffff");
        String value = query.get("cursor");
        if (value == null) {
            return;
        }
        try {
            var parts = CURSOR.matcher(new String(Base64.getUrlDecoder().decode(value), StandardCharsets.UTF_8));
            if (parts.matches()) {
                OffsetDateTime.parse(parts.group(1));
                parameters.put("beforeId", UUID.fromString(parts.group(2)).toString());
                parameters.put("beforeAt", parts.group(1));
                return;
            }
        }
        catch (IllegalArgumentException | DateTimeParseException e) {
            // Said below, together with what else is wrong.
        }
        errors.add(new FieldError("cursor", value, "the cursor of a next link"));
    }
}
