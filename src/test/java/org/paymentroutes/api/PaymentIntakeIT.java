package org.paymentroutes.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.paymentroutes.support.AtOnce;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** Proves that one key is one payment, that its answer can be had again, and that an obligation is open once. */
@ApplicationTest
class PaymentIntakeIT {

    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;

    @Test
    void acceptsAPaymentAndSaysWhereItIs() throws Exception {
        String reference = reference();
        HttpResponse<String> answer = api.pay("\"" + Api.key() + "\"", payment(reference, "\"amountMinor\":1234"));

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        JsonNode receipt = json(answer);
        assertThat(receipt.path("sourceReference").asText()).isEqualTo(reference);
        assertThat(receipt.path("amountMinor").asLong()).isEqualTo(1234);
        assertThat(receipt.path("amount").asText()).isEqualTo("12.34");
        assertThat(answer.headers().firstValue("Location")).hasValue("/api/payments/" + receipt.path("paymentId").asText());
        assertThat(answer.headers().firstValue("Idempotency-Replayed")).isEmpty();
        assertThat(UUID.fromString(receipt.path("paymentId").asText()).version()).isEqualTo(7);
        Map<String, Object> row = jdbc.queryForMap("select state, caller, account, instruction->>'recipient' as recipient"
                + " from payment where source_reference = ?", reference);
        assertThat(row).containsEntry("state", "PENDING").containsEntry("caller", "caller")
                .containsEntry("account", "acme-main").containsEntry("recipient", "tok_1");
    }

    @Test
    void repeatsTheSameAnswerForTheSameContentInAnyForm() {
        String reference = reference();
        String key = Api.key();
        HttpResponse<String> first = api.pay(key, payment(reference, "\"amountMinor\":1234"));
        HttpResponse<String> reordered = api.pay("\"" + key + "\"", """
                {"recipient":"tok_1","currency":"EUR","amount":"12.34",
                 "provider":"acme","operation":"PAYOUT","sourceReference":"%s"}""".formatted(reference));

        assertThat(reordered.statusCode()).isEqualTo(202);
        assertThat(reordered.body()).isEqualTo(first.body());
        assertThat(reordered.headers().firstValue("Location")).isEqualTo(first.headers().firstValue("Location"));
        assertThat(reordered.headers().firstValue("Idempotency-Replayed")).hasValue("true");
        assertThat(count(reference)).isEqualTo(1);
    }

    @Test
    void refusesTheSameKeyForOtherContent() throws Exception {
        String reference = reference();
        String key = Api.key();
        api.pay(key, payment(reference, "\"amountMinor\":1234"));
        HttpResponse<String> other = api.pay(key, payment(reference, "\"amountMinor\":1235"));

        assertThat(other.statusCode()).isEqualTo(422);
        assertThat(json(other).path("type").asText()).isEqualTo("/problems/idempotency-key-reused");
        assertThat(count(reference)).isEqualTo(1);
    }

    @Test
    void refusesASecondPaymentWhileTheFirstIsOpen() throws Exception {
        String reference = reference();
        JsonNode first = json(api.pay(Api.key(), payment(reference, "\"amountMinor\":1234")));
        HttpResponse<String> second = api.pay(Api.key(), payment(reference, "\"amountMinor\":1234"));

        assertThat(second.statusCode()).isEqualTo(409);
        assertThat(json(second).path("type").asText()).isEqualTo("/problems/obligation-open");
        assertThat(json(second).path("paymentId").asText()).isEqualTo(first.path("paymentId").asText());
    }

    @Test
    void makesOnePaymentOfTwentyRequestsWithTheSameKey() throws Exception {
        String reference = reference();
        String key = Api.key();
        List<HttpResponse<String>> answers = AtOnce.onEach(20, () -> api.pay(key, payment(reference, "\"amountMinor\":500")));

        assertThat(count(reference)).isEqualTo(1);
        assertThat(answers).extracting(HttpResponse::statusCode).isSubsetOf(202, 409).contains(202);
        assertThat(answers.stream().filter(answer -> answer.statusCode() == 202).map(HttpResponse::body).distinct()).hasSize(1);
        assertThat(answers.stream().filter(answer -> answer.statusCode() == 202
                && answer.headers().firstValue("Idempotency-Replayed").isEmpty())).hasSize(1);
        assertThat(answers.stream().filter(answer -> answer.statusCode() == 409))
                .allMatch(answer -> answer.headers().firstValue("Retry-After").isPresent());
    }

    @Test
    void makesOnePaymentOfTwentyRequestsForTheSameObligation() throws Exception {
        String reference = reference();
        List<HttpResponse<String>> answers = AtOnce.onEach(20, () -> api.pay(Api.key(), payment(reference, "\"amountMinor\":500")));

        assertThat(count(reference)).isEqualTo(1);
        assertThat(answers.stream().filter(answer -> answer.statusCode() == 202)).hasSize(1);
        assertThat(answers.stream().filter(answer -> answer.statusCode() == 409)).hasSize(19);
    }

    private int count(String reference) {
        return jdbc.queryForObject("select count(*) from payment where source_reference = ?", Integer.class, reference);
    }

    private static JsonNode json(HttpResponse<String> answer) throws Exception {
        return new ObjectMapper().readTree(answer.body());
    }

    private static String reference() {
        return "invoice-" + UUID.randomUUID();
    }

    private static String payment(String reference, String amount) {
        return """
                {"sourceReference":"%s","operation":"PAYOUT","provider":"acme",%s,"currency":"EUR","recipient":"tok_1"}"""
                .formatted(reference, amount);
    }
}
