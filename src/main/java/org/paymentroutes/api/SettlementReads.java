package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import jakarta.servlet.http.HttpServletRequest;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.FieldError;
import org.paymentroutes.payment.RefusedRequestException;
import org.paymentroutes.payment.StrictJson;
import org.springframework.stereotype.Component;

/** Shows settlement files and their reports, and takes decisions about many lines at once: checks what came in, words the answers. */
@Component("settlementReads")
public class SettlementReads {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern ID = Pattern.compile("[1-9][0-9]{0,17}");
    private static final int REASON_MIN = 5;
    private static final Set<String> STATES = new TreeSet<>(Set.of("STAGING", "STAGED", "REFUSED", "WAITING", "REVIEW", "BOOKED"));
    private static final Set<String> KINDS = new TreeSet<>(Set.of("MATCH_LINE", "BOOK_LINE_TO_SUSPENSE", "WRITE_OFF_LINE"));
    private static final List<String> COLUMNS = List.of("section", "line", "lineId", "result", "rule", "kind", "currency", "lines", "amount",
            "difference", "reference", "providerPaymentId", "providerLineId", "paymentId", "caseId", "decision", "decisionPaymentId", "reason");

    /** Sets the body to the parameters of {@code sql/settlement-files.sql}. */
    public void list(Exchange exchange) {
        Map<String, String> query = HttpRequests.parameters(HttpRequests.of(exchange), new TreeSet<>(Set.of("provider", "state", "before", "limit")));
        List<FieldError> errors = new ArrayList<>();
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("provider", value(query, "provider", "", "[a-z][a-z0-9-]{0,39}", "the name of a provider", errors));
        parameters.put("state", value(query, "state", "", String.join("|", STATES), "one of " + String.join(", ", STATES), errors));
        parameters.put("before", value(query, "before", Long.toString(Long.MAX_VALUE), ID.pattern(), "the nextBefore of a page", errors));
        parameters.put("limit", value(query, "limit", "50", "[1-9][0-9]?|1[0-9][0-9]|200", "an integer from 1 to 200", errors));
        HttpRequests.refuse(errors);
        exchange.getMessage().setBody(parameters);
    }

    private static String value(Map<String, String> query, String name, String otherwise, String pattern, String allowed, List<FieldError> errors) {
        String value = query.getOrDefault(name, otherwise);
        if (query.containsKey(name) && !value.matches(pattern)) {
            errors.add(new FieldError(name, value, allowed));
        }
        return value;
    }

    /** Sets the body to the parameter of the statements about the file that the path names, and the variable {@code settlementFile}. */
    public void file(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        String id = http.getRequestURI().split("/")[4];
        if (!ID.matcher(id).matches()) {
            throw new ProblemException(PaymentReads.notFound());
        }
        exchange.setVariable("settlementFile", Long.valueOf(id));
        exchange.getMessage().setBody(Map.of("fileId", id));
    }

    /** Sets the body to the parameter of {@code sql/settlement-day.sql}. */
    public void day(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        String date = http.getRequestURI().split("/")[4];
        try {
            exchange.getMessage().setBody(Map.of("date", LocalDate.parse(date).toString()));
        }
        catch (DateTimeParseException e) {
            throw new ProblemException(PaymentReads.notFound());
        }
    }

    /** Answers with the rows as CSV; the last three columns are for decisions. */
    public void csv(Exchange exchange) {
        HttpAnswer.set(exchange, 200, "text/csv;charset=UTF-8", SpreadsheetText.csv(COLUMNS, rows(exchange)),
                Map.of("Content-Disposition", "attachment; filename=\"settlement-" + exchange.getVariable("settlementFile") + ".csv\""));
    }

