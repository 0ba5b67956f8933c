package org.paymentroutes.provider;

import com.fasterxml.jackson.core.JsonPointer;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Whether and how a provider tells us of payments by itself: how it proves that it is the provider, and where its
 * events carry what we compare. Secrets are named by the properties that hold them, never written here; a property may
 * name a file ({@code file:/run/secrets/x}). Both are read again every second, and all that are there are valid at the
 * same time, so that a secret is changed by adding the new one, and taking the old one away later.
 */
public final class WebhookPolicy {

    /** What a secret's text is. */
    public enum SecretForm {
        /** Its UTF-8 bytes are the key. */
        TEXT,
        /** The key in hex. */
        HEX,
        /** The key in Base64. */
        BASE64
    }

    /** What the provider's events name a payment by. */
    public enum ReferenceIs {
        /** Our key, {@code $key} of the request. */
        KEY,
        /** The caller's reference, {@code $sourceReference} of the request. */
        SOURCE_REFERENCE
    }

    /** What makes two deliveries of one event id the same. */
    public enum SameEvent {
        /** All their bytes. */
        BODY,
        /** What they say of the payment; for a provider whose events carry counters or times of sending. */
        FACT
    }

    /** How the body of a delivery is written. */
    public enum Body {
        /** One JSON object in UTF-8. */
        JSON,
        /** {@code application/x-www-form-urlencoded}; the pointer {@code /name} names the parameter {@code name}. */
        FORM
    }

    /** Over which bytes the signature is when a body is compressed. */
    public enum SignedBytes {
        /** Those on the wire. */
        RECEIVED,
        /** Those after decompression. */
        DECODED
    }

    private WebhookScheme scheme = WebhookScheme.NONE;
    private String header = "";
    private String version = "v1";
    private List<String> secrets = List.of();
    private SecretForm secretForm = SecretForm.TEXT;
    private Map<String, String> keys = Map.of();
    private String decryptKey = "";
    private long toleranceMs = 300_000;
    private int maxBytes = 65_536;
    private SignedBytes signedBytes = SignedBytes.DECODED;
    private List<JsonPointer> signedFields = List.of();
    private String separator = ":";
    private String escape = "";
    private JsonPointer signatureField;
    private String label = "sig1";
    private String algorithm = "";
    private List<String> components = List.of("@method", "@path", "content-digest");
    private String publicUrl = "";
    private List<String> sources = List.of();
    private String sourceOnlyAcceptance = "";
    private Body body = Body.JSON;
    private String charset = "";
    private JsonPointer items;
    private String answer = "";
    private List<JsonPointer> eventId = List.of(JsonPointer.compile("/id"));
    private List<JsonPointer> word = List.of();
    private ReferenceIs referenceIs = ReferenceIs.KEY;
    private SameEvent sameEvent = SameEvent.BODY;
    private long orphanMs = 3_600_000;
    private final AnswerFields fields = new AnswerFields();
    private final WebhookWords words = new WebhookWords();

    public WebhookScheme getScheme() {
        return scheme;
    }

    /** @param scheme the one way in which this provider signs */
    public void setScheme(WebhookScheme scheme) {
        this.scheme = scheme;
    }

    public String getHeader() {
        return header;
    }

    /** @param header that carries the signature; for RSA_SERIAL the prefix of four headers, {@code Wechatpay} */
    public void setHeader(String header) {
        this.header = header.strip();
    }

    public String getVersion() {
        return version;
    }

    /** @param version the one name in {@code t=…,v1=…} that is looked at */
    public void setVersion(String version) {
        this.version = version.strip();
    }

    public List<String> getSecrets() {
        return secrets;
    }

    /** @param names comma list of the properties that hold the secrets that are valid now */
    public void setSecrets(String names) {
        secrets = list(names);
    }

    public SecretForm getSecretForm() {
        return secretForm;
    }

    public void setSecretForm(SecretForm secretForm) {
        this.secretForm = secretForm;
    }

    public Map<String, String> getKeys() {
        return keys;
    }

    /** @param entries comma list of {@code <serial or key id>=<property>}; the property holds a PEM or a Base64 secret */
    public void setKeys(String entries) {
        Map<String, String> read = new LinkedHashMap<>();
        for (String entry : list(entries)) {
            int at = entry.lastIndexOf('=');
            if (at < 1 || at == entry.length() - 1) {
                throw new IllegalArgumentException("Option webhook.keys: found '" + entry + "', allowed is '<key id>=<property>'");
            }
            read.put(entry.substring(0, at).strip(), entry.substring(at + 1).strip());
        }
        keys = read;
    }

    public String getDecryptKey() {
        return decryptKey;
    }

    /** @param property that holds the 32-byte AES key of encrypted resources */
    public void setDecryptKey(String property) {
        this.decryptKey = property.strip();
    }

    public long getToleranceMs() {
        return toleranceMs;
    }

    /** @param toleranceMs how far the time of a signature may lie from now, before or after */
    public void setToleranceMs(long toleranceMs) {
        this.toleranceMs = toleranceMs;
    }

    public int getMaxBytes() {
        return maxBytes;
    }

