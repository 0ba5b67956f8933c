package org.paymentroutes.payment;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads the caller's idempotency key as draft-ietf-httpapi-idempotency-key-header writes it, a structured-field string
 * in quotes, or as a bare token. Both forms of the same key are the same key.
 */
public final class IdempotencyKey {

    private static final Pattern QUOTED = Pattern.compile("\"((?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*)\"");
    private static final Pattern BARE = Pattern.compile("[!-~&&[^\",;\\\\]]+");
    private static final Pattern KEY = Pattern.compile("[!-~]{1,255}");

    private IdempotencyKey() {
    }

    /**
     * @param field  name of the header or property, for messages
     * @param values what was given; none, one, or more
     * @return the key, 1 to 255 visible ASCII characters
     * @throws RefusedRequestException when there is none, more than one, or one of another form
     */
    public static String read(String field, List<String> values) {
        String allowed = "1 to 255 visible ASCII characters, bare or in double quotes, and the same in each repetition";
        if (values.isEmpty()) {
            throw refused("Header " + field + " is missing.", new FieldError(field, null, allowed));
        }
        if (values.size() > 1) {
            throw refused("There is more than one " + field + ".", new FieldError(field, values.size() + " values", "one value"));
        }
        String text = values.get(0).strip();
        var quoted = QUOTED.matcher(text);
        String key = quoted.matches() ? quoted.group(1).replaceAll("\\\\(.)", "$1") : BARE.matcher(text).matches() ? text : "";
        if (!KEY.matcher(key).matches() || CardNumbers.isIn(key)) {
            throw refused(field + " is not usable.", new FieldError(field, text, allowed));
        }
        return key;
    }

    private static RefusedRequestException refused(String message, FieldError error) {
        return new RefusedRequestException(RefusedRequestException.Kind.KEY, message, List.of(error));
    }
}
