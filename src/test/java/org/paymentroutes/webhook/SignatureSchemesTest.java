package org.paymentroutes.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.paymentroutes.webhook.Deliveries.bytes;
import static org.paymentroutes.webhook.Deliveries.policy;
import static org.paymentroutes.webhook.Deliveries.secrets;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.provider.ProviderContract;
import org.paymentroutes.provider.WebhookPolicy;
import org.paymentroutes.provider.WebhookScheme;

/** Each way to sign, by published examples where there are any. */
class SignatureSchemesTest {

    private static final byte[] BODY = bytes("{\"id\":\"evt_1\"}");
    /** Adyen's published example. */
    private static final String ADYEN = """
            {"live":"false","notificationItems":[{"NotificationRequestItem":{"additionalData":{"hmacSignature":"coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0="},
            "amount":{"value":1130,"currency":"EUR"},"pspReference":"7914073381342284","eventCode":"AUTHORISATION","merchantAccountCode":"TestMerchant",
            "merchantReference":"TestPayment-1407325143704","paymentMethod":"visa","success":"true"}}]}""";
    private static final String ITEM = "/NotificationRequestItem/";

    private static void refused(Refusal refusal, SignatureCheck check, Delivery delivery, WebhookPolicy policy, Map<String, String> secrets) {
        assertThatThrownBy(() -> check.check(delivery, policy, secrets(secrets))).isInstanceOf(RefusedDelivery.class)
                .satisfies(e -> assertThat(((RefusedDelivery) e).refusal()).isEqualTo(refusal));
    }

    private static String hex(String key, byte[] body) {
        return HexFormat.of().formatHex(Hmac.sha256(bytes(key), body));
    }

