package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.paymentroutes.sandbox.Behaviour;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * Sends one payment for each behaviour of the sandbox through the API and the real routes. The sandbox's books are the
 * witness: as many requests as there are attempts, and money moved as often as the table says. The case numbers are those
 * of the public cases that the behaviours stand for.
 */
@FlowTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SendingCasesIT {

    /** case | behaviour | end state | category | attempts | moved | verdict of the first answer | part of its reason. */
    private static final String TABLE = """
            -   | ok                                | SUCCEEDED | -               | 1 | 1 | SUCCEEDED    | HTTP 200 SUCCEEDED
            C01 | unavailable_503_paid              | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 503
            C01 | unavailable_503_unpaid            | REVIEW    | RECEIPT_MISSING | 1 | 0 | AMBIGUOUS    | HTTP 503
            C01 | locktimeout_429_paid              | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 429 lock_timeout
            C01 | throttled_429_unpaid              | SUCCEEDED | -               | 2 | 1 | NOT_EXECUTED | HTTP 429 rate_limited
            C03 | unavailable_503_day_paid          | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 503
            C03 | unavailable_503_date_paid         | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 503
            C03 | unavailable_503_retry_after_paid/1  | SUCCEEDED | -             | 1 | 1 | AMBIGUOUS    | HTTP 503
            C03 | unavailable_503_retry_after_paid/2  | SUCCEEDED | -             | 1 | 1 | AMBIGUOUS    | HTTP 503
            C03 | unavailable_503_retry_after_paid/3  | SUCCEEDED | -             | 1 | 1 | AMBIGUOUS    | HTTP 503
            C03 | unavailable_503_retry_after_paid/5  | SUCCEEDED | -             | 1 | 1 | AMBIGUOUS    | HTTP 503
            C03 | unavailable_503_retry_after_paid/7  | SUCCEEDED | -             | 1 | 1 | AMBIGUOUS    | HTTP 503
            C03 | unavailable_503_retry_after_paid/8  | SUCCEEDED | -             | 1 | 1 | AMBIGUOUS    | HTTP 503
            C03 | unavailable_503_retry_after_paid/9  | SUCCEEDED | -             | 1 | 1 | AMBIGUOUS    | HTTP 503
            C03 | unavailable_503_retry_after_paid/10 | SUCCEEDED | -             | 1 | 1 | AMBIGUOUS    | HTTP 503
            C03 | unavailable_503_retry_after_paid/11 | SUCCEEDED | -             | 1 | 1 | AMBIGUOUS    | HTTP 503
            C04 | query_429_then_ok/1               | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C04 | query_429_then_ok/2               | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C04 | query_429_then_ok/3               | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C04 | query_429_then_ok/5               | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C04 | query_429_then_ok/7               | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C04 | query_429_then_ok/8               | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C04 | query_429_then_ok/9               | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C04 | query_429_then_ok/11              | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C09 | redirect_302                      | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 302
            C09 | redirect_307                      | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 307
            C09 | redirect_308                      | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 308
            C10 | html_502_paid                     | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 502
            C11 | error_500_paid                    | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 500
            C11 | stored_500_paid                   | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 500
            C12 | truncated_length_paid             | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | cut or damaged
            C12 | truncated_chunk_paid              | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | cut or damaged
            C12 | truncated_gzip_paid               | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | cut or damaged
            C12 | truncated_close_paid              | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | not a JSON object
            C12 | html_200_paid                     | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | not a JSON object
            C12 | json_maintenance_200              | REVIEW    | RECEIPT_MISSING | 1 | 0 | AMBIGUOUS    | on no list
            C12 | empty_200_paid                    | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | no body
            C12 | huge_body_paid                    | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | larger than the limit
            C12 | duplicate_json_key_paid           | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | not a JSON object
            C13 | no_content_204_paid               | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 204
            C13 | no_content_204_gzip_paid          | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | -
            C13 | accepted_202_empty_paid           | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 202: no body
            C13 | pending_202                       | SUCCEEDED | -               | 1 | 1 | ACCEPTED     | HTTP 202 PENDING
            C13 | pending_then_declined             | FAILED    | -               | 1 | 0 | ACCEPTED     | HTTP 202 PENDING
            C14 | declined_200                      | FAILED    | -               | 1 | 0 | REJECTED     | DECLINED insufficient_funds
            C14 | declined_402                      | FAILED    | -               | 1 | 0 | REJECTED     | DECLINED insufficient_funds
            C14 | internal_in_json_paid             | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | INTERNAL_SERVER_ERROR
            C14 | timed_out_in_json_paid            | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | TIMED_OUT
            C15 | unknown_status                    | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | on no list
            C15 | null_status                       | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | on no list
            C15 | missing_status                    | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | on no list
            C15 | lowercase_status                  | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | on no list
            C15 | number_status                     | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | on no list
            C16 | trickle_paid                      | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | deadline passed
            C20 | close_paid                        | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C20 | close_unpaid                      | REVIEW    | RECEIPT_MISSING | 1 | 0 | AMBIGUOUS    | closed without an answer
            C20 | reset_paid                        | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | -
            C21 | slow_paid/5                       | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | -
            C28 | slow_unpaid                       | REVIEW    | RECEIPT_MISSING | 1 | 0 | AMBIGUOUS    | -
            C33 | conflict_409_inprogress_paid      | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 409 request_in_progress
            C35 | already_captured_422_paid         | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | ORDER_ALREADY_CAPTURED
            C36 | key_reused_400                    | REVIEW    | RECEIPT_MISSING | 1 | 0 | AMBIGUOUS    | idempotency_key_reused
            C42 | flaky                             | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | HTTP 503
            C38 | query_notfound                    | REVIEW    | RECEIPT_MISSING | 1 | 0 | AMBIGUOUS    | closed without an answer
            C44 | slow_paid/60                      | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | -
            C44 | query_notfound_then_ok            | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C44 | query_notfound_paid               | REVIEW    | RECEIPT_MISSING | 1 | 1 | AMBIGUOUS    | closed without an answer
            C44 | query_403                         | REVIEW    | RECEIPT_MISSING | 1 | 1 | AMBIGUOUS    | closed without an answer
            C47 | query_unknown_word                | REVIEW    | RECEIPT_MISSING | 1 | 1 | AMBIGUOUS    | closed without an answer
            C47 | query_reversed                    | REVIEW    | RECEIPT_MISSING | 1 | 1 | AMBIGUOUS    | closed without an answer
            C47 | query_500_then_ok                 | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C47 | query_flapping                    | SUCCEEDED | -               | 1 | 1 | AMBIGUOUS    | closed without an answer
            C59 | wrong_amount_paid                 | REVIEW    | STATE_CONFLICT  | 1 | 1 | AMBIGUOUS    | about another amount
            C59 | wrong_currency_paid               | REVIEW    | STATE_CONFLICT  | 1 | 1 | AMBIGUOUS    | about another currency
            C59 | other_reference_paid              | REVIEW    | STATE_CONFLICT  | 1 | 1 | AMBIGUOUS    | about another reference
            """;

    @Autowired
    Flow flow;

    private final Map<String, String> ids = new LinkedHashMap<>();

    record Row(String number, String behaviour, String state, String category, int attempts, int moved, String verdict, String reason) {

        static Row of(String line) {
            String[] cell = line.split("\\|");
            return new Row(cell[0].strip(), cell[1].strip(), cell[2].strip(), cell[3].strip().replace("-", ""),
                    Integer.parseInt(cell[4].strip()), Integer.parseInt(cell[5].strip()), cell[6].strip(),
                    cell[7].strip().equals("-") ? "" : cell[7].strip());
        }
    }

    static Stream<Row> rows() {
        return TABLE.lines().map(Row::of);
    }

    static Stream<Arguments> cases() {
        return rows().map(row -> Arguments.of(row.number(), row.behaviour(), row));
    }

    @BeforeAll
    void sendsThemAllAtOnce() {
        rows().forEach(row -> ids.put(row.behaviour(), flow.behaves(row.behaviour())));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("cases")
    void endsAsTheDesignDemands(String number, String behaviour, Row row) {
        String id = ids.get(behaviour);
        JsonNode payment = flow.await(id, row.state());
        JsonNode money = flow.money(id);

        assertThat(payment.path("category").asText("")).isEqualTo(row.category());
        assertThat(money.path("moved").asInt()).as("money moved").isEqualTo(row.moved());
        assertThat(payment.path("attempts")).as("attempts").hasSize(row.attempts());
        assertThat(money.path("received").asInt()).as("requests at the provider").isEqualTo(row.attempts());
        JsonNode answer = payment.at("/evidence/0");
        assertThat(answer.path("source").asText()).isEqualTo("ANSWER");
        assertThat(answer.path("verdict").asText()).isEqualTo(row.verdict());
        assertThat(answer.path("reason").asText()).contains(row.reason());
        assertThat(payment.toString()).doesNotContain("Exception", "\\tat ", "sandbox-token", "tok_1");
        assertThat(flow.states(id)).doesNotContainSubsequence("UNKNOWN", "PENDING").doesNotContainSubsequence("UNKNOWN", "SUBMITTING");
    }

    @Test
    void theTableHasEveryBehaviourOfTheSandbox() {
        Set<String> tested = rows().map(row -> row.behaviour().replaceFirst("/.*", "")).collect(Collectors.toSet());
        assertThat(Arrays.stream(Behaviour.values()).map(Behaviour::word))
                .allMatch(word -> tested.contains(word) || word.equals("same_provider_id"));
    }

    @Test
    void aSecondPaymentUnderTheSameProviderIdIsNeverTakenForSuccess() {
        String first = flow.behaves("same_provider_id");
        flow.await(first, "SUCCEEDED");
        String second = flow.behaves("same_provider_id");
        JsonNode payment = flow.await(second, "REVIEW");
        assertThat(payment.path("category").asText()).isEqualTo("STATE_CONFLICT");
        assertThat(payment.path("reason").asText()).contains("provider_payment_id");
        assertThat(flow.state(first)).isEqualTo("SUCCEEDED");
    }

    @Test
    void theAnswerOfAProxyIsKept() {
        String id = ids.get("html_502_paid");
        JsonNode payment = flow.await(id, "SUCCEEDED");
        assertThat(payment.at("/evidence/0/answer").asText()).contains("<h1>502 Bad Gateway</h1>");
        assertThat(payment.at("/evidence/0/httpStatus").asInt()).isEqualTo(502);
    }

    @Test
    void aHugeAnswerIsNotKept() {
        JsonNode payment = flow.await(ids.get("huge_body_paid"), "SUCCEEDED");
        assertThat(payment.at("/evidence/0/answer").asText("")).hasSizeLessThanOrEqualTo(4096);
    }
}