    /** @param maxBytes largest body, on the wire and after decompression */
    public void setMaxBytes(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    public SignedBytes getSignedBytes() {
        return signedBytes;
    }

    public void setSignedBytes(SignedBytes signedBytes) {
        this.signedBytes = signedBytes;
    }

    public List<JsonPointer> getSignedFields() {
        return signedFields;
    }

    /** @param pointers of FIELD_JOINED_HMAC, in their order */
    public void setSignedFields(String pointers) {
        signedFields = pointers("signedFields", pointers);
    }

    public String getSeparator() {
        return separator;
    }

    public void setSeparator(String separator) {
        this.separator = separator;
    }

    public String getEscape() {
        return escape;
    }

    /** @param escape put before itself and before the separator inside a value; empty escapes nothing */
    public void setEscape(String escape) {
        this.escape = escape;
    }

    public JsonPointer getSignatureField() {
        return signatureField;
    }

    /** @param pointer of the signature in the body; empty for a header */
    public void setSignatureField(String pointer) {
        signatureField = pointer("signatureField", pointer);
    }

    public String getLabel() {
        return label;
    }

    /** @param label of the one RFC 9421 signature that is looked at */
    public void setLabel(String label) {
        this.label = label.strip();
    }

    public String getAlgorithm() {
        return algorithm;
    }

    /** @param algorithm by its RFC 9421 name; the message cannot choose another one */
    public void setAlgorithm(String algorithm) {
        this.algorithm = algorithm.strip();
    }

    public List<String> getComponents() {
        return components;
    }

    /** @param names comma list of what an RFC 9421 signature must cover at least */
    public void setComponents(String names) {
        components = list(names.toLowerCase(Locale.ROOT));
    }

    public String getPublicUrl() {
        return publicUrl;
    }

    /** @param publicUrl scheme and authority under which the provider knows us, behind a proxy that changes them */
    public void setPublicUrl(String publicUrl) {
        this.publicUrl = publicUrl.strip();
    }

    public List<String> getSources() {
        return sources;
    }

    /** @param sources comma list of addresses or networks that deliveries come from; empty for any */
    public void setSources(String sources) {
        this.sources = list(sources);
    }

    public String getSourceOnlyAcceptance() {
        return sourceOnlyAcceptance;
    }

    /** @param words of at least 20 characters, why the source alone is accepted as a proof */
    public void setSourceOnlyAcceptance(String words) {
        this.sourceOnlyAcceptance = words.strip();
    }

    public Body getBody() {
        return body;
    }

    public void setBody(Body body) {
        this.body = body;
    }

    public String getCharset() {
        return charset;
    }

    /** @param charset of a form, whatever its Content-Type says; empty for what that says, else UTF-8 */
    public void setCharset(String charset) {
        this.charset = charset.strip();
    }

    public JsonPointer getItems() {
        return items;
    }

    /** @param pointer of the list whose items are the events; all other pointers then begin at an item. Empty for one event */
    public void setItems(String pointer) {
        items = pointer("items", pointer);
    }

    public String getAnswer() {
        return answer;
    }

    /** @param answer the text that the provider asks for, with 200, when a delivery is stored; empty for a JSON of ours */
    public void setAnswer(String answer) {
        this.answer = answer.strip();
    }

    public List<JsonPointer> getEventId() {
        return eventId;
    }

    /** @param pointers of what makes the event's id, joined when there are several */
    public void setEventId(String pointers) {
        eventId = pointers("eventId", pointers);
    }

    public List<JsonPointer> getWord() {
        return word.isEmpty() && fields.getStatus() != null ? List.of(fields.getStatus()) : word;
    }

    /** @param pointers of what makes the word, joined by a space; without it {@code fields.status} is the word */
    public void setWord(String pointers) {
        word = pointers("word", pointers);
    }

    public ReferenceIs getReferenceIs() {
        return referenceIs;
    }

    public void setReferenceIs(ReferenceIs referenceIs) {
        this.referenceIs = referenceIs;
    }

    public SameEvent getSameEvent() {
        return sameEvent;
    }

    public void setSameEvent(SameEvent sameEvent) {
        this.sameEvent = sameEvent;
    }

    public long getOrphanMs() {
        return orphanMs;
    }

    /** @param orphanMs how long an event waits for its payment before people look at it */
    public void setOrphanMs(long orphanMs) {
        this.orphanMs = orphanMs;
    }

    /** @return where an event carries what we compare; {@code code} is the id of a reversal */
    public AnswerFields getFields() {
        return fields;
    }

    public WebhookWords getWords() {
        return words;
    }

    /** @return whether this provider sends webhooks */
    public boolean enabled() {
        return scheme != WebhookScheme.NONE;
    }

    /** @return what cannot be right, a sentence for each */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (!enabled()) {
            return problems;
        }
        boolean hmac = scheme == WebhookScheme.TIMESTAMPED_HMAC || scheme == WebhookScheme.HMAC_HEX
                || scheme == WebhookScheme.HMAC_BASE64 || scheme == WebhookScheme.FIELD_JOINED_HMAC;
        demand(problems, "secrets", "nothing", "names of properties", !hmac || !secrets.isEmpty());
        demand(problems, "header", "nothing", "the name of a header", !header.isEmpty() || signatureField != null
                || scheme == WebhookScheme.RSA_SERIAL || scheme == WebhookScheme.HTTP_MESSAGE_SIGNATURES
                || scheme == WebhookScheme.SORTED_FORM_RSA || scheme == WebhookScheme.ALLOW_LIST);
        demand(problems, "signedFields", "nothing", "JSON pointers", scheme != WebhookScheme.FIELD_JOINED_HMAC || !signedFields.isEmpty());
        demand(problems, "keys", "nothing", "'<key id>=<property>'", !keys.isEmpty()
                || scheme != WebhookScheme.RSA_SERIAL && scheme != WebhookScheme.SORTED_FORM_RSA && scheme != WebhookScheme.HTTP_MESSAGE_SIGNATURES);
        demand(problems, "body", body, "FORM, with SORTED_FORM_RSA", scheme != WebhookScheme.SORTED_FORM_RSA || body == Body.FORM);
        demand(problems, "algorithm", "'" + algorithm + "'",
                "hmac-sha256, rsa-pss-sha512, rsa-v1_5-sha256, ecdsa-p256-sha256 or ed25519",
                scheme != WebhookScheme.HTTP_MESSAGE_SIGNATURES
                        || List.of("hmac-sha256", "rsa-pss-sha512", "rsa-v1_5-sha256", "ecdsa-p256-sha256", "ed25519").contains(algorithm));
        demand(problems, "components", components, "a list with content-digest, so that the body is signed",
                scheme != WebhookScheme.HTTP_MESSAGE_SIGNATURES || components.contains("content-digest"));
        demand(problems, "sources", "nothing", "addresses or networks", scheme != WebhookScheme.ALLOW_LIST || !sources.isEmpty());
        demand(problems, "sourceOnlyAcceptance", "'" + sourceOnlyAcceptance + "'",
                "at least 20 characters that say why an address alone is proof enough; or another scheme",
                scheme != WebhookScheme.ALLOW_LIST || sourceOnlyAcceptance.length() >= 20);
        demand(problems, "toleranceMs", toleranceMs, "1000 to 3600000", toleranceMs >= 1000 && toleranceMs <= 3_600_000);
        demand(problems, "maxBytes", maxBytes, "1024 to 262144", maxBytes >= 1024 && maxBytes <= 262_144);
        demand(problems, "orphanMs", orphanMs, "1 to 2592000000 (30 days)", orphanMs >= 1 && orphanMs <= 2_592_000_000L);
        demand(problems, "words.succeeded", "nothing", "the words that say that the money moved", words.names(WebhookWords.Meaning.SUCCEEDED));
        demand(problems, "word", "nothing", "JSON pointers, or fields.status", !getWord().isEmpty());
        demand(problems, "fields", "neither a reference nor an id", "a JSON pointer in fields.reference or fields.id",
                fields.getReference() != null || fields.getId() != null);
        demand(problems, "charset", "'" + charset + "'", "the name of a charset, with body FORM",
                charset.isEmpty() || body == Body.FORM && known(charset));
        demand(problems, "items", "'" + items + "'", "a JSON pointer, with body JSON", items == null || body == Body.JSON);
        demand(problems, "decryptKey", "with body FORM", "body JSON, where the encrypted resource is", decryptKey.isEmpty() || body == Body.JSON);
        demand(problems, "signatureField", "nothing", "a JSON pointer, with items: each item is signed by itself",
                scheme != WebhookScheme.FIELD_JOINED_HMAC || items == null || signatureField != null);
        demand(problems, "answer", "'" + answer + "'", "1 to 200 printable ASCII characters, or nothing", answer.matches("[ -~]{0,200}"));
        // The field joined signature does not cover what it does not name.
        demand(problems, "signedFields", "fields without what is compared", "what fields.reference, fields.amount, fields.currency, fields.id,"
                + " fields.code, word and eventId point to", scheme != WebhookScheme.FIELD_JOINED_HMAC || signedFields.containsAll(compared()));
        return problems;
    }

    private List<JsonPointer> compared() {
        List<JsonPointer> all = new ArrayList<>(getWord());
        all.addAll(eventId);
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

    private static void demand(List<String> problems, String option, Object found, String allowed, boolean fine) {
        if (!fine) {
            problems.add("option webhook." + option + ": found " + found + ", allowed is " + allowed);
        }
    }

    private static List<String> list(String text) {
        return Arrays.stream(text.split(",")).map(String::strip).filter(entry -> !entry.isEmpty()).toList();
    }

    private static List<JsonPointer> pointers(String option, String text) {
        return list(text).stream().map(entry -> pointer(option, entry)).toList();
    }

    private static JsonPointer pointer(String option, String text) {
        try {
            return text.isBlank() ? null : JsonPointer.compile(text.strip());
        }
        catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Option webhook." + option + ": found '" + text
                    + "', allowed is a JSON pointer such as /data/status");
        }
    }
}
