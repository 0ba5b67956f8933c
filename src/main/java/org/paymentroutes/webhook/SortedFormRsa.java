package org.paymentroutes.webhook;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.Charset;
import java.util.Base64;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.paymentroutes.provider.WebhookPolicy;

/**
 * SHA256 with RSA over the parameters of a form, decoded, sorted by name and joined as {@code name=value&name=value}; all
 * but {@code sign}, which is the signature in Base64, and {@code sign_type}. As Alipay signs its notifications (RSA2).
 */
final class SortedFormRsa implements SignatureCheck {

    private static final String SIGNATURE = "sign";
    private static final List<String> NOT_SIGNED = List.of(SIGNATURE, "sign_type");
    /** What would read as the begin of another parameter in the signed text. */
    private static final Pattern ANOTHER = Pattern.compile("&[^&=]*=");

    @Override
    public Signed check(Delivery delivery, WebhookPolicy policy, WebhookSecrets secrets) throws RefusedDelivery {
        List<ObjectNode> events = EventBody.events(policy, delivery.body(), delivery.contentType());
        if (events.isEmpty()) {
            throw new RefusedDelivery(Refusal.COVERAGE);
        }
        byte[] signature;
        try {
            signature = Base64.getDecoder().decode(events.get(0).path(SIGNATURE).asText());
        }
        catch (IllegalArgumentException e) {
            throw new RefusedDelivery(Refusal.HEADER);
        }
        Charset charset = EventForm.charset(policy.getCharset(), delivery.contentType());
        byte[] signed = joined(events.get(0)).getBytes(charset);
        if (policy.getKeys().keySet().stream().map(id -> secrets.publicKey(policy, id))
                .noneMatch(key -> key != null && PublicKeySignature.fits("rsa-v1_5-sha256", key, signature, signed))) {
            throw new RefusedDelivery(Refusal.SIGNATURE);
        }
        return Signed.TIMELESS;
    }

    /** Nothing is escaped in the signed text, so a form that could be read as another one with the same text proves nothing. */
    private static String joined(ObjectNode form) throws RefusedDelivery {
        TreeSet<String> names = new TreeSet<>();
        form.fieldNames().forEachRemaining(names::add);
        names.removeAll(NOT_SIGNED);
        StringJoiner joined = new StringJoiner("&");
        for (String name : names) {
            String value = form.path(name).asText();
            if (name.indexOf('&') >= 0 || name.indexOf('=') >= 0 || ANOTHER.matcher(value).find()) {
                throw new RefusedDelivery(Refusal.COVERAGE);
            }
            joined.add(name + "=" + value);
        }
        return joined.toString();
    }
}
