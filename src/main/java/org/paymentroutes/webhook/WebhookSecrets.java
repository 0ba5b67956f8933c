package org.paymentroutes.webhook;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.paymentroutes.provider.WebhookPolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secrets behind the names in the contracts. Read again when they are older than a second, so that a changed
 * property or file counts without a restart. A file may hold several, one on each line; one that cannot be read any
 * more keeps its last value, for a file that is being replaced is away for a moment.
 */
final class WebhookSecrets {

    private static final Logger LOG = LoggerFactory.getLogger(WebhookSecrets.class);
    private static final long KEEP_NS = 1_000_000_000L;
    private static final String FILE = "file:";

    private final Function<String, String> properties;
    private final LongSupplier nanos;
    private final Map<String, Entry> texts = new ConcurrentHashMap<>();
    private final Map<String, PublicKey> publicKeys = new ConcurrentHashMap<>();

    private record Entry(String text, long at) {
    }

    /**
     * @param properties gives the value of a property now; null when there is none
     * @param nanos      a clock that only goes forward
     */
    WebhookSecrets(Function<String, String> properties, LongSupplier nanos) {
        this.properties = properties;
        this.nanos = nanos;
    }

    /** @return all symmetric keys that are valid now; empty when none can be read */
    List<byte[]> secrets(WebhookPolicy policy) {
        List<byte[]> keys = new ArrayList<>(2);
        for (String name : policy.getSecrets()) {
            text(name).lines().map(String::strip).filter(line -> !line.isEmpty()).forEach(line -> {
                byte[] key = bytes(line, policy.getSecretForm());
                if (key != null) {
                    keys.add(key);
                }
            });
        }
        return keys;
    }

    /** @return the symmetric key under this id, Base64 in its property; null when there is none */
    byte[] secret(WebhookPolicy policy, String keyId) {
        String name = policy.getKeys().get(keyId);
        String text = name == null ? "" : text(name).strip();
        return text.isEmpty() ? null : bytes(text, WebhookPolicy.SecretForm.BASE64);
    }

    /** @return the public key or the certificate's key under this id, PEM in its property; null when there is none */
    PublicKey publicKey(WebhookPolicy policy, String keyId) {
        String name = policy.getKeys().get(keyId);
        String text = name == null ? "" : text(name).strip();
        return text.isEmpty() ? null : publicKeys.computeIfAbsent(text, pem -> publicKey(name, pem));
    }

    /** @return the raw text of a property, for a key of another kind; empty when there is none */
    String text(String name) {
        Entry known = texts.get(name);
        if (known != null && nanos.getAsLong() - known.at() < KEEP_NS) {
            return known.text();
        }
        String text = read(name, known);
        texts.put(name, new Entry(text, nanos.getAsLong()));
        return text;
    }

    private String read(String name, Entry known) {
        String value = properties.apply(name);
        if (value == null || !value.startsWith(FILE)) {
            return value == null ? "" : value;
        }
        try {
            return Files.readString(Path.of(value.substring(FILE.length())), StandardCharsets.UTF_8);
        }
        catch (IOException e) {
            LOG.warn("The file of property {} cannot be read: {}", name, e.getClass().getSimpleName());
            return known == null ? "" : known.text();
        }
    }

    private static byte[] bytes(String text, WebhookPolicy.SecretForm form) {
        try {
            return switch (form) {
                case TEXT -> text.getBytes(StandardCharsets.UTF_8);
                case HEX -> HexFormat.of().parseHex(text);
                case BASE64 -> Base64.getDecoder().decode(text);
            };
        }
        catch (IllegalArgumentException e) {
            LOG.warn("A webhook secret is not {}", form);
            return null;
        }
    }

    private static PublicKey publicKey(String name, String pem) {
        try {
            if (pem.contains("BEGIN CERTIFICATE")) {
                return CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII))).getPublicKey();
            }
            byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
            for (String algorithm : new String[] {"RSA", "EC", "Ed25519", "RSASSA-PSS"}) {
                try {
                    return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(der));
                }
                catch (GeneralSecurityException e) {
                    LOG.debug("not a key of {}", algorithm);
                }
            }
        }
        catch (GeneralSecurityException | IllegalArgumentException e) {
            LOG.debug("not a certificate or key", e);
        }
        LOG.warn("Property {} holds neither a PEM certificate nor a PEM public key", name);
        return null;
    }
}
