package org.paymentroutes.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Iterator;
import java.util.Map;
import java.util.regex.Pattern;

/** Makes the copy of an answer that is kept: bounded, without card numbers, secrets and personal data. */
public final class Redactor {

    /** Longest copy that is kept, in characters. */
    public static final int MAX_LENGTH = 4096;

    /** What stands in a copy in place of what is not kept. */
    static final String MASK = "***";
    private static final Pattern SENSITIVE_NAME = Pattern.compile(
            "(?i).*(card|pan|cvv|cvc|iban|bic|token|secret|password|authori[sz]ation|signature|name|mail|phone|address|birth|holder|recipient|payer|payee|buyer|customer).*");
    private static final Pattern LONG_NUMBER = Pattern.compile("(?<![0-9A-Fa-f])[0-9](?:[ -]?[0-9]){11,18}(?![0-9A-Fa-f])");

    private Redactor() {
    }

    /** @return the redacted copy of a parsed answer */
    public static String json(JsonNode answer) {
        return bounded(masked(answer.deepCopy()).toString());
    }

    /** @return the redacted copy of an answer that is not JSON, for example a proxy's error page */
    public static String text(String answer) {
        String cut = answer.length() > MAX_LENGTH * 2 ? answer.substring(0, MAX_LENGTH * 2) : answer;
        return bounded(LONG_NUMBER.matcher(cut).replaceAll(MASK));
    }

    private static JsonNode masked(JsonNode node) {
        if (node instanceof ObjectNode object) {
            Iterator<Map.Entry<String, JsonNode>> fields = object.fields();
            while (fields.hasNext()) {
                Map.Entry<String, JsonNode> field = fields.next();
                boolean sensitive = SENSITIVE_NAME.matcher(field.getKey()).matches();
                field.setValue(sensitive ? TextNode.valueOf(MASK) : masked(field.getValue()));
            }
        }
        else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, masked(array.get(i)));
            }
        }
        else if (node.isTextual() && LONG_NUMBER.matcher(node.textValue()).find()) {
            return TextNode.valueOf(LONG_NUMBER.matcher(node.textValue()).replaceAll(MASK));
        }
        return node;
    }

    private static String bounded(String text) {
        // PostgreSQL's text has no place for NUL.
        String clean = text.replace("\0", "").replace("\\u0000", "");
        return clean.length() <= MAX_LENGTH ? clean : clean.substring(0, MAX_LENGTH - 3) + "...";
    }
}
