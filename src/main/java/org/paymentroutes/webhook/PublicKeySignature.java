package org.paymentroutes.webhook;

import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;

/** Checks signatures under public keys, by the algorithm names of RFC 9421, section 6.2.2. */
final class PublicKeySignature {

    private PublicKeySignature() {
    }

    /** @return whether the signature over the parts is of this key; a key or signature of another kind never is */
    static boolean fits(String algorithm, PublicKey key, byte[] signature, byte[]... parts) {
        try {
            Signature check = switch (algorithm) {
                case "rsa-v1_5-sha256" -> Signature.getInstance("SHA256withRSA");
                case "rsa-pss-sha512" -> Signature.getInstance("RSASSA-PSS");
                case "ecdsa-p256-sha256" -> Signature.getInstance("SHA256withECDSAinP1363Format");
                case "ed25519" -> Signature.getInstance("Ed25519");
                default -> throw new IllegalArgumentException(algorithm);
            };
            if (algorithm.equals("rsa-pss-sha512")) {
                check.setParameter(new PSSParameterSpec("SHA-512", "MGF1", MGF1ParameterSpec.SHA512, 64, 1));
            }
            check.initVerify(key);
            for (byte[] part : parts) {
                check.update(part);
            }
            return check.verify(signature);
        }
        catch (GeneralSecurityException e) {
            return false;
        }
    }
}
