package org.paymentroutes.webhook;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMAC-SHA256 and SHA-2, and comparisons that take as long for a near miss as for a wild one. */
final class Hmac {

    private Hmac() {
    }

    /**
     * @param key   at least one byte
     * @param parts of the message, in their order
     * @return the code
     */
    static byte[] sha256(byte[] key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        }
        catch (GeneralSecurityException e) {
            throw new IllegalStateException("HMAC-SHA256 is part of every Java platform", e);
        }
    }

    /** @return whether one of the secrets makes one of the codes; each pair is compared, whatever the others said */
    static boolean anyFits(List<byte[]> secrets, List<byte[]> codes, byte[]... parts) {
        boolean fits = false;
        for (byte[] secret : secrets) {
            byte[] expected = sha256(secret, parts);
            for (byte[] code : codes) {
                fits |= MessageDigest.isEqual(expected, code);
            }
        }
        return fits;
    }

    /** @return the digest by its Java name, SHA-256 or SHA-512 */
    static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        }
        catch (GeneralSecurityException e) {
            throw new IllegalStateException(algorithm + " is part of every Java platform", e);
        }
    }
}
