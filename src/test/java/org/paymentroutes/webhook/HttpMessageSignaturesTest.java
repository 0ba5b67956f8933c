package org.paymentroutes.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.provider.WebhookPolicy;
import org.paymentroutes.provider.WebhookScheme;

/** RFC 9421 by its own examples: keys of B.1, signatures of B.2 and section 4.3. */
class HttpMessageSignaturesTest {

    private static final String DIGEST = "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:";
    private static final byte[] BODY = Deliveries.bytes("{\"hello\": \"world\"}");
    private static final String PSS = """
            -----BEGIN PUBLIC KEY-----
            MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
            +QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
            oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
            gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
            Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
            aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
            2wIDAQAB
            -----END PUBLIC KEY-----""";
    private static final String RSA_PKCS1 = "MIIBCgKCAQEAhAKYdtoeoy8zcAcR874L8cnZxKzAGwd7v36APp7Pv6Q2jdsPBRrw"
            + "WEBnez6d0UDKDwGbc6nxfEXAy5mbhgajzrw3MOEt8uA5txSKobBpKDeBLOsdJKFq"
            + "MGmXCQvEG7YemcxDTRPxAleIAgYYRjTSd/QBwVW9OwNFhekro3RtlinV0a75jfZg"
            + "kne/YiktSvLG34lw2zqXBDTC5NHROUqGTlML4PlNZS5Ri2U4aCNx2rUPRcKIlE0P"
            + "uKxI4T+HIaFpv8+rdV6eUgOrB2xeI1dSFFn/nnv5OoZJEIB+VmuKn3DCUcCZSFlQ"
            + "PSXSfBDiUGhwOw76WuSSsf1D4b/vLoJ10wIDAQAB";
    private static final String ECC = """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
            w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
            -----END PUBLIC KEY-----""";
    private static final String ED = "MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=";
    private static final String SHARED = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==";

    private static final String B21 = "d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==";
    private static final String B22 = "LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==";
    private static final String B23 = "bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==";
    private static final String B25 = "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=";
    private static final String B26 = "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==";
    private static final String S43_CLIENT = "X5spyd6CFnAG5QnDyHfqoSNICd+BUP4LYMz2Q0JXlb//4Ijpzp+kve2w4NIyqeAuM7jTDX+sNalzA8ESSaHD3A==";
    private static final String S43_PROXY = "S6ZzPXSdAMOPjN/6KXfXWNO/f7V6cHm7BXYUh3YD/fRad4BCaRZxP+JH+8XY1I6+8Cy+CM5g92iHgxtRPz+MjniOaYmdkDcnL9cCpXJleXsOckpURl49GwiyUpZ10KHgOEe11sx3G2gxI8S0jnxQB+Pu68U9vVcasqOWAEObtNKKZd8tSFu7LB5YAv0RAGhB8tmpv7sFnIm9y+7X5kXQfi8NMaZaA8i2ZHwpBdg7a6CMfwnnrtflzvZdXAsD3LH2TwevU+/PBPv0B6NMNk93wUs/vfJvye+YuI87HU38lZHowtznbLVdp770I6VHR6WfgS9ddzirrswsE1w5o0LV/g==";

    private static final Map<String, String> KEYS = Map.of("pss", PSS, "ecc", ECC, "ed", ED, "shared", SHARED,
            "rsa", rsa());

    private static String rsa() {
        byte[] prefix = java.util.HexFormat.of().parseHex("30820122300d06092a864886f70d01010105000382010f00");
        byte[] key = java.util.Base64.getDecoder().decode(RSA_PKCS1);
        byte[] whole = java.util.Arrays.copyOf(prefix, prefix.length + key.length);
        System.arraycopy(key, 0, whole, prefix.length, key.length);
        return java.util.Base64.getEncoder().encodeToString(whole);
    }

