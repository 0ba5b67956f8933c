package org.paymentroutes.webhook;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads the JSON object of an event, which must have one meaning only: UTF-8, each key once, nothing after it. */
final class EventJson {

    private static final ObjectReader STRICT = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(50).maxNumberLength(200).build()).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION)
            .build().reader();

    private EventJson() {
    }

    /** @return the object; null when it is none, or not one that everybody reads alike */
    static JsonNode parse(byte[] body) {
        try {
            JsonNode node = STRICT.readTree(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
            return node != null && node.isObject() ? node : null;
        }
        catch (IOException e) {
            return null;
        }
    }
}
