package org.paymentroutes.sandbox;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Reads the body of a POST and refuses what it cannot book exactly. */
final class OrderReader {

    private static final ObjectMapper JSON =
            new ObjectMapper(JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build());
    private static final long AMOUNT_MAX = 1_000_000_000_000_000_000L;
    private static final Pattern REFERENCE = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final Pattern OPERATION = Pattern.compile("CHARGE|PAYOUT|REFUND");
    private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");

    private OrderReader() {
    }

    /**
     * @param body UTF-8 JSON
     * @param key the {@code Idempotency-Key} header; null when there was none
     * @param redirected whether it came to the address that a redirect had named
     * @throws IllegalArgumentException with one sentence for the caller
     */
    static PaymentOrder read(byte[] body, String key, boolean redirected) {
        JsonNode json = tree(body);
        String reference = text(json, "reference", REFERENCE);
        String operation = text(json, "operation", OPERATION);
        String currency = text(json, "currency", CURRENCY);
        JsonNode amount = json.path("amount");
        if (!amount.isIntegralNumber() || !amount.canConvertToLong() || amount.longValue() <= 0
                || amount.longValue() > AMOUNT_MAX) {
            throw new IllegalArgumentException("amount: allowed: an integer from 1 to " + AMOUNT_MAX + ", in minor units");
        }
        String refundOf = operation.equals("REFUND") ? text(json, "refundOf", REFERENCE) : null;
        String recipient = json.path("recipient").asText("");
        JsonNode behaviour = json.path("behaviour");
        return new PaymentOrder(reference, key, operation, amount.longValue(), currency, refundOf,
                fingerprint(reference, operation, amount.asText(), currency, recipient + (refundOf == null ? "" : "\n" + refundOf)),
                behaviour.isTextual() && !behaviour.textValue().isEmpty() ? Script.parse(behaviour.textValue()) : null, redirected);
    }

    /**
     * The reference, if it is one.
     *
     * @throws IllegalArgumentException when it is null or holds other characters than a reference may have
     */
    static String reference(String text) {
        if (text == null || !REFERENCE.matcher(text).matches()) {
            throw new IllegalArgumentException("reference: allowed: text like " + REFERENCE.pattern());
        }
        return text;
    }

    private static JsonNode tree(byte[] body) {
        try {
            JsonNode json = JSON.readTree(body);
            if (json != null && json.isObject()) {
                return json;
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("body: allowed: one JSON object without duplicate keys", e);
        }
        throw new IllegalArgumentException("body: allowed: one JSON object");
    }

    private static String text(JsonNode json, String field, Pattern allowed) {
        JsonNode value = json.path(field);
        if (!value.isTextual() || !allowed.matcher(value.textValue()).matches()) {
            throw new IllegalArgumentException(field + ": allowed: text like " + allowed.pattern());
        }
        return value.textValue();
    }

    /** Sixteen bytes of SHA-256, so that the books hold no recipient. */
    private static String fingerprint(String... parts) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(String.join("\n", parts).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(Arrays.copyOf(hash, 16));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
