package org.paymentroutes.webhook;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import org.paymentroutes.provider.WebhookPolicy;

/**
 * Base64 HMAC-SHA256 over fields of each event, joined by a separator, as Adyen does. Only the named fields are signed;
 * the contract is refused when one that we use is not among them. The rest proves nothing.
 */
final class FieldJoinedHmac implements SignatureCheck {

    @Override
    public Signed check(Delivery delivery, WebhookPolicy policy, WebhookSecrets secrets) throws RefusedDelivery {
        List<ObjectNode> events = EventBody.events(policy, delivery.body(), delivery.contentType());
        if (events.isEmpty() || events.stream().anyMatch(Objects::isNull)) {
            throw new RefusedDelivery(Refusal.COVERAGE);
        }
        // Each is signed by itself: one that is not makes the delivery a forgery.
        for (ObjectNode event : events) {
            check(event, delivery, policy, secrets);
        }
        return Signed.TIMELESS;
    }

    private static void check(JsonNode json, Delivery delivery, WebhookPolicy policy, WebhookSecrets secrets) throws RefusedDelivery {
        String text = policy.getSignatureField() == null ? delivery.header(policy.getHeader()) : value(json, policy.getSignatureField());
        byte[] code;
        try {
            code = Base64.getDecoder().decode(text);
        }
        catch (IllegalArgumentException e) {
            throw new RefusedDelivery(Refusal.HEADER);
        }
        if (!Hmac.anyFits(secrets.secrets(policy), List.of(code), joined(json, policy).getBytes(StandardCharsets.UTF_8))) {
            throw new RefusedDelivery(Refusal.SIGNATURE);
        }
    }

    /** @return what is signed; an absent field is an empty text */
    static String joined(JsonNode json, WebhookPolicy policy) throws RefusedDelivery {
        StringJoiner joined = new StringJoiner(policy.getSeparator());
        for (JsonPointer pointer : policy.getSignedFields()) {
            String value = value(json, pointer);
            joined.add(policy.getEscape().isEmpty() ? value : value.replace(policy.getEscape(), policy.getEscape() + policy.getEscape())
                    .replace(policy.getSeparator(), policy.getEscape() + policy.getSeparator()));
        }
        return joined.toString();
    }

    private static String value(JsonNode json, JsonPointer pointer) throws RefusedDelivery {
        JsonNode node = json.at(pointer);
        if (node.isMissingNode() || node.isNull()) {
            return "";
        }
        if (node.isTextual() || node.isIntegralNumber() || node.isBoolean()) {
            return node.asText();
        }
        throw new RefusedDelivery(Refusal.COVERAGE);
    }
}