    @Test
    void hmacIsTheOneOfRfc4231() {
        assertThat(HexFormat.of().formatHex(Hmac.sha256(bytes("Jefe"), bytes("what do ya want for nothing?"))))
                .isEqualTo("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    @Test
    void aHexHeaderIsBelievedUnderEachSecretThatIsValidNow() throws Exception {
        WebhookPolicy policy = policy(WebhookScheme.HMAC_HEX, "X-Signature");
        Map<String, String> both = Map.of("a", "old", "b", "new");
        for (String key : List.of("old", "new")) {
            assertThat(new PlainHmac().check(Deliveries.of(BODY, "X-Signature", hex(key, BODY)), policy, secrets(both)).at()).isNull();
            new PlainHmac().check(Deliveries.of(BODY, "x-signature", "sha256=" + hex(key, BODY)), policy, secrets(both));
        }
        refused(Refusal.SIGNATURE, new PlainHmac(), Deliveries.of(BODY, "X-Signature", hex("old", BODY)), policy, Map.of("b", "new"));
        refused(Refusal.SIGNATURE, new PlainHmac(), Deliveries.of(BODY, "X-Signature", hex("old", BODY).substring(2)), policy, both);
        refused(Refusal.HEADER, new PlainHmac(), Deliveries.of(BODY, "X-Signature", "zz"), policy, both);
        refused(Refusal.HEADER, new PlainHmac(), Deliveries.of(BODY, "X-Signature", "00", "X-Signature", hex("old", BODY)), policy, both);
        refused(Refusal.HEADER, new PlainHmac(), Deliveries.of(BODY), policy, both);
    }

    @Test
    void withoutASecretNothingIsBelieved() {
        WebhookPolicy policy = policy(WebhookScheme.HMAC_HEX, "X-Signature");
        refused(Refusal.SIGNATURE, new PlainHmac(), Deliveries.of(BODY, "X-Signature", hex("x", BODY)), policy, Map.of());
        refused(Refusal.SIGNATURE, new PlainHmac(), Deliveries.of(BODY, "X-Signature", hex("x", BODY)), policy, Map.of("a", "", "b", " \n"));
    }

    @Test
    void aBase64HeaderIsBelievedWithAKeyInAnyForm() throws Exception {
        WebhookPolicy policy = policy(WebhookScheme.HMAC_BASE64, "X-Signature");
        byte[] key = {0, 1, 2, (byte) 0xff};
        String code = Base64.getEncoder().encodeToString(Hmac.sha256(key, BODY));
        policy.setSecretForm(WebhookPolicy.SecretForm.BASE64);
        new PlainHmac().check(Deliveries.of(BODY, "X-Signature", code), policy, secrets(Map.of("a", Base64.getEncoder().encodeToString(key))));
        policy.setSecretForm(WebhookPolicy.SecretForm.HEX);
        new PlainHmac().check(Deliveries.of(BODY, "X-Signature", code), policy, secrets(Map.of("a", "000102ff")));
        refused(Refusal.SIGNATURE, new PlainHmac(), Deliveries.of(BODY, "X-Signature", code), policy, Map.of("a", "not hex"));
    }

    @ParameterizedTest
    @CsvSource({"DECODED, false", "RECEIVED, true"})
    void theSignatureIsOverTheBytesThatTheContractNames(WebhookPolicy.SignedBytes signed, boolean overWire) throws Exception {
        WebhookPolicy policy = policy(WebhookScheme.HMAC_HEX, "X-Signature");
        policy.setSignedBytes(signed);
        byte[] wire = {1, 2, 3};
        Map<String, List<String>> headers = Map.of("x-signature", List.of(hex("k", overWire ? wire : BODY)));
        Delivery delivery = new Delivery("acme", "POST", "https", "h", "/", null, headers, "192.0.2.7", wire, BODY);
        new PlainHmac().check(delivery, policy, secrets(Map.of("a", "k")));
    }

    static WebhookPolicy adyen() {
        WebhookPolicy policy = policy(WebhookScheme.FIELD_JOINED_HMAC, "");
        policy.setSecretForm(WebhookPolicy.SecretForm.HEX);
        policy.setSignatureField(ITEM + "additionalData/hmacSignature");
        policy.setItems("/notificationItems");
        policy.setSignedFields(ITEM + "pspReference," + ITEM + "originalReference," + ITEM + "merchantAccountCode," + ITEM + "merchantReference,"
                + ITEM + "amount/value," + ITEM + "amount/currency," + ITEM + "eventCode," + ITEM + "success");
        return policy;
    }

    @Test
    void joinedFieldsAreSignedAsAdyenPublishesIt() throws Exception {
        Map<String, String> key = Map.of("a", "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056");
        new FieldJoinedHmac().check(Deliveries.of(bytes(ADYEN)), adyen(), secrets(key));
        assertThat(FieldJoinedHmac.joined(EventBody.events(adyen(), bytes(ADYEN), null).get(0), adyen()))
                .isEqualTo("7914073381342284::TestMerchant:TestPayment-1407325143704:1130:EUR:AUTHORISATION:true");
        for (String change : List.of("1130|1131", "EUR|USD", "\"true\"|\"false\"", "AUTHORISATION|REFUND", "7914073381342284|7914073381342285")) {
            String[] pair = change.split("\\|");
            refused(Refusal.SIGNATURE, new FieldJoinedHmac(), Deliveries.of(bytes(ADYEN.replace(pair[0], pair[1]))), adyen(), key);
        }
        // Each item is signed by itself: a second one that is not makes all of it a forgery.
        String item = ADYEN.substring(ADYEN.indexOf('[') + 1, ADYEN.indexOf(']'));
        new FieldJoinedHmac().check(Deliveries.of(bytes(ADYEN.replace(item, item + "," + item))), adyen(), secrets(key));
        for (String change : List.of("1130|1131", "coqC|coqD")) {
            String[] pair = change.split("\\|");
            refused(Refusal.SIGNATURE, new FieldJoinedHmac(),
                    Deliveries.of(bytes(ADYEN.replace(item, item + "," + item.replace(pair[0], pair[1])))), adyen(), key);
        }
        for (String items : List.of("", item + ",5", item + ",null", String.join(",", java.util.Collections.nCopies(101, item)))) {
            refused(Refusal.COVERAGE, new FieldJoinedHmac(), Deliveries.of(bytes(ADYEN.replace(item, items))), adyen(), key);
        }
        refused(Refusal.COVERAGE, new FieldJoinedHmac(), Deliveries.of(bytes(item)), adyen(), key);
        refused(Refusal.COVERAGE, new FieldJoinedHmac(), Deliveries.of(bytes(ADYEN.replace("1130", "1130.0"))), adyen(), key);
    }

    @Test
    void aSeparatorInsideAValueIsEscapedWhereTheContractSaysSo() throws Exception {
        WebhookPolicy policy = policy(WebhookScheme.FIELD_JOINED_HMAC, "X-Signature");
        policy.setSignedFields("/a,/b");
        policy.setEscape("\\");
        assertThat(FieldJoinedHmac.joined(EventJson.parse(bytes("{\"a\":\"x:y\",\"b\":\"1\\\\\"}")), policy)).isEqualTo("x\\:y:1\\\\");
        assertThat(FieldJoinedHmac.joined(EventJson.parse(bytes("{\"a\":\"x\",\"b\":\"y:1\"}")), policy)).isEqualTo("x:y\\:1");
    }

    @Test
    void aContractThatUsesFieldsThatAreNotSignedIsRefused() {
        ProviderContract contract = new ProviderContract();
        contract.setAccount("a");
        WebhookPolicy policy = contract.getWebhook();
        policy.setScheme(WebhookScheme.FIELD_JOINED_HMAC);
        policy.setSecrets("s");
        policy.setHeader("X");
        policy.setSignedFields("/reference,/status");
        policy.getWords().setSucceeded("PAID");
        contract.getSubmitAnswers().setSucceeded("200 OK");
        contract.getQueryAnswers().setSucceeded("200 OK");
        assertThatThrownBy(() -> contract.check(null, "acme")).hasMessageContaining("webhook.signedFields");
    }

    @Test
    void rsaUnderTheCertificateOfASerialIsBelievedAndTheResourceIsDecrypted() throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance("RSA").generateKeyPair();
        String apiKey = "0123456789abcdef0123456789abcdef";
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(bytes(apiKey), "AES"), new GCMParameterSpec(128, bytes("fdasflkja484")));
        cipher.updateAAD(bytes("transaction"));
        String secret = Base64.getEncoder().encodeToString(cipher.doFinal(bytes(
                "{\"out_trade_no\":\"r1\",\"transaction_id\":\"4200\",\"trade_state\":\"SUCCESS\",\"amount\":{\"total\":5,\"currency\":\"CNY\"}}")));
        String body = "{\"id\":\"EV-1\",\"event_type\":\"TRANSACTION.SUCCESS\",\"resource\":{\"algorithm\":\"AEAD_AES_256_GCM\",\"ciphertext\":\""
                + secret + "\",\"associated_data\":\"transaction\",\"nonce\":\"fdasflkja484\"}}";
        Signature signer = Signature.getInstance("SHA256withRSA");
        signer.initSign(pair.getPrivate());
        signer.update(bytes("1554208460\nEr8X\n" + body + "\n"));
        String[] headers = {"Wechatpay-Timestamp", "1554208460", "Wechatpay-Nonce", "Er8X", "Wechatpay-Serial", "5157F09E",
            "Wechatpay-Signature", Base64.getEncoder().encodeToString(signer.sign())};
        Map<String, String> properties = Map.of("cert", Base64.getEncoder().encodeToString(pair.getPublic().getEncoded()), "api", apiKey);
        ProviderContract contract = new ProviderContract();
        WebhookPolicy policy = contract.getWebhook();
        policy.setScheme(WebhookScheme.RSA_SERIAL);
        policy.setKeys("5157F09E=cert");
        policy.setDecryptKey("api");
        policy.setWord("/resource/plaintext/trade_state");
        policy.getFields().setReference("/resource/plaintext/out_trade_no");
        policy.getFields().setId("/resource/plaintext/transaction_id");
        policy.getFields().setAmount("/resource/plaintext/amount/total");
        policy.getFields().setCurrency("/resource/plaintext/amount/currency");

        assertThat(new RsaSerial().check(Deliveries.of(bytes(body), headers), policy, secrets(properties)).at()).isEqualTo(1554208460_000L);
        WebhookEvent event = new EventReader(secrets(properties)).read(contract, bytes(body), null, 0);
        assertThat(event.saying()).isEqualTo("SUCCESS|r1|4200|5|CNY|null");
        assertThat(event.eventId()).isEqualTo("EV-1");

        refused(Refusal.SIGNATURE, new RsaSerial(), Deliveries.of(bytes(body + " "), headers), policy, properties);
        String[] other = headers.clone();
        other[5] = "00";
        refused(Refusal.KEY, new RsaSerial(), Deliveries.of(bytes(body), other), policy, properties);
        // The provider probes with this; it is refused like any other.
        other = headers.clone();
        other[7] = "WECHATPAY/SIGNTEST/" + headers[7];
        refused(Refusal.HEADER, new RsaSerial(), Deliveries.of(bytes(body), other), policy, properties);
        assertThat(new EventReader(secrets(Map.of("api", apiKey.replace('0', '1')))).read(contract, bytes(body), null, 0)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.7, true", "192.0.2.255, true", "192.0.3.1, false", "2001:db8::1, true", "2001:db9::1, false", "10.1.2.3, true",
        "10.1.2.4, false", "localhost, false", "::ffff:192.0.2.7, true"})
    void sourcesAreComparedAsNumbers(String remote, boolean allowed) {
        assertThat(new SourceList(List.of("192.0.2.0/24", "2001:db8::/32", "10.1.2.3")).allows(remote)).isEqualTo(allowed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"example.org", "192.0.2.0/33", "192.0.2.0/x", "2001:db8::/129", "1.2.3.4.5"})
    void aSourceThatIsNoAddressIsRefusedAtTheStart(String entry) {
        assertThatThrownBy(() -> new SourceList(List.of(entry))).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("webhook.sources");
    }

