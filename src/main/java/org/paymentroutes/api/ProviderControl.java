package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.util.RawValue;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.FieldError;
import org.paymentroutes.payment.RefusedRequestException;
import org.paymentroutes.payment.StrictJson;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/** Shows the providers, and pauses and resumes their sends. */
@Component("providerControl")
public class ProviderControl {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ObjectProvider<ProviderLiveState> live;

    ProviderControl(ObjectProvider<ProviderLiveState> live) {
        this.live = live;
    }

    /** Refuses parameters: the list has none. */
    public void list(Exchange exchange) {
        HttpRequests.refuseParameters(HttpRequests.of(exchange));
    }

    /** Sets the body to the parameters of {@code sql/pause-provider.sql}. A reason is needed. */
    public void pause(Exchange exchange) {
        change(exchange, true);
    }

    /** Sets the body to the parameters of {@code sql/pause-provider.sql}. The body of the request may raise the limits of exposure for a time. */
    public void resume(Exchange exchange) {
        change(exchange, false);
    }

    private static void change(Exchange exchange, boolean pause) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        Map<String, StrictJson.Value> fields = StrictJson.object(RequestBodyFilter.bodyOf(http));
        List<FieldError> errors = new ArrayList<>();
        List<String> known = pause ? List.of("reason") : List.of("reason", "exposureOverrideMinutes", "exposureRaisePercent");
        fields.keySet().stream().filter(name -> !known.contains(name)).forEach(name ->
                errors.add(new FieldError(name, "an unknown field", String.join(", ", known))));
        StrictJson.Value reason = fields.get("reason");
        boolean override = fields.containsKey("exposureOverrideMinutes");
        if ((reason == null ? pause || override : !ProviderStops.isReason(reason.kind() == StrictJson.Kind.STRING ? reason.text() : null))) {
            errors.add(new FieldError("reason", reason == null ? null : reason.text(), ProviderStops.REASON));
        }
        int minutes = number(fields, "exposureOverrideMinutes", 0, ProviderStops.OVERRIDE_MINUTES_MAX, errors);
        int raise = number(fields, "exposureRaisePercent", 100, 1000, errors);
        if (fields.containsKey("exposureRaisePercent") && !override) {
            errors.add(new FieldError("exposureOverrideMinutes", null, "for how long the limits are raised"));
        }
        if (!errors.isEmpty()) {
            throw new RefusedRequestException(RefusedRequestException.Kind.INVALID, "A field is wrong.", errors);
        }
        String[] path = http.getRequestURI().split("/");
        exchange.getMessage().setBody(ProviderStops.parameters(path[path.length - 2], pause, Caller.current().name(),
                reason == null ? "" : reason.text(), minutes, raise));
    }

    private static int number(Map<String, StrictJson.Value> fields, String name, int otherwise, int max, List<FieldError> errors) {
        StrictJson.Value value = fields.get(name);
        if (value == null) {
            return otherwise;
        }
        if (value.kind() == StrictJson.Kind.INTEGER && value.text().matches("[1-9][0-9]{0,3}") && Integer.parseInt(value.text()) <= max) {
            return Integer.parseInt(value.text());
        }
        errors.add(new FieldError(name, value.text(), "an integer from 1 to " + max));
        return otherwise;
    }

    /** Sets the body to the name of the provider whose stops are asked for. */
    public void stops(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        String[] path = http.getRequestURI().split("/");
        exchange.getMessage().setBody(Map.of("name", path[path.length - 2]));
    }

    /** Answers with the document of the row, or 404 when there is none. */
    public void history(Exchange exchange) {
        String document = exchange.getMessage().getBody(String.class);
        if (document == null) {
            HttpAnswer.problem(exchange, PaymentReads.notFound());
        }
        else {
            HttpAnswer.set(exchange, 200, HttpAnswer.JSON, document, Map.of());
        }
    }

    /** Answers with all providers. */
    public void providers(Exchange exchange) {
        List<Object> items = new ArrayList<>();
        for (Object row : exchange.getMessage().getBody(List.class)) {
            items.add(document((Map<?, ?>) row));
        }
        answer(exchange, Map.of("items", items));
    }

    /** Answers with the changed provider, or 404 when there is none of this name. */
    public void provider(Exchange exchange) {
        List<?> rows = exchange.getMessage().getBody(List.class);
        if (rows.isEmpty()) {
            HttpAnswer.problem(exchange, PaymentReads.notFound());
        }
        else {
            answer(exchange, document((Map<?, ?>) rows.get(0)));
        }
    }

    private Map<String, Object> document(Map<?, ?> row) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", row.get("name"));
        document.put("account", row.get("account"));
        document.put("canQuery", row.get("can_query"));
        document.put("paused", row.get("paused"));
        document.put("pausedBy", row.get("paused_by"));
        document.put("pausedReason", row.get("paused_reason"));
        document.put("pausedAt", row.get("paused_at"));
        document.put("exposure", new RawValue((String) row.get("exposure")));
        live.stream().flatMap(known -> known.of((String) row.get("name")).stream()).findFirst().ifPresent(now -> {
            document.put("workers", now.workers());
            document.put("workersIdle", now.workersIdle());
            document.put("circuit", now.circuit());
        });
        return document;
    }

    private static void answer(Exchange exchange, Object document) {
        try {
            HttpAnswer.set(exchange, 200, HttpAnswer.JSON, JSON.writeValueAsString(document), Map.of());
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException("texts, numbers and flags are always JSON", e);
        }
    }
}
