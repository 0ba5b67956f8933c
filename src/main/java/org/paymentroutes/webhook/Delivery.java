package org.paymentroutes.webhook;

import java.util.List;
import java.util.Map;

/**
 * One delivery as it came over the wire.
 *
 * @param provider    whose address it came to
 * @param method      HTTP method
 * @param scheme      http or https, as we see it
 * @param authority   the Host header
 * @param path        the path as it was sent, still encoded
 * @param query       the query as it was sent, without the question mark; null for none
 * @param headers     values by lower-case name, each as it was sent
 * @param remote      address that it came from
 * @param received    the bytes of the body as they were on the wire
 * @param body        the same after decompression
 */
record Delivery(String provider, String method, String scheme, String authority, String path, String query,
        Map<String, List<String>> headers, String remote, byte[] received, byte[] body) {

    /** Longest header that is looked at; a longer one is no signature. */
    static final int HEADER_MAX = 8192;

    /** @return the Content-Type as it was sent; null when there is not exactly one */
    String contentType() {
        List<String> values = headers.getOrDefault("content-type", List.of());
        return values.size() == 1 ? values.get(0) : null;
    }

    /**
     * @param name of a header
     * @return its only value
     * @throws RefusedDelivery when it is not there exactly once, empty or too long
     */
    String header(String name) throws RefusedDelivery {
        List<String> values = headers.getOrDefault(name.toLowerCase(java.util.Locale.ROOT), List.of());
        if (values.size() != 1 || values.get(0).isBlank() || values.get(0).length() > HEADER_MAX) {
            throw new RefusedDelivery(Refusal.HEADER);
        }
        return values.get(0).strip();
    }
}