    @Test
    void anAddressAloneIsNoProofWithoutTheWrittenAcceptance() {
        ProviderContract contract = new ProviderContract();
        contract.setAccount("a");
        contract.getWebhook().setScheme(WebhookScheme.ALLOW_LIST);
        contract.getWebhook().setSources("192.0.2.0/24");
        contract.getWebhook().getWords().setSucceeded("PAID");
        contract.getSubmitAnswers().setSucceeded("200 OK");
        contract.getQueryAnswers().setSucceeded("200 OK");
        assertThatThrownBy(() -> contract.check(null, "acme")).hasMessageContaining("webhook.sourceOnlyAcceptance");
        contract.getWebhook().setSourceOnlyAcceptance("The provider is reached over a leased line that ends in our rack.");
        contract.check(null, "acme");
    }

    @Test
    void aSecretInAFileIsReadAgainAndSurvivesAMomentWithoutTheFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), "one\n");
        Map<String, String> properties = new HashMap<>(Map.of("a", "file:" + file));
        WebhookSecrets secrets = secrets(properties);
        WebhookPolicy policy = policy(WebhookScheme.HMAC_HEX, "X");
        assertThat(secrets.secrets(policy)).containsExactly(bytes("one"));
        Files.writeString(file, "one\ntwo\n");
        assertThat(secrets.secrets(policy)).containsExactly(bytes("one"), bytes("two"));
        Files.delete(file);
        assertThat(secrets.secrets(policy)).containsExactly(bytes("one"), bytes("two"));
        properties.put("a", "three");
        assertThat(secrets.secrets(policy)).containsExactly(bytes("three"));
    }
}
