package org.paymentroutes.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.nio.charset.StandardCharsets;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.component.platform.http.springboot.PlatformHttpMessage;
import org.paymentroutes.provider.ProviderContract;
import org.paymentroutes.provider.Providers;
import org.paymentroutes.provider.WebhookPolicy;
import org.springframework.stereotype.Component;

/** Turns a delivery that the {@link WebhookDoor} let in into what is stored, and words the answer. */
@Component("webhookIntake")
public class WebhookIntake {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int EVENT_ID_MAX = 300;

    private final Providers providers;
    private final EventReader reader;

    WebhookIntake(Providers providers, WebhookSecrets secrets) {
        this.providers = providers;
        this.reader = new EventReader(secrets);
    }

    /** Sets the body to the parameters of {@code webhook-store.sql}. */
    public void read(Exchange exchange) throws JsonProcessingException {
        WebhookDoor.Admitted admitted = (WebhookDoor.Admitted) exchange.getIn(PlatformHttpMessage.class).getRequest()
                .getAttribute(WebhookDoor.ADMITTED);
        Delivery delivery = admitted.delivery();
        ProviderContract contract = providers.contract(delivery.provider());
        WebhookPolicy policy = admitted.policy();
        exchange.setVariable("answer", policy.getAnswer());
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("provider", delivery.provider());
        parameters.put("events", JSON.writeValueAsString(events(contract, delivery)));
        parameters.put("content", delivery.body());
        parameters.put("headers", JSON.writeValueAsString(headers(delivery, policy)));
        parameters.put("scheme", policy.getScheme().name());
        parameters.put("signedAt", admitted.signedAt() == null ? "" : admitted.signedAt().toString());
        parameters.put("node", providers.node());
        exchange.getMessage().setBody(parameters);
    }

    /** @return for each event of the delivery its place, its id and its digest; a body that holds none is one by itself */
    private List<Map<String, Object>> events(ProviderContract contract, Delivery delivery) {
        WebhookPolicy policy = contract.getWebhook();
        List<ObjectNode> events = EventBody.events(policy, delivery.body(), delivery.contentType());
        boolean whole = policy.getItems() == null || events.isEmpty();
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int item = 0; item < Math.max(1, events.size()); item++) {
            ObjectNode json = events.isEmpty() ? null : events.get(item);
            byte[] content = whole || json == null ? delivery.body() : json.toString().getBytes(StandardCharsets.UTF_8);
            WebhookEvent event = reader.read(contract, json);
            String digest = HexFormat.of().formatHex(Hmac.digest("SHA-256", event != null && policy.getSameEvent() == WebhookPolicy.SameEvent.FACT
                    ? event.saying().getBytes(StandardCharsets.UTF_8) : content));
            String id = event == null ? null : event.eventId();
            // What names no id is told apart by its content.
            rows.add(Map.of("item", item, "event_id", id == null || id.length() > EVENT_ID_MAX ? "sha256:" + digest : id, "digest", digest));
        }
        return rows;
    }

    private static Map<String, List<String>> headers(Delivery delivery, WebhookPolicy policy) {
        Map<String, List<String>> kept = new LinkedHashMap<>();
        for (String name : WebhookGuard.headersThatMatter(policy)) {
            List<String> values = delivery.headers().get(name);
            if (values != null) {
                kept.put(name, values.stream().map(value -> value.replace("\0", "")).toList());
            }
        }
        return kept;
    }

    /** Answers: it is stored, now or before. In the provider's own words, where it asks for some. */
    public void taken(Exchange exchange) {
        String words = exchange.getVariable("answer", String.class);
        answer(exchange, 200, words.isEmpty() ? "application/json" : "text/plain", words.isEmpty() ? "{\"received\":true}" : words);
    }

    /** Answers: it is not stored, and is to be sent again. */
    public void notTaken(Exchange exchange) {
        answer(exchange, 503, "application/problem+json", "{\"type\":\"/problems/unavailable\",\"title\":\"The service is not available at the moment.\",\"status\":503}");
        exchange.getMessage().setHeader("Retry-After", "2");
    }

    private static void answer(Exchange exchange, int status, String type, String body) {
        Message message = exchange.getMessage();
        message.removeHeaders("*");
        message.setHeader(Exchange.HTTP_RESPONSE_CODE, status);
        message.setHeader(Exchange.CONTENT_TYPE, type);
        message.setHeader("Cache-Control", "no-store");
        message.setBody(body.getBytes(StandardCharsets.UTF_8));
    }
}
