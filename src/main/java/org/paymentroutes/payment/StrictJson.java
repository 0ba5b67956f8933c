package org.paymentroutes.payment;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a JSON object that has one meaning only: valid UTF-8, each key once, nothing after it, not deep. Numbers stay
 * the text they were, so that nothing is rounded and no exponent is expanded.
 */
public final class StrictJson {

    private static final int DEPTH_MAX = 5;
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX).maxStringLength(65_536).maxNumberLength(200).maxNameLength(200).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    /** What a value is. */
    public enum Kind { STRING, INTEGER, DECIMAL, BOOLEAN, NULL, ARRAY, OBJECT }

    /**
     * @param kind   what it is
     * @param text   the text of a string or number as it was written; for others a word for messages
     * @param fields the fields of an object one level down; empty for everything else
     */
    public record Value(Kind kind, String text, Map<String, Value> fields) {
    }

    private StrictJson() {
    }

    /**
     * @param bytes what came in
     * @return the fields of the object, in their order
     * @throws RefusedRequestException when it has no single meaning, without any part of the content
     */
    public static Map<String, Value> object(byte[] bytes) {
        return object(decode(bytes));
    }

    /** As {@link #object(byte[])}, for what is text already. */
    public static Map<String, Value> object(String text) {
        if (text.isBlank()) {
            throw malformed("The body is empty; a JSON object is needed.");
        }
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw malformed("The body is not a JSON object.");
            }
            Map<String, Value> fields = fields(parser, 0);
            if (parser.nextToken() != null) {
                throw malformed("There is something after the JSON object.");
            }
            return fields;
        }
        catch (JsonProcessingException e) {
            // Its message would repeat a part of the body.
            String where = e.getLocation() == null ? "" : " at line " + e.getLocation().getLineNr() + ", column "
                    + e.getLocation().getColumnNr();
            throw malformed("The body is not well-formed JSON" + where
                    + ": each key once, at most " + DEPTH_MAX + " levels, numbers of at most 200 digits.");
        }
        catch (IOException e) {
            throw malformed("The body cannot be read.");
        }
    }

    private static Map<String, Value> fields(JsonParser parser, int level) throws IOException {
        Map<String, Value> fields = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            fields.put(name, value(parser, level));
        }
        return fields;
    }

    private static Value value(JsonParser parser, int level) throws IOException {
        return switch (parser.currentToken()) {
            case VALUE_STRING -> new Value(Kind.STRING, parser.getText(), Map.of());
            case VALUE_NUMBER_INT -> new Value(Kind.INTEGER, parser.getText(), Map.of());
            case VALUE_NUMBER_FLOAT -> new Value(Kind.DECIMAL, parser.getText(), Map.of());
            case VALUE_TRUE, VALUE_FALSE -> new Value(Kind.BOOLEAN, parser.getText(), Map.of());
            case VALUE_NULL -> new Value(Kind.NULL, "null", Map.of());
            case START_OBJECT -> {
                if (level == 0) {
                    yield new Value(Kind.OBJECT, "an object", fields(parser, 1));
                }
                parser.skipChildren();
                yield new Value(Kind.OBJECT, "an object", Map.of());
            }
            default -> {
                parser.skipChildren();
                yield new Value(Kind.ARRAY, "an array", Map.of());
            }
        };
    }

    private static String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        }
        catch (CharacterCodingException e) {
            throw malformed("The body is not valid UTF-8.");
        }
    }

    private static RefusedRequestException malformed(String message) {
        return new RefusedRequestException(RefusedRequestException.Kind.MALFORMED, message, List.of());
    }
}
