package org.paymentroutes.webhook;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.paymentroutes.provider.WebhookPolicy;

/**
 * {@code t=<unix seconds>,v1=<hex>[,v1=<hex>…]}: the code is over {@code <t>.<body>}. Several codes of the contract's
 * version are looked at, because a provider signs with the old and the new secret while they change; other versions are
 * passed over, so that no older one can take their place.
 */
final class TimestampedHmac implements SignatureCheck {

    private static final int CODES_MAX = 5;

    @Override
    public Signed check(Delivery delivery, WebhookPolicy policy, WebhookSecrets secrets) throws RefusedDelivery {
        String time = null;
        List<byte[]> codes = new ArrayList<>(2);
        for (String part : delivery.header(policy.getHeader()).split(",", -1)) {
            int at = part.indexOf('=');
            String name = at < 0 ? "" : part.substring(0, at).strip();
            String value = part.substring(at + 1).strip();
            if (name.equals("t")) {
                if (time != null) {
                    throw new RefusedDelivery(Refusal.HEADER);
                }
                time = value;
            }
            else if (name.equals(policy.getVersion()) && value.length() == 64 && codes.size() < CODES_MAX) {
                codes.add(hex(value));
            }
        }
        if (codes.isEmpty()) {
            throw new RefusedDelivery(Refusal.HEADER);
        }
        long seconds = seconds(time);
        byte[] body = policy.getSignedBytes() == WebhookPolicy.SignedBytes.RECEIVED ? delivery.received() : delivery.body();
        if (!Hmac.anyFits(secrets.secrets(policy), codes, (time + ".").getBytes(StandardCharsets.US_ASCII), body)) {
            throw new RefusedDelivery(Refusal.SIGNATURE);
        }
        return Signed.at(seconds);
    }

    /** @return unix seconds, from digits alone; no sign, no fraction, no milliseconds */
    static long seconds(String text) throws RefusedDelivery {
        if (text == null || !text.matches("[0-9]{1,11}")) {
            throw new RefusedDelivery(Refusal.HEADER);
        }
        return Long.parseLong(text);
    }

    private static byte[] hex(String text) throws RefusedDelivery {
        try {
            return HexFormat.of().parseHex(text);
        }
        catch (IllegalArgumentException e) {
            throw new RefusedDelivery(Refusal.HEADER);
        }
    }
}
