package org.paymentroutes.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.paymentroutes.provider.WebhookPolicy;

/** The events in one body: the one that it is, or those in the list that the contract names. */
final class EventBody {

    /** Most events in one delivery; a longer list is not read at all. */
    static final int EVENTS_MAX = 100;

    private EventBody() {
    }

    /**
     * @param body        the bytes after decompression
     * @param contentType as it was sent; null for none
     * @return each event, one that is no object as null; empty when the body is not what the contract speaks of
     */
    static List<ObjectNode> events(WebhookPolicy policy, byte[] body, String contentType) {
        JsonNode whole = policy.getBody() == WebhookPolicy.Body.FORM ? EventForm.parse(body, policy.getCharset(), contentType)
                : EventJson.parse(body);
        if (whole == null) {
            return List.of();
        }
        if (policy.getItems() == null) {
            return List.of((ObjectNode) whole);
        }
        JsonNode items = whole.at(policy.getItems());
        List<ObjectNode> events = new ArrayList<>();
        if (items.isArray() && items.size() <= EVENTS_MAX) {
            items.forEach(item -> events.add(item instanceof ObjectNode object ? object : null));
        }
        return events;
    }
}
