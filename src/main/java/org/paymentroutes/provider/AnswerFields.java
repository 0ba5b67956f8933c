package org.paymentroutes.provider;

import com.fasterxml.jackson.core.JsonPointer;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Where a provider's JSON answers carry what we compare, as JSON pointers (RFC 6901). An empty text says that this
 * provider does not tell; then that field is not compared.
 */
public final class AnswerFields {

    private JsonPointer reference = JsonPointer.compile("/reference");
    private JsonPointer id = JsonPointer.compile("/id");
    private JsonPointer status = JsonPointer.compile("/status");
    private JsonPointer code = JsonPointer.compile("/code");
    private JsonPointer error = JsonPointer.compile("/error");
    private JsonPointer amount = JsonPointer.compile("/amount");
    private JsonPointer currency = JsonPointer.compile("/currency");

    public JsonPointer getReference() {
        return reference;
    }

    /** @param pointer our reference, as the provider repeats it */
    public void setReference(String pointer) {
        reference = pointer("reference", pointer);
    }

    public JsonPointer getId() {
        return id;
    }

    /** @param pointer the provider's own payment id */
    public void setId(String pointer) {
        id = pointer("id", pointer);
    }

    public JsonPointer getStatus() {
        return status;
    }

    /** @param pointer the status word */
    public void setStatus(String pointer) {
        status = pointer("status", pointer);
    }

    public JsonPointer getCode() {
        return code;
    }

    /** @param pointer the code of a refusal or error */
    public void setCode(String pointer) {
        code = pointer("code", pointer);
    }

    public JsonPointer getError() {
        return error;
    }

    /** @param pointer the word of an answer that has no payment in it, for example not_found */
    public void setError(String pointer) {
        error = pointer("error", pointer);
    }

    public JsonPointer getAmount() {
        return amount;
    }

    /** @param pointer the amount, in the contract's amount format */
    public void setAmount(String pointer) {
        amount = pointer("amount", pointer);
    }

    public JsonPointer getCurrency() {
        return currency;
    }

    /** @param pointer the ISO 4217 code */
    public void setCurrency(String pointer) {
        currency = pointer("currency", pointer);
    }

    /** @return where the contract looks at all */
    Stream<JsonPointer> all() {
        return Stream.of(reference, id, status, code, error, amount, currency).filter(Objects::nonNull);
    }

    private static JsonPointer pointer(String option, String text) {
        try {
            return text.isBlank() ? null : JsonPointer.compile(text.strip());
        }
        catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Option fields." + option + ": found '" + text
                    + "', allowed is a JSON pointer such as /data/status, or nothing");
        }
    }
}
