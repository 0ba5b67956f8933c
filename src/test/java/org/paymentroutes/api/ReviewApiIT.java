package org.paymentroutes.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** Proves what people see of cases over HTTP, who may decide, and what the one gets who comes too late. */
@ApplicationTest
class ReviewApiIT {

    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;

    @Test
    void twoPeopleDecideAndTheLaterOnesAreTold() throws Exception {
        UUID id = inReview();
        long caseId = caseOf(id);
        String decide = "/api/review/cases/" + caseId + "/decisions";
        String proposal = """
                {"kind":"CONFIRM_SUCCEEDED","reason":"seen on the provider's pages","details":{"providerPaymentId":"P-%s"}}""".formatted(id);

        JsonNode shown = json(api.get("viewer", "/api/review/cases/" + caseId), 200);
        assertThat(shown.at("/payment/paymentId").asText()).isEqualTo(id.toString());
        assertThat(shown.path("category").asText()).isEqualTo("RECEIPT_MISSING");
        assertThat(shown.at("/recommended/kind").asText()).isEqualTo("KEEP_WAITING");
        assertThat(shown.at("/decisions/0/kind").asText()).isEqualTo("CONFIRM_SUCCEEDED");
        assertThat(shown.at("/decisions/0/preview/0/event").asText()).isEqualTo("PaymentConfirmed");
        assertThat(shown.path("timeline").findValuesAsText("what")).contains("ATTEMPT", "LEASE", "STATE", "LEDGER", "CASE");

        JsonNode proposed = json(api.post("operator", decide, proposal), 200);
        assertThat(proposed.path("state").asText()).isEqualTo("PROPOSED");
        HttpResponse<String> again = api.post("operator", decide, proposal);
        assertThat(again.headers().firstValue("Idempotency-Replayed")).contains("true");
        assertThat(json(again, 200).path("decisionId").asLong()).isEqualTo(proposed.path("decisionId").asLong());
        JsonNode other = json(api.post("approver", decide, "{\"kind\":\"CONFIRM_FAILED\",\"reason\":\"I think it is not so\"}"), 409);
        assertThat(other.path("type").asText()).isEqualTo("/problems/decision-made");
        assertThat(other.at("/decision/proposedBy").asText()).isEqualTo("operator");

        String approve = "/api/review/decisions/" + proposed.path("decisionId").asLong() + "/approve";
        assertThat(api.post("operator", approve, "{}").statusCode()).isEqualTo(403);
        assertThat(api.post("viewer", decide, proposal).statusCode()).isEqualTo(403);
        JsonNode approved = json(api.post("approver", approve, "{}"), 200);
        assertThat(approved.path("state").asText()).isEqualTo("EFFECTIVE");
        assertThat(approved.path("paymentState").asText()).isEqualTo("SUCCEEDED");
        assertThat(api.post("approver", approve, "{}").headers().firstValue("Idempotency-Replayed")).contains("true");
        JsonNode late = json(api.post("admin", approve, "{}"), 409);
        assertThat(late.path("detail").asText()).contains("approved by approver");
        assertThat(late.at("/decision/approvedBy").asText()).isEqualTo("approver");
        JsonNode closed = json(api.post("operator", decide, "{\"kind\":\"CONFIRM_FAILED\",\"reason\":\"too late for that\"}"), 409);
        assertThat(closed.path("type").asText()).isEqualTo("/problems/case-closed");
        assertThat(closed.at("/case/closedBy").asText()).isEqualTo("operator and approver");
        assertThat(json(api.get("viewer", "/api/payments/" + id), 200).path("state").asText()).isEqualTo("SUCCEEDED");
        assertThat(json(api.get("viewer", "/api/review/cases/" + caseId), 200).at("/history/0/state").asText()).isEqualTo("EFFECTIVE");
    }

    @Test
    void oneDoesNotDecideAlone() throws Exception {
        UUID id = inReview();
        JsonNode proposed = json(api.post("approver", "/api/review/cases/" + caseOf(id) + "/decisions",
                "{\"kind\":\"CONFIRM_SUCCEEDED\",\"reason\":\"looked it up\",\"details\":{\"providerPaymentId\":\"P-1\"}}"), 200);
        String decision = "/api/review/decisions/" + proposed.path("decisionId").asLong();
        JsonNode refused = json(api.post("approver", decision + "/approve", "{}"), 403);
        assertThat(refused.path("type").asText()).isEqualTo("/problems/second-person");
        assertThat(json(api.post("approver", decision + "/refuse", "{}"), 422).at("/errors/0/field").asText()).isEqualTo("reason");
        assertThat(json(api.post("approver", decision + "/refuse", "{\"reason\":\"I was wrong\"}"), 200).path("state").asText())
                .isEqualTo("REFUSED");
        assertThat(json(api.post("admin", decision + "/approve", "{}"), 409).path("detail").asText()).contains("refused by approver");
    }

