package org.paymentroutes.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
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
        WebhookEvent event = reader.read(contract, delivery.body());
        boolean byFact = event != null && policy.getSameEvent() == WebhookPolicy.SameEvent.FACT;
        String digest = HexFormat.of().formatHex(Hmac.digest("SHA-256",
                byFact ? event.saying().getBytes(StandardCharsets.UTF_8) : delivery.body()));
        String id = event == null ? null : event.eventId();

        Map<String, Object> parameters = new HashMap<>();
        parameters.put("provider", delivery.provider());
        // What names no id is told apart by its content.
        parameters.put("eventId", id == null || id.length() > EVENT_ID_MAX ? "sha256:" + digest : id);
        parameters.put("digest", digest);
        parameters.put("content", delivery.body());
        parameters.put("headers", JSON.writeValueAsString(headers(delivery, policy)));
        parameters.put("scheme", policy.getScheme().name());
        parameters.put("signedAt", admitted.signedAt() == null ? "" : admitted.signedAt().toString());
        parameters.put("node", providers.node());
        exchange.getMessage().setBody(parameters);
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

    /** Answers: it is stored, now or before. */
    public void taken(Exchange exchange) {
        answer(exchange, 200, "{\"received\":true}");
    }

    /** Answers: it is not stored, and is to be sent again. */
    public void notTaken(Exchange exchange) {
        answer(exchange, 503, "{\"type\":\"/problems/unavailable\",\"title\":\"The service is not available at the moment.\",\"status\":503}");
        exchange.getMessage().setHeader("Retry-After", "2");
    }

    private static void answer(Exchange exchange, int status, String body) {
        Message message = exchange.getMessage();
        message.removeHeaders("*");
        message.setHeader(Exchange.HTTP_RESPONSE_CODE, status);
        message.setHeader(Exchange.CONTENT_TYPE, status == 200 ? "application/json" : "application/problem+json");
        message.setHeader("Cache-Control", "no-store");
        message.setBody(body.getBytes(StandardCharsets.UTF_8));
    }
}
