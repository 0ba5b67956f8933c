package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
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
    private static final int REASON_MAX = 200;

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

    /** Sets the body to the parameters of {@code sql/pause-provider.sql}. The body of the request is an empty object. */
    public void resume(Exchange exchange) {
        change(exchange, false);
    }

    private static void change(Exchange exchange, boolean pause) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        Map<String, StrictJson.Value> fields = StrictJson.object(RequestBodyFilter.bodyOf(http));
        List<FieldError> errors = new ArrayList<>();
        fields.keySet().stream().filter(name -> !(pause && name.equals("reason"))).forEach(name ->
                errors.add(new FieldError(name, "an unknown field", pause ? "reason" : "no fields")));
        StrictJson.Value reason = fields.get("reason");
        if (pause && (reason == null || reason.kind() != StrictJson.Kind.STRING || reason.text().isBlank()
                || reason.text().length() > REASON_MAX || reason.text().codePoints().anyMatch(Character::isISOControl))) {
            errors.add(new FieldError("reason", reason == null ? null : reason.text(),
                    "why, in 1 to " + REASON_MAX + " characters"));
        }
        if (!errors.isEmpty()) {
            throw new RefusedRequestException(RefusedRequestException.Kind.INVALID, "A field is wrong.", errors);
        }
        String[] path = http.getRequestURI().split("/");
        exchange.getMessage().setBody(Map.of("name", path[path.length - 2], "paused", pause,
                "actor", Caller.current().name(), "reason", pause ? reason.text() : ""));
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
