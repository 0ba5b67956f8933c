package org.paymentroutes.provider;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Set;
import org.apache.camel.Exchange;
import org.apache.camel.spi.Registry;
import org.paymentroutes.payment.Fingerprint;

/**
 * The JSON request of a provider, written in its YAML as JSON with {@code "$field"} where a value goes. Values are put
 * into the parsed document, never into its text, so that no value can change the request's shape.
 *
 * <p>Fields: {@code $key} (idempotency key and reference), {@code $operation}, {@code $amount} (in the contract's amount
 * format), {@code $currency}, {@code $account}, {@code $sourceReference}, {@code $recipient}, {@code $description} and
 * {@code $details.<name>}; for a refund {@code $refundedKey} and {@code $refundedId}, the reference of its payment and the
 * provider's own id of it. A member whose value is absent is left out.
 */
public final class RequestTemplate {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> FIELDS = Set.of("$key", "$operation", "$amount", "$currency", "$account",
            "$sourceReference", "$recipient", "$description", "$refundedKey", "$refundedId");

    private JsonNode template;

    /** @throws IllegalArgumentException when it is not JSON or names a field that does not exist */
    public void setTemplate(String text) {
        try {
            template = JSON.readTree(text);
        }
        catch (JsonProcessingException e) {
            throw new IllegalArgumentException("Request template is not JSON: " + e.getOriginalMessage());
        }
        checkFields(template);
    }

    private static void checkFields(JsonNode node) {
        if (node.isTextual() && node.textValue().startsWith("$") && !FIELDS.contains(node.textValue())
                && !node.textValue().matches("\\$details\\.[A-Za-z0-9_.-]+")) {
            throw new IllegalArgumentException("Request template: found " + node.textValue() + ", allowed are "
                    + String.join(", ", new java.util.TreeSet<>(FIELDS)) + " and $details.<name>");
        }
        node.forEach(RequestTemplate::checkFields);
    }

    /**
     * Also sets the variable {@code requestDigest}, which is recorded with the answer. Call it as a step: an expression
     * works on a copy of the exchange, and the variable would be lost.
     *
     * @return the request's bytes, UTF-8
     * @throws ArithmeticException when the provider's amount format cannot hold the amount exactly
     */
    public byte[] render(Exchange exchange) throws JsonProcessingException {
        Map<?, ?> payment = exchange.getVariable("payment", Map.class);
        Registry registry = exchange.getContext().getRegistry();
        ProviderContract contract = registry.findSingleByType(Providers.class).contract((String) payment.get("provider"));
        JsonNode instruction = JSON.readTree((String) payment.get("instruction"));
        byte[] request = JSON.writeValueAsBytes(filled(template, payment, instruction, contract));
        exchange.setVariable("requestDigest", registry.findSingleByType(Fingerprint.class).of(request));
        return request;
    }

    private static JsonNode filled(JsonNode node, Map<?, ?> payment, JsonNode instruction, ProviderContract contract) {
        if (node.isObject()) {
            ObjectNode object = JSON.createObjectNode();
            node.fields().forEachRemaining(field -> {
                JsonNode value = filled(field.getValue(), payment, instruction, contract);
                if (!value.isMissingNode()) {
                    object.set(field.getKey(), value);
                }
            });
            return object;
        }
        if (node.isArray()) {
            ArrayNode array = JSON.createArrayNode();
            node.forEach(item -> array.add(filled(item, payment, instruction, contract)));
            return array;
        }
        return node.isTextual() && node.textValue().startsWith("$")
                ? value(node.textValue(), payment, instruction, contract) : node;
    }

    private static JsonNode value(String field, Map<?, ?> payment, JsonNode instruction, ProviderContract contract) {
        JsonNodeFactory nodes = JSON.getNodeFactory();
        return switch (field) {
            case "$key" -> nodes.textNode((String) payment.get("provider_key"));
            case "$operation" -> nodes.textNode((String) payment.get("operation"));
            case "$currency" -> nodes.textNode((String) payment.get("currency"));
            case "$account" -> nodes.textNode((String) payment.get("account"));
            case "$sourceReference" -> nodes.textNode((String) payment.get("source_reference"));
            case "$amount" -> JSON.valueToTree(contract.getAmounts().toWire(((Number) payment.get("amount_minor")).longValue(),
                    (String) payment.get("currency"), ((Number) payment.get("exponent")).intValue()));
            case "$refundedKey" -> textOrNothing(payment.get("refunded_key"));
            case "$refundedId" -> textOrNothing(payment.get("refunded_id"));
            case "$recipient", "$description" -> instruction.path(field.substring(1));
            default -> instruction.path("details").path(field.substring("$details.".length()));
        };
    }

    private static JsonNode textOrNothing(Object text) {
        return text == null ? MissingNode.getInstance() : JSON.getNodeFactory().textNode((String) text);
    }
}
