package org.paymentroutes.payment;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Keyed digests of what a payment asks for and of requests: comparable, and no way back to their content. */
public final class Fingerprint {

    private final SecretKeySpec key;

    /** @param key at least 32 bytes; the same on every node and for ever */
    Fingerprint(byte[] key) {
        this.key = new SecretKeySpec(key, "HmacSHA256");
    }

    String of(PaymentRequest request) {
        return of(request.canonical().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * @param content what was sent
     * @return its HMAC-SHA256, 64 hex characters
     */
    public String of(byte[] content) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(content));
        }
        catch (GeneralSecurityException e) {
            throw new IllegalStateException("HMAC-SHA256 is part of every Java platform", e);
        }
    }
}
