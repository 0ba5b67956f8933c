package org.paymentroutes.webhook;

import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.paymentroutes.provider.WebhookPolicy;
import org.paymentroutes.provider.WebhookScheme;

/**
 * A header with the HMAC-SHA256 of the body, in hex (with or without {@code sha256=} before it) or Base64. It signs no
 * time: what protects from a replay is that an event is applied once.
 */
final class PlainHmac implements SignatureCheck {

    private static final String PREFIX = "sha256=";

    @Override
    public Signed check(Delivery delivery, WebhookPolicy policy, WebhookSecrets secrets) throws RefusedDelivery {
        String text = delivery.header(policy.getHeader());
        byte[] code;
        try {
            code = policy.getScheme() == WebhookScheme.HMAC_BASE64 ? Base64.getDecoder().decode(text)
                    : HexFormat.of().parseHex(text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text);
        }
        catch (IllegalArgumentException e) {
            throw new RefusedDelivery(Refusal.HEADER);
        }
        byte[] body = policy.getSignedBytes() == WebhookPolicy.SignedBytes.RECEIVED ? delivery.received() : delivery.body();
        if (!Hmac.anyFits(secrets.secrets(policy), List.of(code), body)) {
            throw new RefusedDelivery(Refusal.SIGNATURE);
        }
        return Signed.TIMELESS;
    }
}
