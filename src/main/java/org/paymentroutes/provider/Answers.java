package org.paymentroutes.provider;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.paymentroutes.provider.http.SendFailure;
import org.springframework.stereotype.Component;

/**
 * Reads a provider's answer by its contract. Used by provider routes as {@code bean: answers}: the result is a row of
 * evidence (see table {@code evidence}) with the verdict; the route puts it into the variable {@code answer}.
 */
@Component("answers")
public class Answers {

    private static final ObjectReader STRICT = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION)
            .build().reader();

    private final Providers providers;

    Answers(Providers providers) {
        this.providers = providers;
    }

    /** @return what the answer to an attempt proves */
    public Map<String, Object> ofSubmit(Exchange exchange) {
        ProviderContract contract = contract(exchange);
        return read(exchange, contract, contract.getSubmitAnswers(), false);
    }

    /** @return what the answer to a query proves */
    public Map<String, Object> ofQuery(Exchange exchange) {
        ProviderContract contract = contract(exchange);
        return read(exchange, contract, contract.getQueryAnswers(), true);
    }

    /** @return what a failed attempt proves: that nothing was sent, or nothing at all */
    public Map<String, Object> ofFailedSubmit(Exchange exchange) {
        SendFailure failure = SendFailure.of(exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class));
        Map<String, Object> row = row(failure.verdict() == SendFailure.Verdict.NOT_EXECUTED ? Verdict.NOT_EXECUTED : Verdict.AMBIGUOUS,
                failure.reason());
        row.put("code", failure.code().name());
        return row;
    }

    /** @return a query that failed proves nothing about the payment; the provider could not be asked */
    public Map<String, Object> ofFailedQuery(Exchange exchange) {
        SendFailure failure = SendFailure.of(exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class));
        Map<String, Object> row = row(Verdict.UNREACHABLE, failure.reason());
        row.put("code", failure.code().name());
        return row;
    }

    private ProviderContract contract(Exchange exchange) {
        return providers.contract((String) payment(exchange).get("provider"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> payment(Exchange exchange) {
        return exchange.getVariable("payment", Map.class);
    }

    private static Map<String, Object> read(Exchange exchange, ProviderContract contract, AnswerRules rules, boolean query) {
        Integer status = exchange.getMessage().getHeader(Exchange.HTTP_RESPONSE_CODE, Integer.class);
        byte[] body = exchange.getMessage().getBody(byte[].class);
        if (status == null) {
            return row(Verdict.AMBIGUOUS, "the call returned no HTTP status");
        }
        JsonNode json = parse(body);
        Map<String, Object> row = judged(status, json, body == null || body.length == 0, contract, rules, query, payment(exchange));
        row.put("retry_after_ms", RetryAfter.millis(exchange.getMessage().getHeader("Retry-After"),
                RetryAfter.moment(exchange.getMessage().getHeader("Date"), Instant.now())));
        row.put("answer", json != null ? Redactor.json(json)
                : body == null ? null : Redactor.text(new String(body, StandardCharsets.UTF_8)));
        return row;
    }

    /**
     * Reads the kept copy of an answer by the contract of now, as if it came now. Calls nobody.
     *
     * @param provider its name
     * @param query    whether it answered a query
     * @param status   its HTTP status
     * @param kept     the redacted copy; null when there was no body
     * @param payment  {@code provider_key}, {@code amount_minor}, {@code currency} and {@code exponent} of the payment
     * @return what it proves; empty when the copy does not hold what the contract looks at, because it is cut or masked
     * @throws IllegalArgumentException when there is no such provider here
     */
    public Optional<Map<String, Object>> again(String provider, boolean query, int status, String kept, Map<String, Object> payment) {
        ProviderContract contract = providers.contract(provider);
        JsonNode json = kept == null ? null : parse(kept.getBytes(StandardCharsets.UTF_8));
        if (json == null ? kept != null && kept.length() >= Redactor.MAX_LENGTH : contract.getFields().all().anyMatch(
                pointer -> json.at(pointer).asText().contains(Redactor.MASK))) {
            return Optional.empty();
        }
        return Optional.of(judged(status, json, kept == null || kept.isEmpty(), contract,
                query ? contract.getQueryAnswers() : contract.getSubmitAnswers(), query, payment));
    }

    private static Map<String, Object> judged(int status, JsonNode json, boolean empty, ProviderContract contract, AnswerRules rules,
            boolean query, Map<String, Object> payment) {
        AnswerFields fields = contract.getFields();
        String word = text(json, fields.getStatus());
        String code = text(json, fields.getCode());
        List<String> words = Stream.of(word, code, text(json, fields.getError())).filter(Objects::nonNull).toList();
        Verdict verdict = rules.verdict(status, words);
        String reason = "HTTP " + status + (words.isEmpty() ? "" : " " + String.join(" ", words));
        if (verdict == Verdict.AMBIGUOUS) {
            if (rules.isHint(status, words)) {
                reason = "hint: " + reason;
            }
            reason += json == null ? (empty ? ": no body" : ": not a JSON object") : ": on no list of the contract";
        }

        String mismatch = null;
        if (verdict == Verdict.SUCCEEDED || verdict == Verdict.REJECTED || verdict == Verdict.ACCEPTED) {
            mismatch = mismatch(json, contract, payment);
            String missing = verdict == Verdict.SUCCEEDED ? missing(json, fields) : null;
            if (mismatch != null) {
                reason += ": about another " + mismatch;
                verdict = Verdict.AMBIGUOUS;
            }
            else if (missing != null) {
                reason += ": names no " + missing;
                verdict = Verdict.AMBIGUOUS;
            }
        }
        else if (query && verdict == Verdict.AMBIGUOUS && (status == 429 || status >= 502 && status <= 504)) {
            verdict = Verdict.UNREACHABLE;
        }

        Map<String, Object> row = row(verdict, reason);
        row.put("mismatch", mismatch);
        row.put("http_status", status);
        row.put("provider_payment_id", id(json, fields.getId()));
        row.put("amount_minor", amountMinor(json, contract, payment));
        row.put("code", cut(words.isEmpty() ? null : words.get(words.size() - 1), 100));
        return row;
    }

    /** The field in which the answer speaks of another payment; null when each field it names is ours. */
    private static String mismatch(JsonNode json, ProviderContract contract, Map<String, Object> payment) {
        AnswerFields fields = contract.getFields();
        String reference = text(json, fields.getReference());
        if (reference != null && !reference.equals(payment.get("provider_key"))) {
            return "reference";
        }
        String currency = text(json, fields.getCurrency());
        if (currency != null && !currency.equals(payment.get("currency"))) {
            return "currency";
        }
        if (number(json, fields.getAmount()) != null) {
            Long minor = amountMinor(json, contract, payment);
            if (minor == null || minor != ((Number) payment.get("amount_minor")).longValue()) {
                return "amount";
            }
        }
        return null;
    }

    /** The amount that the answer names, in our minor units; null when it names none in the currency and format of the payment. */
    private static Long amountMinor(JsonNode json, ProviderContract contract, Map<String, Object> payment) {
        AnswerFields fields = contract.getFields();
        String amount = number(json, fields.getAmount());
        String currency = text(json, fields.getCurrency());
        if (amount == null || currency != null && !currency.equals(payment.get("currency"))) {
            return null;
        }
        Long minor = contract.getAmounts().fromWire(amount, (String) payment.get("currency"), ((Number) payment.get("exponent")).intValue());
        return minor == null || minor < 0 ? null : minor;
    }

    private static String missing(JsonNode json, AnswerFields fields) {
        if (text(json, fields.getReference()) == null) {
            return "reference";
        }
        if (fields.getCurrency() != null && text(json, fields.getCurrency()) == null) {
            return "currency";
        }
        if (fields.getAmount() != null && number(json, fields.getAmount()) == null) {
            return "amount";
        }
        if (fields.getId() != null && id(json, fields.getId()) == null) {
            return "provider payment id";
        }
        return null;
    }

    private static JsonNode parse(byte[] body) {
        if (body == null || body.length == 0) {
            return null;
        }
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
            JsonNode node = STRICT.readTree(text);
            return node != null && node.isObject() ? node : null;
        }
        catch (CharacterCodingException e) {
            return null;
        }
        catch (IOException e) {
            return null;
        }
    }

    private static String text(JsonNode json, JsonPointer pointer) {
        JsonNode node = json == null || pointer == null ? null : json.at(pointer);
        return node != null && node.isTextual() ? node.textValue() : null;
    }

    private static String number(JsonNode json, JsonPointer pointer) {
        JsonNode node = json == null || pointer == null ? null : json.at(pointer);
        if (node == null || !node.isValueNode() || node.isNull()) {
            return null;
        }
        return node.isIntegralNumber() || node.isTextual() ? node.asText() : "not an exact number";
    }

    private static String id(JsonNode json, JsonPointer pointer) {
        JsonNode node = json == null || pointer == null ? null : json.at(pointer);
        String id = node != null && (node.isTextual() || node.isIntegralNumber()) ? node.asText() : null;
        return id == null || id.isBlank() || id.length() > 255 ? null : id.replace("\0", "");
    }

    /** @return a row of evidence with a verdict and a reason, for the other columns to be added */
    static Map<String, Object> row(Verdict verdict, String reason) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("verdict", verdict.name());
        row.put("reason", cut(reason.replace("\0", ""), 300));
        return row;
    }

    private static String cut(String text, int length) {
        return text == null || text.length() <= length ? text : text.substring(0, length);
    }
}
