package org.paymentroutes.sandbox;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs events in each of the ways in which providers do. The key pairs live as long as the process. */
public final class WebhookSigner {

    /** The serial or key id that signatures name. */
    public static final String KEY_ID = "sandbox-1";

    private final WebhookScheme scheme;
    private final List<String> secrets;
    private final KeyPair rsa;
    private final KeyPair ed25519;

    /**
     * @param scheme  how to sign
     * @param secrets the shared keys; the first one signs, for TIMESTAMPED_HMAC all of them do
     */
    public WebhookSigner(WebhookScheme scheme, List<String> secrets) {
        this.scheme = scheme;
        this.secrets = secrets;
        this.rsa = scheme == WebhookScheme.RSA_SERIAL || scheme == WebhookScheme.SORTED_FORM_RSA ? pair("RSA") : null;
        this.ed25519 = scheme == WebhookScheme.HTTP_MESSAGE_SIGNATURES ? pair("Ed25519") : null;
    }

    /** The public key that callers check with, as PEM; empty for a scheme with shared keys. */
    public String publicKey() {
        PublicKey key = rsa != null ? rsa.getPublic() : ed25519 != null ? ed25519.getPublic() : null;
        return key == null ? "" : "-----BEGIN PUBLIC KEY-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
    }

    /**
     * The headers that go with one sending of an event.
     *
     * @param address     where it is sent
     * @param unixSeconds time of sending
     * @param body        the exact body
     * @param fields      what FIELD_JOINED_HMAC covers, in order
     */
    public Map<String, String> headers(URI address, long unixSeconds, byte[] body, Collection<String> fields) {
        Map<String, String> headers = new LinkedHashMap<>();
        switch (scheme) {
            case TIMESTAMPED_HMAC -> headers.put("Sandbox-Signature", "t=" + unixSeconds + "," + secrets.stream().map(secret -> "v1="
                    + HexFormat.of().formatHex(hmac(secret, bytes(unixSeconds + "."), body))).collect(Collectors.joining(",")));
            case HMAC_HEX -> headers.put("Sandbox-Signature", HexFormat.of().formatHex(hmac(secrets.get(0), body)));
            case HMAC_BASE64 -> headers.put("Sandbox-Signature", base64(hmac(secrets.get(0), body)));
            case FIELD_JOINED_HMAC -> headers.put("Sandbox-Signature", base64(hmac(secrets.get(0), bytes(fields.stream()
                    .map(field -> field.replace("\\", "\\\\").replace(":", "\\:")).collect(Collectors.joining(":"))))));
            case RSA_SERIAL -> {
                String nonce = UUID.randomUUID().toString();
                headers.put("Sandbox-Timestamp", Long.toString(unixSeconds));
                headers.put("Sandbox-Nonce", nonce);
                headers.put("Sandbox-Serial", KEY_ID);
                headers.put("Sandbox-Signature", base64(sign("SHA256withRSA", rsa, bytes(unixSeconds + "\n" + nonce + "\n"), body, bytes("\n"))));
            }
            case SORTED_FORM_RSA -> {
                // Its signature is in the body.
            }
            default -> {
                String digest = "sha-256=:" + base64(sha256(body)) + ":";
                String parameters = "(\"@method\" \"@path\" \"content-digest\");created=" + unixSeconds + ";keyid=\"" + KEY_ID + "\";nonce=\""
                        + UUID.randomUUID() + "\"";
                String base = "\"@method\": POST\n\"@path\": " + address.getRawPath() + "\n\"content-digest\": " + digest
                        + "\n\"@signature-params\": " + parameters;
                headers.put("Content-Digest", digest);
                headers.put("Signature-Input", "sig1=" + parameters);
                headers.put("Signature", "sig1=:" + base64(sign("Ed25519", ed25519, bytes(base))) + ":");
            }
        }
        return headers;
    }

    /** @return the body of SORTED_FORM_RSA: these fields and their signature */
    public String form(Map<String, String> fields) {
        String sorted = new TreeMap<>(fields).entrySet().stream().map(field -> field.getKey() + "=" + field.getValue()).collect(Collectors.joining("&"));
        Map<String, String> all = new LinkedHashMap<>(fields);
        all.put("sign_type", "RSA2");
        all.put("sign", base64(sign("SHA256withRSA", rsa, bytes(sorted))));
        return all.entrySet().stream().map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    private static byte[] hmac(String secret, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(bytes(secret), "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HMAC-SHA256", e);
        }
    }

    private static byte[] sign(String algorithm, KeyPair pair, byte[]... parts) {
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(pair.getPrivate());
            for (byte[] part : parts) {
                signature.update(part);
            }
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key that was made here signs", e);
        }
    }

    private static byte[] sha256(byte[] body) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static KeyPair pair(String algorithm) {
        try {
            return KeyPairGenerator.getInstance(algorithm).generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + algorithm, e);
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