    private static WebhookPolicy policy(String algorithm, String components) {
        WebhookPolicy policy = Deliveries.policy(WebhookScheme.HTTP_MESSAGE_SIGNATURES, "");
        policy.setAlgorithm(algorithm);
        policy.setComponents(components);
        policy.setKeys("test-key-rsa-pss=pss, test-key-ecc-p256=ecc, test-key-ed25519=ed, test-shared-secret=shared, test-key-rsa=rsa");
        return policy;
    }

    private static Delivery request(String input, String signature, String... more) {
        List<String> headers = new ArrayList<>(List.of("Host", "example.com", "Date", "Tue, 20 Apr 2021 02:07:55 GMT",
                "Content-Type", "application/json", "Content-Digest", DIGEST, "Content-Length", "18",
                "Signature-Input", input, "Signature", signature));
        headers.addAll(List.of(more));
        return Deliveries.at("https", "example.com", "/foo", "param=Value&Pet=dog", BODY, headers.toArray(String[]::new));
    }

    private static SignatureCheck.Signed check(WebhookPolicy policy, String label, Delivery delivery) throws RefusedDelivery {
        policy.setLabel(label);
        return new HttpMessageSignatures().check(delivery, policy, Deliveries.secrets(KEYS));
    }

    private static void refused(Refusal refusal, WebhookPolicy policy, String label, Delivery delivery) {
        assertThatThrownBy(() -> check(policy, label, delivery)).isInstanceOf(RefusedDelivery.class)
                .satisfies(e -> assertThat(((RefusedDelivery) e).refusal()).isEqualTo(refusal));
    }

    static String input(String label) {
        return label + "=" + switch (label) {
            case "sig-b21" -> "();created=1618884473;keyid=\"test-key-rsa-pss\";nonce=\"b3k2pp5k7z-50gnwp.yemd\"";
            case "sig-b22" -> "(\"@authority\" \"content-digest\" \"@query-param\";name=\"Pet\");created=1618884473;keyid=\"test-key-rsa-pss\";tag=\"header-example\"";
            case "sig-b23" -> "(\"date\" \"@method\" \"@path\" \"@query\" \"@authority\" \"content-type\" \"content-digest\" \"content-length\");created=1618884473;keyid=\"test-key-rsa-pss\"";
            case "sig-b25" -> "(\"date\" \"@authority\" \"content-type\");created=1618884473;keyid=\"test-shared-secret\"";
            default -> "(\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" \"content-length\");created=1618884473;keyid=\"test-key-ed25519\"";
        };
    }

    @ParameterizedTest
    @CsvSource({"sig-b21, rsa-pss-sha512, " + B21, "sig-b22, rsa-pss-sha512, " + B22, "sig-b23, rsa-pss-sha512, " + B23,
        "sig-b25, hmac-sha256, " + B25, "sig-b26, ed25519, " + B26})
    void theSignaturesOfAppendixB2AreBelieved(String label, String algorithm, String signature) throws Exception {
        // Their bodies are signed by some only; what the contract demands is another test.
        WebhookPolicy policy = policy(algorithm, "");
        SignatureCheck.Signed signed = check(policy, label, request(input(label), label + "=:" + signature + ":"));
        assertThat(signed.at()).isEqualTo(1618884473_000L);
        String altered = (signature.charAt(0) == 'A' ? "B" : "A") + signature.substring(1);
        refused(Refusal.SIGNATURE, policy, label, request(input(label), label + "=:" + altered + ":"));
    }

