package org.paymentroutes.webhook;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.paymentroutes.provider.WebhookPolicy;
import org.paymentroutes.provider.WebhookScheme;

/** Deliveries as the door makes them, for tests of one part. */
final class Deliveries {

    private Deliveries() {
    }

    /** @return a POST of this body to {@code /webhooks/acme} with headers as pairs of name and value */
    static Delivery of(byte[] body, String... headers) {
        return at("https", "pay.example.org", "/webhooks/acme", null, body, headers);
    }

    static Delivery at(String scheme, String authority, String path, String query, byte[] body, String... headers) {
        Map<String, List<String>> map = new LinkedHashMap<>();
        for (int i = 0; i < headers.length; i += 2) {
            map.merge(headers[i].toLowerCase(Locale.ROOT), List.of(headers[i + 1]),
                    (one, more) -> java.util.stream.Stream.concat(one.stream(), more.stream()).toList());
        }
        return new Delivery("acme", "POST", scheme, authority, path, query, map, "192.0.2.7", body, body);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** @return a policy with this scheme; secrets are in the properties {@code a} and {@code b} */
    static WebhookPolicy policy(WebhookScheme scheme, String header) {
        WebhookPolicy policy = new WebhookPolicy();
        policy.setScheme(scheme);
        policy.setHeader(header);
        policy.setSecrets("a, b");
        return policy;
    }

    /** @return the secrets of these properties, read each time */
    static WebhookSecrets secrets(Map<String, String> properties) {
        long[] now = {0};
        return new WebhookSecrets(properties::get, () -> now[0] += 2_000_000_000L);
    }
}
