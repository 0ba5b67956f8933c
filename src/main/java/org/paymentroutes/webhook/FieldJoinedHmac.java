package org.paymentroutes.webhook;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.StringJoiner;
import org.paymentroutes.provider.WebhookPolicy;

/**
 * Base64 HMAC-SHA256 over fields of the body, joined by a separator, as Adyen does. Only the named fields are signed;
 * the contract is refused when one that we use is not among them. The rest of the body proves nothing.
 */
final class FieldJoinedHmac implements SignatureCheck {

    @Override
    public Signed check(Delivery delivery, WebhookPolicy policy, WebhookSecrets secrets) throws RefusedDelivery {
        JsonNode json = EventJson.parse(delivery.body());
        // What is beside the one signed event would be signed by nobody.
        if (json == null || policy.getSingle() != null && json.at(policy.getSingle()).size() != 1) {
            throw new RefusedDelivery(Refusal.COVERAGE);
        }
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
        return Signed.TIMELESS;
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
