package org.paymentroutes.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.paymentroutes.support.RawHttp;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** Proves that bad input gets a problem that names what is wrong, records nothing, and repeats no secret. */
@ApplicationTest
class BadInputIT {

    private static final String CARD = "4111111111111111";

    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "[]", "null", "\"text\"", "{\"a\":1}{\"b\":2}", "{\"a\":1} x",
        "{\"currency\":\"EUR\",\"currency\":\"USD\"}", "{'a':1}", "{\"a\":01}", "{\"a\":NaN}", "{\"a\":[[[[[[1]]]]]]}",
        "{\"details\":{\"x\":\"1\",\"x\":\"2\"}}", "{\"a\":1,}", "{/*c*/\"a\":1}"})
    void refusesWhatHasNoSingleMeaningAsJson(String body) throws Exception {
        problem(api.pay(Api.key(), body), 400, "malformed-request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "-0", "1e3", "1E-80000000", "1E80000000", "1.0", "9223372036854775808", "true", "null",
        "\"1234\"", "{}", "[1]", "99999999999999999999999999999999999999"})
    void refusesAnAmountInMinorUnitsThatIsNotAPositiveInteger(String amount) throws Exception {
        JsonNode problem = problem(api.pay(Api.key(), payment("\"amountMinor\":" + amount)), 422, "invalid-request");
        assertThat(problem.at("/errors/0/field").asText()).isEqualTo("amountMinor");
        assertThat(problem.at("/errors/0/allowed").asText()).contains("integer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"12.34", "1e3", "12", "\"0.00\"", "\"-1.00\"", "\"1,000.00\"", "\"1.000\"", "\"12.3\"", "\"12\"",
        "\"１２.３４\"", "\"1e3\"", "\"1E-80000000\"", "\" 1.00\"", "\"+1.00\"", "\"01.00\"", "\"\"", "\"NaN\"",
        "\"92233720368547758.08\"", "\"0x10.00\""})
    void refusesADecimalAmountThatIsNotExactForTheCurrency(String amount) throws Exception {
        JsonNode problem = problem(api.pay(Api.key(), payment("\"amount\":" + amount)), 422, "invalid-request");
        assertThat(problem.at("/errors/0/field").asText()).isEqualTo("amount");
        assertThat(problem.at("/errors/0/allowed").asText()).contains("JSON string");
    }

    @ParameterizedTest
    @CsvSource({"JPY, 1234, 1234, true", "JPY, 12.34, 0, false", "BHD, 1.234, 1234, true", "BHD, 1.23, 0, false",
        "CLF, 1.2345, 12345, true", "EUR, 90071992547409.93, 9007199254740993, true"})
    void takesExactlyTheDecimalsOfTheCurrency(String currency, String amount, long minor, boolean accepted) throws Exception {
        HttpResponse<String> answer = api.pay(Api.key(), payment("\"amount\":\"" + amount + "\"").replace("EUR", currency));
        if (accepted) {
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
            assertThat(new ObjectMapper().readTree(answer.body()).path("amountMinor").asLong()).isEqualTo(minor);
        }
        else {
            problem(answer, 422, "invalid-request");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"9007199254740993", "9223372036854775807"})
    void keepsLargeIntegersExactly(String minor) {
        HttpResponse<String> answer = api.pay(Api.key(), payment("\"amountMinor\":" + minor));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        assertThat(answer.body()).contains("\"amountMinor\":" + minor);
    }

    @Test
    void namesAllWrongFieldsAtOnce() throws Exception {
        JsonNode problem = problem(api.pay(Api.key(), """
                {"sourceReference":"","operation":"GIVE","provider":"nobody","amountMinor":1,"amount":"0.01",
                 "currency":"eur","recipient":7,"description":"a\\u0000b","details":{"a":1},"CamelHttpUri":"http://evil/"}"""),
                422, "invalid-request");
        assertThat(problem.path("errors").findValuesAsText("field")).contains("CamelHttpUri", "sourceReference", "operation",
                "provider", "amountMinor", "currency", "recipient", "description", "details.a");
    }

    @Test
    void namesTheKnownProvidersWhenOneIsUnknown() throws Exception {
        JsonNode problem = problem(api.pay(Api.key(), payment("\"amountMinor\":1").replace("acme", "nobody")), 422, "invalid-request");
        assertThat(problem.at("/errors/0/field").asText()).isEqualTo("provider");
        assertThat(problem.at("/errors/0/found").asText()).isEqualTo("nobody");
        assertThat(problem.at("/errors/0/allowed").asText()).contains("acme");
    }

    @Test
    void saysThatRefundsAreReserved() throws Exception {
        JsonNode problem = problem(api.pay(Api.key(), payment("\"amountMinor\":1").replace("PAYOUT", "REFUND")), 422, "invalid-request");
        assertThat(problem.at("/errors/0/allowed").asText()).contains("/refunds");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sourceReference", "recipient", "description", "operation", "provider", "currency", "unknown"})
    void refusesCardNumbersAnywhereWithoutRepeatingThem(String field) {
        for (String card : List.of(CARD, "4111 1111 1111 1111", "4111-1111-1111-1111", "378282246310005", "４１１１１１１１１１１１１１１１")) {
            String body = "{\"sourceReference\":\"r\",\"operation\":\"PAYOUT\",\"provider\":\"acme\",\"amountMinor\":1,"
                    + "\"currency\":\"EUR\",\"recipient\":\"tok\"}";
            HttpResponse<String> answer = api.pay(Api.key(), body.contains("\"" + field + "\"")
                    ? body.replaceAll("\"" + field + "\":\"[a-zA-Z]+\"", "\"" + field + "\":\"" + card + "\"")
                    : body.replace("}", ",\"" + field + "\":\"" + card + "\",\"" + card + "\":1}"));
            assertThat(answer.statusCode()).isEqualTo(422);
            assertThat(answer.body()).doesNotContain(card);
        }
    }

    @Test
    void refusesCardNumbersInKeysAndDetailsWithoutRepeatingThem() {
        for (HttpResponse<String> answer : List.of(api.pay(CARD, payment("\"amountMinor\":1")),
                api.pay(Api.key(), payment("\"amountMinor\":1,\"details\":{\"pan\":\"" + CARD + "\"}")),
                api.pay(Api.key(), payment("\"amountMinor\":1,\"details\":{\"" + CARD + "\":\"x\"}")),
                api.pay(Api.key(), payment("\"amount\":\"" + CARD + "\"")))) {
            assertThat(answer.statusCode()).isBetween(400, 422);
            assertThat(answer.body()).doesNotContain(CARD);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"", "\"a", "a b", "\"\"", "\"a\";p=1", "a,b", "\"a\\x\""})
    void refusesAKeyThatIsNotOneString(String key) throws Exception {
        problem(api.pay(key, payment("\"amountMinor\":1")), 400, "idempotency-key");
    }

    @Test
    void needsExactlyOneKeyOfAtMost255Characters() throws Exception {
        String body = payment("\"amountMinor\":1");
        problem(api.pay(null, body), 400, "idempotency-key");
        problem(api.pay("k".repeat(256), body), 400, "idempotency-key");
        problem(api.send(api.request("caller", "/api/payments").header("Content-Type", "application/json")
                .header("Idempotency-Key", "a").header("Idempotency-Key", "b")
                .POST(HttpRequest.BodyPublishers.ofString(body))), 400, "idempotency-key");
        assertThat(api.pay("k".repeat(200) + UUID.randomUUID(), body).statusCode()).isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "application/x-java-serialized-object", "application/json; charset=iso-8859-1", "application/json; charset=nonsense", "x"})
    void refusesEverythingButJson(String contentType) throws Exception {
        problem(api.send(api.request("caller", "/api/payments").header("Content-Type", contentType)
                .header("Idempotency-Key", Api.key()).POST(HttpRequest.BodyPublishers.ofString("a=b&CamelSqlQuery=x"))),
                415, "unsupported-media-type");
    }

    @Test
    void refusesBadUtf8() throws Exception {
        byte[] body = payment("\"amountMinor\":1,\"description\":\"x\"").getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < body.length; i++) {
            if (body[i] == 'x') {
                body[i] = (byte) 0xE9;
            }
        }
        String answer = RawHttp.post(api.port(), "/api/payments", api.login("caller"), List.of("Idempotency-Key: " + Api.key()), body);
        assertThat(answer).startsWith("HTTP/1.1 400").contains("malformed-request", "UTF-8");
    }

    @Test
    void refusesALargeBodyHoweverItIsSent() throws Exception {
        byte[] body = ("{\"description\":\"" + "x".repeat(1_000_000) + "\"}").getBytes(StandardCharsets.UTF_8);
        List<String> headers = List.of("Idempotency-Key: " + Api.key());
        assertThat(RawHttp.post(api.port(), "/api/payments", api.login("caller"), headers, body))
                .startsWith("HTTP/1.1 413").contains("too-large");
        assertThat(RawHttp.postChunked(api.port(), "/api/payments", api.login("caller"), headers, body))
                .startsWith("HTTP/1.1 413").contains("too-large");
    }

    @Test
    void letsNoHeaderOrParameterSteerARoute() throws Exception {
        String reference = "ref-" + UUID.randomUUID();
        byte[] body = payment("\"amountMinor\":77").replaceFirst("ref-[0-9a-f-]+", reference).getBytes(StandardCharsets.UTF_8);
        String answer = RawHttp.post(api.port(), "/api/payments", api.login("caller"), List.of("Idempotency-Key: " + Api.key(),
                "CamelHttpUri: http://localhost:1/", "CamelHttpPath: /evil", "CAmelHttpQuery: a=b", "CamelSqlQuery: drop table payment",
                "CAMELSQLQUERY: select 1", "CamelHttpResponseCode: 599", "paymentId: 1", "caller: admin", "amountMinor: 1",
                "secretinternal: abc", "Location: http://evil/"), body);
        assertThat(answer).startsWith("HTTP/1.1 202").doesNotContain("abc", "evil", "Camel");
        assertThat(jdbc.queryForMap("select caller, amount_minor from payment where source_reference = ?", reference))
                .containsEntry("caller", "caller").containsEntry("amount_minor", 77L);

        problem(api.send(api.request("caller", "/api/payments?Idempotency-Key=fromquery&CamelSqlQuery=select%201")
                .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(payment("\"amountMinor\":1")))),
                400, "invalid-parameter");
    }

    @Test
    void wordsWhatNoRouteAnswersAsAProblem() throws Exception {
        problem(api.send(api.request("caller", "/api/payments").header("Content-Type", "application/json").DELETE()), 405, "method-not-allowed");
        problem(api.get("admin", "/api/nothing"), 404, "not-found");
        assertThat(RawHttp.send(api.port(), "GET /api/payments HTTP/1.1\r\nHost: x\r\nBad Header\u0001: x\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1)))
                .startsWith("HTTP/1.1 400").contains("application/problem+json");
        assertThat(RawHttp.send(api.port(), "GET /api/..;/payments HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1)))
                .startsWith("HTTP/1.1 400").contains("application/problem+json");
    }

    private JsonNode problem(HttpResponse<String> answer, int status, String type) throws Exception {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValueSatisfying(
                value -> assertThat(value).startsWith("application/problem+json"));
        JsonNode problem = new ObjectMapper().readTree(answer.body());
        assertThat(problem.path("type").asText()).isEqualTo("/problems/" + type);
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("title").asText()).isNotBlank();
        return problem;
    }

    private static String payment(String amount) {
        return """
                {"sourceReference":"ref-%s","operation":"PAYOUT","provider":"acme",%s,"currency":"EUR","recipient":"tok_1"}"""
                .formatted(UUID.randomUUID(), amount);
    }
}
