package org.paymentroutes.webhook;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.paymentroutes.provider.WebhookPolicy;

/**
 * HTTP Message Signatures, RFC 9421. Only the contract's label is looked at, under the contract's algorithm; the message
 * cannot choose another one. It must name the time at which it was made and a key of the contract, and cover at least
 * what the contract demands, among it the digest of the body (RFC 9530), which is checked over the bytes on the wire.
 * The nonce needs no memory of its own: the same signed message is the same event, and that is applied once.
 */
final class HttpMessageSignatures implements SignatureCheck {

    private static final Map<String, String> DIGESTS = Map.of("sha-256", "SHA-256", "sha-512", "SHA-512");

    @Override
    public Signed check(Delivery delivery, WebhookPolicy policy, WebhookSecrets secrets) throws RefusedDelivery {
        SignatureInput.Member input = SignatureInput.member(field(delivery, "signature-input"), policy.getLabel());
        byte[] signature = SignatureInput.bytes(field(delivery, "signature"), policy.getLabel());
        Object created = input.parameters().get("created");
        Object algorithm = input.parameters().getOrDefault("alg", policy.getAlgorithm());
        if (signature == null || !(created instanceof Long seconds) || !policy.getAlgorithm().equals(algorithm)) {
            throw new RefusedDelivery(Refusal.HEADER);
        }
        if (!(input.parameters().get("keyid") instanceof String keyId) || !policy.getKeys().containsKey(keyId)) {
            throw new RefusedDelivery(Refusal.KEY);
        }
        checkCoverage(input, policy);
        byte[] base = base(delivery, policy, input).getBytes(StandardCharsets.ISO_8859_1);
        if (!fits(policy, secrets, keyId, signature, base)) {
            throw new RefusedDelivery(Refusal.SIGNATURE);
        }
        if (input.components().stream().anyMatch(component -> component.name().equals("content-digest"))) {
            checkDigest(delivery);
        }
        return new Signed(seconds * 1000, input.parameters().get("expires") instanceof Long expires ? Long.valueOf(expires * 1000) : null);
    }

    private static boolean fits(WebhookPolicy policy, WebhookSecrets secrets, String keyId, byte[] signature, byte[] base)
            throws RefusedDelivery {
        if (policy.getAlgorithm().equals("hmac-sha256")) {
            byte[] secret = secrets.secret(policy, keyId);
            if (secret == null) {
                throw new RefusedDelivery(Refusal.KEY);
            }
            return MessageDigest.isEqual(Hmac.sha256(secret, base), signature);
        }
        PublicKey key = secrets.publicKey(policy, keyId);
        if (key == null) {
            throw new RefusedDelivery(Refusal.KEY);
        }
        return PublicKeySignature.fits(policy.getAlgorithm(), key, signature, base);
    }

    private static void checkCoverage(SignatureInput.Member input, WebhookPolicy policy) throws RefusedDelivery {
        Set<String> names = input.components().stream().filter(component -> component.parameters().isEmpty())
                .map(SignatureInput.Component::name).collect(Collectors.toSet());
        if (!names.containsAll(policy.getComponents())) {
            throw new RefusedDelivery(Refusal.COVERAGE);
        }
    }

    /** @return the signature base of section 2.5 */
    static String base(Delivery delivery, WebhookPolicy policy, SignatureInput.Member input) throws RefusedDelivery {
        StringBuilder base = new StringBuilder();
        Set<String> seen = new HashSet<>();
        for (SignatureInput.Component component : input.components()) {
            if (!seen.add(component.text()) || !component.name().equals(component.name().toLowerCase(Locale.ROOT))) {
                throw new RefusedDelivery(Refusal.HEADER);
            }
            base.append(component.text()).append(": ").append(value(delivery, policy, component)).append('\n');
        }
        return base.append("\"@signature-params\": ").append(input.text()).toString();
    }

    private static String value(Delivery delivery, WebhookPolicy policy, SignatureInput.Component component) throws RefusedDelivery {
        String name = component.name();
        if (name.equals("@query-param")) {
            return queryParameter(delivery, component);
        }
        if (!component.parameters().isEmpty()) {
            throw new RefusedDelivery(Refusal.COVERAGE);
        }
        String origin = policy.getPublicUrl().isEmpty() ? delivery.scheme() + "://" + delivery.authority() : policy.getPublicUrl();
        String scheme = origin.substring(0, Math.max(0, origin.indexOf("://"))).toLowerCase(Locale.ROOT);
        String authority = authority(origin, scheme);
        String target = delivery.path() + (delivery.query() == null ? "" : "?" + delivery.query());
        return switch (name) {
            case "@method" -> delivery.method();
            case "@scheme" -> scheme;
            case "@authority" -> authority;
            case "@path" -> delivery.path();
            case "@query" -> "?" + (delivery.query() == null ? "" : delivery.query());
            case "@request-target" -> target;
            case "@target-uri" -> scheme + "://" + authority + target;
            default -> field(delivery, name);
        };
    }

    private static String authority(String origin, String scheme) {
        String authority = origin.substring(origin.indexOf("://") + 3).toLowerCase(Locale.ROOT);
        String port = scheme.equals("https") ? ":443" : ":80";
        return authority.endsWith(port) ? authority.substring(0, authority.length() - port.length()) : authority;
    }

    private static String queryParameter(Delivery delivery, SignatureInput.Component component) throws RefusedDelivery {
        if (component.parameters().size() != 1 || !(component.parameters().get("name") instanceof String wanted) || delivery.query() == null) {
            throw new RefusedDelivery(Refusal.COVERAGE);
        }
        String found = null;
        for (String pair : delivery.query().split("&")) {
            int at = pair.indexOf('=');
            if (encoded(at < 0 ? pair : pair.substring(0, at)).equals(wanted)) {
                if (found != null) {
                    throw new RefusedDelivery(Refusal.COVERAGE);
                }
                found = encoded(at < 0 ? "" : pair.substring(at + 1));
            }
        }
        if (found == null) {
            throw new RefusedDelivery(Refusal.COVERAGE);
        }
        return found;
    }

    private static String encoded(String text) throws RefusedDelivery {
        try {
            return URLEncoder.encode(URLDecoder.decode(text, StandardCharsets.UTF_8), StandardCharsets.UTF_8).replace("+", "%20");
        }
        catch (IllegalArgumentException e) {
            throw new RefusedDelivery(Refusal.COVERAGE);
        }
    }

    private static String field(Delivery delivery, String name) throws RefusedDelivery {
        List<String> values = delivery.headers().get(name);
        if (values == null || values.stream().mapToInt(String::length).sum() > Delivery.HEADER_MAX) {
            throw new RefusedDelivery(Refusal.HEADER);
        }
        return values.stream().map(String::strip).collect(Collectors.joining(", "));
    }

    private static void checkDigest(Delivery delivery) throws RefusedDelivery {
        String header = field(delivery, "content-digest");
        boolean known = false;
        for (Map.Entry<String, String> algorithm : DIGESTS.entrySet()) {
            byte[] claimed = SignatureInput.bytes(header, algorithm.getKey());
            if (claimed != null) {
                known = true;
                if (!MessageDigest.isEqual(claimed, Hmac.digest(algorithm.getValue(), delivery.received()))) {
                    throw new RefusedDelivery(Refusal.COVERAGE);
                }
            }
        }
        if (!known) {
            throw new RefusedDelivery(Refusal.COVERAGE);
        }
    }
}