    @Test
    void theTwoSignaturesOfSection43AreBelievedEachUnderItsLabel() throws Exception {
        String input = "sig1=(\"@method\" \"@authority\" \"@path\" \"content-digest\" \"content-type\" \"content-length\");created=1618884475;keyid=\"test-key-ecc-p256\", "
                + "proxy_sig=(\"@method\" \"@authority\" \"@path\" \"content-digest\" \"content-type\" \"content-length\" \"forwarded\");created=1618884480;"
                + "keyid=\"test-key-rsa\";alg=\"rsa-v1_5-sha256\";expires=1618884540";
        String signature = "sig1=:" + S43_CLIENT + ":, proxy_sig=:" + S43_PROXY + ":";
        WebhookPolicy client = policy("ecdsa-p256-sha256", "@method, @authority, @path, content-digest");
        assertThat(check(client, "sig1", request(input, signature)).at()).isEqualTo(1618884475_000L);

        String forwarded = "for=192.0.2.123;host=example.com;proto=https";
        WebhookPolicy proxy = policy("rsa-v1_5-sha256", "@method, content-digest, forwarded");
        proxy.setPublicUrl("https://origin.host.internal.example");
        SignatureCheck.Signed signed = check(proxy, "proxy_sig", request(input, signature, "Forwarded", forwarded));
        assertThat(signed.expires()).isEqualTo(1618884540_000L);
        // The client's signature is not that of the proxy, and the contract names one of them.
        refused(Refusal.SIGNATURE, client, "sig1", Deliveries.at("https", "other.example", "/foo", "param=Value&Pet=dog", BODY,
                "Content-Type", "application/json", "Content-Digest", DIGEST, "Content-Length", "18", "Signature-Input", input, "Signature", signature));
        refused(Refusal.HEADER, policy("ecdsa-p256-sha256", "@method"), "proxy_sig", request(input, signature, "Forwarded", forwarded));
    }

    @Test
    void aBodyThatIsNotTheDigestsIsRefused() {
        String label = "sig-b23";
        Delivery good = request(input(label), label + "=:" + B23 + ":");
        Delivery other = new Delivery(good.provider(), good.method(), good.scheme(), good.authority(), good.path(), good.query(), good.headers(),
                good.remote(), Deliveries.bytes("{\"hello\": \"World\"}"), Deliveries.bytes("{\"hello\": \"World\"}"));
        refused(Refusal.COVERAGE, policy("rsa-pss-sha512", "content-digest"), label, other);
    }

    @Test
    void aSignatureThatDoesNotCoverWhatIsDemandedIsRefused() {
        refused(Refusal.COVERAGE, policy("ed25519", "@method, @path, content-digest"), "sig-b26", request(input("sig-b26"), "sig-b26=:" + B26 + ":"));
        refused(Refusal.COVERAGE, policy("rsa-pss-sha512", "content-digest"), "sig-b21", request(input("sig-b21"), "sig-b21=:" + B21 + ":"));
    }

    @Test
    void theMessageCannotChooseAnotherAlgorithmOrKey() {
        refused(Refusal.SIGNATURE, policy("rsa-v1_5-sha256", ""), "sig-b23", request(input("sig-b23"), "sig-b23=:" + B23 + ":"));
        refused(Refusal.HEADER, policy("ed25519", ""), "sig-b26", request(input("sig-b26") + ";alg=\"hmac-sha256\"", "sig-b26=:" + B26 + ":"));
        refused(Refusal.KEY, policy("ed25519", ""), "sig-b26", request(input("sig-b26").replace("test-key-ed25519", "nobody"), "sig-b26=:" + B26 + ":"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "sig-b26", "sig-b26=", "sig-b26=(", "sig-b26=()", "sig-b26=(\"date\"", "sig-b26=(\"date\"\"@path\");created=1",
        "sig-b26=(\"date\");created=1618884473,", "sig-b26=(\"date\");created=1.5;keyid=\"x\"", "sig-b26=(\"date\" \"date\");created=1;keyid=\"test-key-ed25519\"",
        "sig-b26=(date);created=1;keyid=\"test-key-ed25519\"", "sig-b26=(\"DATE\");created=1;keyid=\"test-key-ed25519\"",
        "sig-b26=(\"x-not-there\");created=1;keyid=\"test-key-ed25519\"", "sig-b26=();created=1;created=2;keyid=\"test-key-ed25519\"",
        "sig-b26=();keyid=\"test-key-ed25519\"", "sig-b26=();created=1;keyid=\"test-key-ed25519\", sig-b26=();created=1;keyid=\"test-key-ed25519\""})
    void whatIsNotInTheFormIsRefused(String input) {
        refused(Refusal.HEADER, policy("ed25519", ""), "sig-b26",
                request(input, "sig-b26=:" + B26 + ":"));
    }
}
