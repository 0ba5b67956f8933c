package org.paymentroutes.webhook;

import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.util.Base64;
import org.paymentroutes.provider.WebhookPolicy;

/**
 * Four headers with one prefix, {@code -Timestamp}, {@code -Nonce}, {@code -Signature} and {@code -Serial}: SHA256 with
 * RSA over timestamp, nonce and body, each with a line end after it, under the certificate of that serial. As WeChat Pay
 * v3 signs.
 */
final class RsaSerial implements SignatureCheck {

    private static final String PREFIX = "Wechatpay";

    @Override
    public Signed check(Delivery delivery, WebhookPolicy policy, WebhookSecrets secrets) throws RefusedDelivery {
        String prefix = policy.getHeader().isEmpty() ? PREFIX : policy.getHeader();
        String time = delivery.header(prefix + "-Timestamp");
        String nonce = delivery.header(prefix + "-Nonce");
        byte[] signature;
        try {
            signature = Base64.getDecoder().decode(delivery.header(prefix + "-Signature"));
        }
        catch (IllegalArgumentException e) {
            throw new RefusedDelivery(Refusal.HEADER);
        }
        long seconds = TimestampedHmac.seconds(time);
        PublicKey key = secrets.publicKey(policy, delivery.header(prefix + "-Serial"));
        if (key == null) {
            throw new RefusedDelivery(Refusal.KEY);
        }
        byte[] body = policy.getSignedBytes() == WebhookPolicy.SignedBytes.RECEIVED ? delivery.received() : delivery.body();
        if (!PublicKeySignature.fits("rsa-v1_5-sha256", key, signature, (time + "\n" + nonce + "\n").getBytes(StandardCharsets.UTF_8),
                body, new byte[] {'\n'})) {
            throw new RefusedDelivery(Refusal.SIGNATURE);
        }
        return Signed.at(seconds);
    }
}