    /** Answers with the rows as a page for people. */
    public void html(Exchange exchange) {
        HttpAnswer.set(exchange, 200, "text/html;charset=UTF-8", SettlementPage.html(exchange.getVariable("settlementFile").toString(), rows(exchange)),
                Map.of());
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rows(Exchange exchange) {
        return exchange.getMessage().getBody(List.class);
    }

    /**
     * Reads the exported CSV with decisions filled in, from the field {@code csv}. Sets the body to the parameters of
     * {@code sql/propose-settlement-batch.sql}.
     */
    public void propose(Exchange exchange) {
        Map<String, StrictJson.Value> fields = StrictJson.object(RequestBodyFilter.bodyOf(HttpRequests.of(exchange)));
        StrictJson.Value csv = fields.get("csv");
        if (fields.size() != 1 || csv == null || csv.kind() != StrictJson.Kind.STRING) {
            refuse(List.of(new FieldError("csv", null, "the exported table with decisions filled in, as text, and no other field")));
        }
        List<FieldError> errors = new ArrayList<>();
        ArrayNode decisions = decisions(csv.text(), errors);
        refuse(errors);
        try {
            exchange.getMessage().setBody(Map.of("decisions", JSON.writeValueAsString(decisions), "actor", Caller.current().name()));
            exchange.setVariable("told", decisions.size());
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ArrayNode decisions(String csv, List<FieldError> errors) {
        ArrayNode decisions = JSON.createArrayNode();
        List<List<String>> rows;
        try {
            rows = SpreadsheetText.rows(csv);
        }
        catch (IllegalArgumentException e) {
            errors.add(new FieldError("csv", e.getMessage(), "a table with a header"));
            return decisions;
        }
        List<String> header = rows.isEmpty() ? List.of() : rows.get(0);
        if (!header.containsAll(List.of("lineId", "decision", "decisionPaymentId", "reason"))) {
            errors.add(new FieldError("csv", "another header", "the columns lineId, decision, decisionPaymentId and reason"));
            return decisions;
        }
        for (int i = 1; i < rows.size(); i++) {
            List<String> row = rows.get(i);
            String kind = cell(header, row, "decision");
            if (kind.isEmpty()) {
                continue;
            }
            String where = "csv, row " + (i + 1) + ", ";
            String line = cell(header, row, "lineId");
            String reason = cell(header, row, "reason");
            String payment = cell(header, row, "decisionPaymentId");
            if (!KINDS.contains(kind)) {
                errors.add(new FieldError(where + "decision", kind, "one of " + String.join(", ", KINDS)));
            }
            if (!ID.matcher(line).matches()) {
                errors.add(new FieldError(where + "lineId", line, "the id of a line"));
            }
            if (reason.length() < REASON_MIN) {
                errors.add(new FieldError(where + "reason", reason, "at least " + REASON_MIN + " characters"));
            }
            if (kind.equals("MATCH_LINE") == payment.isEmpty()) {
                errors.add(new FieldError(where + "decisionPaymentId", payment, "a payment id for MATCH_LINE, and nothing for the others"));
            }
            if (errors.isEmpty()) {
                decisions.addObject().put("lineId", Long.parseLong(line)).put("kind", kind).put("reason", reason)
                        .put("paymentId", payment.isEmpty() ? null : payment);
            }
        }
        if (errors.isEmpty() && decisions.isEmpty()) {
            errors.add(new FieldError("csv", "no decision", "at least one row with a decision"));
        }
        return decisions;
    }

    private static String cell(List<String> header, List<String> row, String column) {
        int place = header.indexOf(column);
        return place < row.size() ? row.get(place).strip() : "";
    }

    private static void refuse(List<FieldError> errors) {
        if (!errors.isEmpty()) {
            throw new RefusedRequestException(RefusedRequestException.Kind.INVALID, "The decisions cannot be read.",
                    errors.size() > 20 ? errors.subList(0, 20) : errors);
        }
    }

    /** Answers with the number of the batch. */
    public void proposed(Exchange exchange) {
        Map<?, ?> row = exchange.getMessage().getBody(Map.class);
        HttpAnswer.set(exchange, 201, HttpAnswer.JSON, "{\"batch\":" + row.get("batch") + ",\"decisions\":" + row.get("decisions")
                + ",\"withoutOpenCase\":" + (((Number) row.get("told")).longValue() - ((Number) row.get("decisions")).longValue()) + "}", Map.of());
    }

    /** Sets the body to the parameters of {@code sql/approve-settlement-batch.sql}. */
    public void approve(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        if (!StrictJson.object(RequestBodyFilter.bodyOf(http)).isEmpty()) {
            refuse(List.of(new FieldError("body", "fields", "an empty object")));
        }
        String batch = http.getRequestURI().split("/")[4];
        if (!ID.matcher(batch).matches()) {
            throw new ProblemException(PaymentReads.notFound());
        }
        exchange.getMessage().setBody(Map.of("batch", batch, "actor", Caller.current().name()));
    }

    /** Answers with how many decisions took effect; 404 when none waited. */
    public void approved(Exchange exchange) {
        Object decisions = exchange.getMessage().getBody();
        if ("0".equals(String.valueOf(decisions))) {
            throw new ProblemException(PaymentReads.notFound());
        }
        HttpAnswer.set(exchange, 200, HttpAnswer.JSON, "{\"decisions\":" + decisions + "}", Map.of());
    }
}
