package org.paymentroutes.provider;

import com.fasterxml.jackson.core.JsonPointer;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.util.ArrayList;
import java.util.List;
import org.paymentroutes.provider.WebhookPolicy.Body;

/** Finds what cannot be right in the part of a contract that is about webhooks. */
final class WebhookCheck {

    private final WebhookPolicy policy;
    private final WebhookScheme scheme;
    private final AnswerFields fields;
    private final List<String> problems = new ArrayList<>();

    WebhookCheck(WebhookPolicy policy) {
        this.policy = policy;
        this.scheme = policy.getScheme();
        this.fields = policy.getFields();
    }

    /** @return what cannot be right, a sentence for each */
    List<String> problems() {
        if (!policy.enabled()) {
            return problems;
        }
        Body body = policy.getBody();
        boolean hmac = scheme == WebhookScheme.TIMESTAMPED_HMAC || scheme == WebhookScheme.HMAC_HEX
                || scheme == WebhookScheme.HMAC_BASE64 || scheme == WebhookScheme.FIELD_JOINED_HMAC;
        demand("secrets", "nothing", "names of properties", !hmac || !policy.getSecrets().isEmpty());
        demand("header", "nothing", "the name of a header", !policy.getHeader().isEmpty() || policy.getSignatureField() != null
                || scheme == WebhookScheme.RSA_SERIAL || scheme == WebhookScheme.HTTP_MESSAGE_SIGNATURES
                || scheme == WebhookScheme.SORTED_FORM_RSA || scheme == WebhookScheme.ALLOW_LIST);
        demand("signedFields", "nothing", "JSON pointers", scheme != WebhookScheme.FIELD_JOINED_HMAC || !policy.getSignedFields().isEmpty());
        demand("keys", "nothing", "'<key id>=<property>'", !policy.getKeys().isEmpty()
                || scheme != WebhookScheme.RSA_SERIAL && scheme != WebhookScheme.SORTED_FORM_RSA && scheme != WebhookScheme.HTTP_MESSAGE_SIGNATURES);
        demand("body", body, "FORM, with SORTED_FORM_RSA", scheme != WebhookScheme.SORTED_FORM_RSA || body == Body.FORM);
        demand("algorithm", "'" + policy.getAlgorithm() + "'",
                "hmac-sha256, rsa-pss-sha512, rsa-v1_5-sha256, ecdsa-p256-sha256 or ed25519",
                scheme != WebhookScheme.HTTP_MESSAGE_SIGNATURES
                        || List.of("hmac-sha256", "rsa-pss-sha512", "rsa-v1_5-sha256", "ecdsa-p256-sha256", "ed25519")
                                .contains(policy.getAlgorithm()));
        demand("components", policy.getComponents(), "a list with content-digest, so that the body is signed",
                scheme != WebhookScheme.HTTP_MESSAGE_SIGNATURES || policy.getComponents().contains("content-digest"));
        demand("sources", "nothing", "addresses or networks", scheme != WebhookScheme.ALLOW_LIST || !policy.getSources().isEmpty());
        demand("sourceOnlyAcceptance", "'" + policy.getSourceOnlyAcceptance() + "'",
                "at least 20 characters that say why an address alone is proof enough; or another scheme",
                scheme != WebhookScheme.ALLOW_LIST || policy.getSourceOnlyAcceptance().length() >= 20);
        demand("toleranceMs", policy.getToleranceMs(), "1000 to 3600000",
                policy.getToleranceMs() >= 1000 && policy.getToleranceMs() <= 3_600_000);
        demand("maxBytes", policy.getMaxBytes(), "1024 to 262144", policy.getMaxBytes() >= 1024 && policy.getMaxBytes() <= 262_144);
        demand("orphanMs", policy.getOrphanMs(), "1 to 2592000000 (30 days)",
                policy.getOrphanMs() >= 1 && policy.getOrphanMs() <= 2_592_000_000L);
        demand("words.succeeded", "nothing", "the words that say that the money moved",
                policy.getWords().names(WebhookWords.Meaning.SUCCEEDED));
        demand("word", "nothing", "JSON pointers, or fields.status", !policy.getWord().isEmpty());
        demand("fields", "neither a reference nor an id", "a JSON pointer in fields.reference or fields.id",
                fields.getReference() != null || fields.getId() != null);
        demand("charset", "'" + policy.getCharset() + "'", "the name of a charset, with body FORM",
                policy.getCharset().isEmpty() || body == Body.FORM && known(policy.getCharset()));
        demand("items", "'" + policy.getItems() + "'", "a JSON pointer, with body JSON", policy.getItems() == null || body == Body.JSON);
        demand("decryptKey", "with body FORM", "body JSON, where the encrypted resource is",
                policy.getDecryptKey().isEmpty() || body == Body.JSON);
        demand("signatureField", "nothing", "a JSON pointer, with items: each item is signed by itself",
                scheme != WebhookScheme.FIELD_JOINED_HMAC || policy.getItems() == null || policy.getSignatureField() != null);
        demand("answer", "'" + policy.getAnswer() + "'", "1 to 200 printable ASCII characters, or nothing",
                policy.getAnswer().matches("[ -~]{0,200}"));
        // The field joined signature does not cover what it does not name.
        demand("signedFields", "fields without what is compared", "what fields.reference, fields.amount, fields.currency, fields.id,"
                + " fields.code, word and eventId point to",
                scheme != WebhookScheme.FIELD_JOINED_HMAC || policy.getSignedFields().containsAll(compared()));
        return problems;
    }

    private List<JsonPointer> compared() {
        List<JsonPointer> all = new ArrayList<>(policy.getWord());
        all.addAll(policy.getEventId());
        for (JsonPointer pointer : new JsonPointer[] {fields.getReference(), fields.getAmount(), fields.getCurrency(), fields.getId(),
            fields.getCode()}) {
            if (pointer != null) {
                all.add(pointer);
            }
        }
        return all;
    }

    private static boolean known(String charset) {
        try {
            return Charset.isSupported(charset);
        }
        catch (IllegalCharsetNameException e) {
            return false;
        }
    }

    private void demand(String option, Object found, String allowed, boolean fine) {
        if (!fine) {
            problems.add("option webhook." + option + ": found " + found + ", allowed is " + allowed);
        }
    }
}
