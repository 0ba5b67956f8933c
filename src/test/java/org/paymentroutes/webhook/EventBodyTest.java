package org.paymentroutes.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.provider.ProviderContract;
import org.paymentroutes.provider.WebhookPolicy;
import org.paymentroutes.provider.WebhookScheme;

/** Bodies have one meaning or none. */
class EventBodyTest {

    private static String form(String body, String charset, String contentType) {
        return String.valueOf(EventForm.parse(body.getBytes(StandardCharsets.ISO_8859_1), charset, contentType));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "a=1&b=2|{\"a\":\"1\",\"b\":\"2\"}", "a=1+2%2B3%26%3d|{\"a\":\"1 2+3&=\"}", "a&b=|{\"a\":\"\",\"b\":\"\"}",
        "a=b=c|{\"a\":\"b=c\"}", "&a=1&&|{\"a\":\"1\"}", "%61=1|{\"a\":\"1\"}", "a%5B0%5D=1|{\"a[0]\":\"1\"}", "a=%e5%92%96|{\"a\":\"咖\"}"})
    void aFormIsReadAsItIsWritten(String body, String expected) {
        assertThat(form(body, "", null)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&", "a=1&a=1", "a=1&%61=2", "=1", "a=%", "a=%4", "a=%zz", "a=%-1", "a=%ff", "a=é", "a=%e5%92"})
    void whatIsNoFormOrCouldBeReadInTwoWaysIsNone(String body) {
        assertThat(form(body, "", null)).isEqualTo("null");
    }

    @ParameterizedTest
    @CsvSource({"'', application/x-www-form-urlencoded;charset=GBK, 咖", "'', 'text/x; charset=\"gbk\"; q=1', 咖", "GBK, 'x; charset=utf-8', 咖",
        "ISO-8859-1, , ¿§"})
    void theCharsetIsTheContractsElseTheOneThatTheContentTypeNames(String charset, String contentType, String expected) {
        assertThat(form("a=%BF%A7", charset, contentType)).isEqualTo("{\"a\":\"" + expected + "\"}");
    }

    @Test
    void aCharsetThatNobodyKnowsIsNoForm() {
        assertThat(form("a=1", "", "x; charset=klingon")).isEqualTo("null");
    }

    @Test
    void aListIsReadWholeOrNotAtAll() {
        WebhookPolicy policy = new WebhookPolicy();
        policy.setItems("/events");
        assertThat(events(policy, "[{\"id\":1},{\"id\":2}]")).isEqualTo(2);
        assertThat(events(policy, "[{\"id\":1},5]")).isEqualTo(2);
        assertThat(events(policy, "[" + String.join(",", Collections.nCopies(EventBody.EVENTS_MAX, "{}")) + "]")).isEqualTo(EventBody.EVENTS_MAX);
        for (String none : new String[] {"[]", "{}", "null", "5", "[" + String.join(",", Collections.nCopies(EventBody.EVENTS_MAX + 1, "{}")) + "]"}) {
            assertThat(events(policy, none)).as(none).isZero();
        }
    }

    @Test
    void anIdThatNoDatabaseCanHoldIsNone() {
        EventReader reader = new EventReader(Deliveries.secrets(Collections.emptyMap()));
        for (String id : new String[] {"\\u0000", "\\ud800", " ", "x".repeat(256)}) {
            assertThat(reader.read(new ProviderContract(), ("{\"id\":\"" + id + "\"}").getBytes(StandardCharsets.UTF_8), null, 0).eventId()).isNull();
        }
    }

    private static int events(WebhookPolicy policy, String list) {
        return EventBody.events(policy, ("{\"events\":" + list + "}").getBytes(StandardCharsets.UTF_8), null).size();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"charset|GBK", "charset|klingon", "answer|schön", "body|FORM with items", "body|FORM with decryptKey",
        "body|JSON with SORTED_FORM_RSA", "signatureField|none with items"})
    void aContractThatContradictsItselfIsRefusedByOption(String option, String what) {
        ProviderContract contract = new ProviderContract();
        WebhookPolicy policy = contract.getWebhook();
        policy.setScheme(what.endsWith("RSA") ? WebhookScheme.SORTED_FORM_RSA : WebhookScheme.FIELD_JOINED_HMAC);
        policy.setHeader("X-Signature");
        policy.setKeys("a=b");
        policy.setSecrets("s");
        policy.setSignedFields("/reference,/id,/amount,/currency,/code,/status");
        policy.getWords().setSucceeded("PAID");
        policy.setBody(what.startsWith("FORM") || what.equals("klingon") ? WebhookPolicy.Body.FORM : WebhookPolicy.Body.JSON);
        policy.setItems(what.endsWith("items") ? "/items" : "");
        policy.setDecryptKey(what.endsWith("decryptKey") ? "key" : "");
        policy.setCharset(option.equals("charset") ? what : "");
        policy.setAnswer(option.equals("answer") ? what : "");
        contract.setAccount("a");
        contract.getSubmitAnswers().setSucceeded("200 OK");
        contract.getQueryAnswers().setSucceeded("200 OK");
        String refused = what.startsWith("FORM with ") ? what.substring("FORM with ".length()) : option;
        assertThatThrownBy(() -> contract.check(null, "acme")).hasMessageContaining("option webhook." + refused);
    }

    @Test
    void aNumberOfAFormIsATextAndStaysExact() {
        ProviderContract contract = new ProviderContract();
        contract.getWebhook().setBody(WebhookPolicy.Body.FORM);
        contract.getWebhook().setWord("/status");
        WebhookEvent event = new EventReader(Deliveries.secrets(Collections.emptyMap())).read(contract,
                "id=e1&status=PAID&reference=r&amount=129902&currency=CNY".getBytes(StandardCharsets.UTF_8), null, 0);
        assertThat(event.saying()).isEqualTo("PAID|r|e1|129902|CNY|null");
        assertThat(contract.getAmounts().fromWire(event.amount(), "CNY", 2)).isEqualTo(129902);
        assertThat(contract.getAmounts().fromWire("1299.02", "CNY", 2)).isNull();
    }
}
