package org.paymentroutes.webhook;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.paymentroutes.provider.AmountFormat;
import org.paymentroutes.provider.AnswerFields;
import org.paymentroutes.provider.ProviderContract;
import org.paymentroutes.provider.WebhookPolicy;

/** Reads the body of an event by its provider's contract. */
final class EventReader {

    /** Stands for an amount that is there and not exact: a fraction, an exponent, a text instead of a number. */
    static final String NOT_EXACT = "not an exact amount";
    private static final int TEXT_MAX = 255;
    private static final int GCM_TAG_BITS = 128;

    private final WebhookSecrets secrets;

    EventReader(WebhookSecrets secrets) {
        this.secrets = secrets;
    }

    /**
     * @param body        the bytes of a delivery, after decompression
     * @param contentType as it was sent; null for none
     * @param item        which of its events, from 0
     * @return what that event says; null when there is none, or not as the contract has it
     */
    WebhookEvent read(ProviderContract contract, byte[] body, String contentType, int item) {
        List<ObjectNode> events = EventBody.events(contract.getWebhook(), body, contentType);
        return item < events.size() ? read(contract, events.get(item)) : null;
    }

    /** @return what this event says, which is decrypted in place; null when it is not as the contract has it */
    WebhookEvent read(ProviderContract contract, ObjectNode json) {
        WebhookPolicy policy = contract.getWebhook();
        if (json == null || !policy.getDecryptKey().isEmpty() && !decrypt(json, policy)) {
            return null;
        }
        AnswerFields fields = policy.getFields();
        return new WebhookEvent(joined(json, policy.getEventId(), ":"), joined(json, policy.getWord(), " "),
                text(json, fields.getReference()), text(json, fields.getId()),
                amount(json, fields.getAmount(), contract), text(json, fields.getCurrency()),
                text(json, fields.getCode()), json);
    }

    /** Puts the decrypted text of {@code /resource} beside its ciphertext, as {@code /resource/plaintext}. */
    private boolean decrypt(ObjectNode json, WebhookPolicy policy) {
        JsonNode resource = json.path("resource");
        byte[] key = secrets.text(policy.getDecryptKey()).strip().getBytes(StandardCharsets.UTF_8);
        if (!(resource instanceof ObjectNode object) || !"AEAD_AES_256_GCM".equals(resource.path("algorithm").textValue())) {
            return false;
        }
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(GCM_TAG_BITS,
                    resource.path("nonce").asText("").getBytes(StandardCharsets.UTF_8)));
            cipher.updateAAD(resource.path("associated_data").asText("").getBytes(StandardCharsets.UTF_8));
            JsonNode plain = EventJson.parse(cipher.doFinal(Base64.getDecoder().decode(resource.path("ciphertext").asText(""))));
            if (plain == null) {
                return false;
            }
            object.set("plaintext", plain);
            object.remove("ciphertext");
            return true;
        }
        catch (GeneralSecurityException | IllegalArgumentException e) {
            return false;
        }
    }

    private static String joined(JsonNode json, List<JsonPointer> pointers, String separator) {
        List<String> values = new ArrayList<>(2);
        for (JsonPointer pointer : pointers) {
            JsonNode node = json.at(pointer);
            String value = node.isBoolean() ? node.asText() : text(json, pointer);
            if (value == null) {
                return null;
            }
            values.add(value);
        }
        return values.isEmpty() ? null : String.join(separator, values);
    }

    private static String text(JsonNode json, JsonPointer pointer) {
        JsonNode node = pointer == null ? null : json.at(pointer);
        if (node == null || !node.isTextual() && !node.isIntegralNumber()) {
            return null;
        }
        String text = node.asText();
        // What PostgreSQL has no characters for names nothing: it would hold up the events that it came with.
        boolean fits = text.length() <= TEXT_MAX && text.indexOf('\0') < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text);
        return text.isBlank() || !fits ? null : text;
    }

    /**
     * In JSON, integers in minor units stand as numbers and decimals as texts; the other form is another provider's, or a
     * mistake. In a form everything is a text.
     */
    private static String amount(JsonNode json, JsonPointer pointer, ProviderContract contract) {
        JsonNode node = pointer == null ? null : json.at(pointer);
        if (node == null || node.isMissingNode() || node.isNull()) {
            return null;
        }
        boolean number = contract.getAmounts().getStyle() == AmountFormat.Style.MINOR && contract.getWebhook().getBody() == WebhookPolicy.Body.JSON;
        boolean fits = number ? node.isIntegralNumber() : node.isTextual();
        return fits ? node.asText() : NOT_EXACT;
    }
}