    @Test
    void whatTheEvidenceDoesNotAllowIsRefusedWithWhy() throws Exception {
        UUID id = inReview();
        String decide = "/api/review/cases/" + caseOf(id) + "/decisions";
        JsonNode early = json(api.post("operator", decide, "{\"kind\":\"ALLOW_RESEND\",\"reason\":\"it is urgent\"}"), 409);
        assertThat(early.path("type").asText()).isEqualTo("/problems/decision-not-allowed");
        assertThat(early.path("detail").asText()).contains("may still arrive until");
        JsonNode vague = json(api.post("operator", decide, "{\"kind\":\"CONFIRM_SUCCEEDED\",\"reason\":\"it is there\"}"), 422);
        assertThat(vague.at("/errors/0/field").asText()).isEqualTo("details.providerPaymentId");
        JsonNode half = json(api.post("operator", decide, "{\"kind\":\"CONFIRM_SUCCEEDED\",\"reason\":\"it is there\","
                + "\"details\":{\"providerPaymentId\":\"P\\ud800\"}}"), 422);
        assertThat(half.at("/errors/0/field").asText()).isEqualTo("details");
        JsonNode card = json(api.post("operator", decide, "{\"kind\":\"CONFIRM_FAILED\",\"reason\":\"card 4111 1111 1111 1111 was refused\"}"), 422);
        assertThat(card.toString()).contains("reason").doesNotContain("4111");
        assertThat(json(api.post("operator", decide, "{\"kind\":\"PAY_TWICE\",\"reason\":\"because\"}"), 422).at("/errors/0/field").asText())
                .isEqualTo("kind");
        assertThat(api.post("operator", "/api/review/cases/999999/decisions", "{\"kind\":\"CONFIRM_FAILED\",\"reason\":\"because\"}").statusCode())
                .isEqualTo(404);
        assertThat(api.post("approver", "/api/review/decisions/999999/approve", "{}").statusCode()).isEqualTo(404);
        assertThat(api.post("approver", "/api/review/decisions/x/approve", "{}").statusCode()).isEqualTo(404);
        assertThat(api.get("viewer", "/api/review/cases/999999").statusCode()).isEqualTo(404);
        assertThat(api.get("caller", "/api/review/cases").statusCode()).isEqualTo(403);
    }

    @Test
    void theRiskiestCaseIsFirstAndFiltersHold() throws Exception {
        UUID paidTwice = inReview();
        jdbc.update("insert into evidence (payment_id, source, verdict, provider_payment_id, reason, recorded_by) values"
                + " (?, 'QUERY', 'SUCCEEDED', 'one', 'r', 'r'), (?, 'WEBHOOK', 'SUCCEEDED', 'two', 'r', 'r')", paidTwice, paidTwice);
        jdbc.update("update payment set category = 'STATE_CONFLICT', reason = 'two ids', actor = 'test' where payment_id = ?", paidTwice);
        UUID other = inReview();
        JsonNode page = json(api.get("viewer", "/api/review/cases?limit=1"), 200);
        assertThat(page.at("/items/0/doublePay").asBoolean()).isTrue();
        assertThat(page.path("total").asInt()).isGreaterThan(1);
        assertThat(json(api.get("viewer", page.path("next").asText()), 200).path("items")).hasSize(1);
        JsonNode conflicts = json(api.get("viewer", "/api/review/cases?category=STATE_CONFLICT&provider=acme&minAge=1s&order=age&limit=200"), 200);
        conflicts.path("items").forEach(item -> assertThat(item.path("category").asText()).isEqualTo("STATE_CONFLICT"));
        assertThat(json(api.get("viewer", "/api/review/cases?minAmount=5.01&subject=payment&limit=200"), 200).path("items")
                .findValuesAsText("paymentId")).doesNotContain(other.toString());
        assertThat(json(api.get("viewer", "/api/review/cases?minAmount=5&state=all&order=amount&limit=200"), 200).path("items")
                .findValuesAsText("paymentId")).contains(other.toString(), paidTwice.toString());
    }

    @ParameterizedTest
    @CsvSource({"state=half, state", "category=ODD, category", "minAge=old, minAge", "minAmount=-1, minAmount", "order=luck, order",
        "limit=0, limit", "offset=-1, offset", "nonsense=1, nonsense", "provider=A%00, provider"})
    void refusesAWrongParameterByName(String query, String field) throws Exception {
        assertThat(json(api.get("viewer", "/api/review/cases?" + query), 400).at("/errors/0/field").asText()).isEqualTo(field);
    }

    private UUID inReview() {
        UUID id = UUID.randomUUID();
        jdbc.update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,"
                + " amount_minor, currency) values (?, 'caller', ?, 'f', ?, 'PAYOUT', 'acme', 'acme-main', 500, 'EUR')", id, id.toString(), id.toString());
        jdbc.update("with c as (update payment set state = 'SUBMITTING', reason = 'claimed', actor = 'node', attempts = 1,"
                + " first_sent_at = clock_timestamp(), due_at = clock_timestamp() + interval '8 seconds' where payment_id = ? returning *)"
                + " insert into attempt (payment_id, attempt_no, provider_key, worker, lease_until)"
                + " select payment_id, attempts, provider_key, actor, due_at from c", id);
        jdbc.update("insert into evidence (payment_id, attempt_no, source, verdict, reason, recorded_by)"
                + " values (?, 1, 'LEASE', 'AMBIGUOUS', 'no answer', 'node')", id);
        jdbc.update("update payment set state = 'REVIEW', category = 'RECEIPT_MISSING', reason = 'late', actor = 'node',"
                + " due_at = clock_timestamp() + interval '1 hour' where payment_id = ?", id);
        return id;
    }

    private long caseOf(UUID id) {
        return jdbc.queryForObject("select case_id from review_case where payment_id = ? and closed_at is null", Long.class, id);
    }

    private static JsonNode json(HttpResponse<String> answer, int status) throws Exception {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return new ObjectMapper().readTree(answer.body());
    }
}
