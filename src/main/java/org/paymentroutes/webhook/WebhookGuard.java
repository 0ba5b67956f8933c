package org.paymentroutes.webhook;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.paymentroutes.provider.ProviderContract;
import org.paymentroutes.provider.Providers;
import org.paymentroutes.provider.WebhookPolicy;
import org.paymentroutes.provider.WebhookScheme;

/** Decides whether a delivery is believed, without a question to the database. */
final class WebhookGuard {

    private static final String NOBODY = "unknown";

    private final Map<WebhookScheme, SignatureCheck> checks = new EnumMap<>(WebhookScheme.class);
    private final Providers providers;
    private final WebhookSecrets secrets;
    private final WebhookClock clock;
    private final WebhookRefusals refusals;
    private final Map<String, SourceList> sources = new ConcurrentHashMap<>();

    WebhookGuard(Providers providers, WebhookSecrets secrets, WebhookClock clock, WebhookRefusals refusals) {
        this.providers = providers;
        this.secrets = secrets;
        this.clock = clock;
        this.refusals = refusals;
        checks.put(WebhookScheme.TIMESTAMPED_HMAC, new TimestampedHmac());
        checks.put(WebhookScheme.HMAC_HEX, new PlainHmac());
        checks.put(WebhookScheme.HMAC_BASE64, new PlainHmac());
        checks.put(WebhookScheme.FIELD_JOINED_HMAC, new FieldJoinedHmac());
        checks.put(WebhookScheme.RSA_SERIAL, new RsaSerial());
        checks.put(WebhookScheme.SORTED_FORM_RSA, new SortedFormRsa());
        checks.put(WebhookScheme.HTTP_MESSAGE_SIGNATURES, new HttpMessageSignatures());
        checks.put(WebhookScheme.ALLOW_LIST, (delivery, policy, unused) -> SignatureCheck.Signed.TIMELESS);
    }

    /** @return whether nothing can be believed of this provider until its refused file is mended, so that it must send again */
    boolean waits(String provider) {
        return providers.isRefused(provider);
    }

    /**
     * The cheap questions, before a byte of the body is read.
     *
     * @param provider name in the path
     * @param length   the Content-Length, -1 when there is none
     * @param remote   address of the sender
     * @return the policy of the provider
     * @throws RefusedDelivery when nobody listens there, or it is too large, or from elsewhere
     */
    WebhookPolicy beforeBody(String provider, long length, String remote) throws RefusedDelivery {
        if (!providers.names().contains(provider)) {
            throw new RefusedDelivery(Refusal.PROVIDER);
        }
        ProviderContract contract = providers.contract(provider);
        WebhookPolicy policy = contract.getWebhook();
        if (!policy.enabled()) {
            throw new RefusedDelivery(Refusal.PROVIDER);
        }
        if (length > policy.getMaxBytes()) {
            throw new RefusedDelivery(Refusal.SIZE);
        }
        if (!sources.computeIfAbsent(provider, unused -> new SourceList(policy.getSources())).allows(remote)) {
            throw new RefusedDelivery(Refusal.SOURCE);
        }
        return policy;
    }

    /**
     * @param delivery with its body
     * @param policy   of its provider
     * @return when it was signed, in milliseconds since 1970; null when the scheme signs no time
     * @throws RefusedDelivery when it is not believed
     */
    Long signedAt(Delivery delivery, WebhookPolicy policy) throws RefusedDelivery {
        SignatureCheck.Signed signed = checks.get(policy.getScheme()).check(delivery, policy, secrets);
        if (signed.at() != null) {
            long offset = signed.at() - clock.millis();
            refusals.signed(delivery.provider(), offset);
            if (Math.abs(offset) > policy.getToleranceMs() || signed.expires() != null && signed.expires() <= clock.millis()) {
                throw new RefusedDelivery(Refusal.TIME);
            }
        }
        return signed.at();
    }

    /** Counts a refusal. */
    void refused(String provider, Refusal refusal) {
        refusals.refused(refusal == Refusal.PROVIDER ? NOBODY : provider, refusal);
    }

    /** @return the headers of a delivery that are worth keeping: those that its signature is about, and that say how to read it */
    static List<String> headersThatMatter(WebhookPolicy policy) {
        String header = policy.getHeader().toLowerCase(Locale.ROOT);
        String prefix = header.isEmpty() ? "wechatpay" : header;
        List<String> names = new ArrayList<>(switch (policy.getScheme()) {
            case RSA_SERIAL -> List.of(prefix + "-timestamp", prefix + "-nonce", prefix + "-serial", prefix + "-signature");
            case HTTP_MESSAGE_SIGNATURES -> List.of("signature-input", "signature", "content-digest");
            default -> header.isEmpty() ? List.of() : List.of(header);
        });
        names.addAll(List.of("content-encoding", "content-type"));
        return names;
    }
}
