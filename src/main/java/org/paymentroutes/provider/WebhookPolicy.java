package org.paymentroutes.provider;

import com.fasterxml.jackson.core.JsonPointer;
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

    /** @param secretForm what the text of each secret is */
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

    /** @param signedBytes over which bytes the signature is when a body is compressed */
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

    /** @param separator what stands between the signed fields */
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

    /** @param body how the body of a delivery is written */
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

    /** @param referenceIs what the events name a payment by */
    public void setReferenceIs(ReferenceIs referenceIs) {
        this.referenceIs = referenceIs;
    }

    public SameEvent getSameEvent() {
        return sameEvent;
    }

    /** @param sameEvent what makes two deliveries of one event id the same */
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

    /** @return which words of an event say what */
    public WebhookWords getWords() {
        return words;
    }

    /** @return whether this provider sends webhooks */
    public boolean enabled() {
        return scheme != WebhookScheme.NONE;
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
