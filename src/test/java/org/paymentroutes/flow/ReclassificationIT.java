package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;
import static org.paymentroutes.wire.WireProvider.answer;
import static org.paymentroutes.wire.WireProvider.notFound;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.provider.Providers;
import org.paymentroutes.support.Api;
import org.paymentroutes.wire.WireProvider.Script;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** After a change of a contract's lists the past is read again: shown first, applied by two people, as new evidence. */
@FlowTest
class ReclassificationIT {

    private static final String PROVIDER = "/api/providers/" + FlowProviders.PATIENT;

    @Autowired
    Flow flow;
    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;
    @Autowired
    Providers providers;

    private String answered(int status, String body, String state) {
        String tag = "again-" + UUID.randomUUID();
        FlowProviders.wire(FlowProviders.PATIENT).script(tag, new Script().post(answer(status, body)).thenQuery(notFound()));
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        flow.await(id, state);
        return id;
    }

    private void rejects(String... words) {
        providers.contract(FlowProviders.PATIENT).getSubmitAnswers().setRejected("200 DECLINED"
                + String.join("", java.util.Arrays.stream(words).map(word -> ", " + word).toList()));
    }

    private JsonNode propose(String user) {
        OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC);
        HttpResponse<String> answer = api.post(user, PROVIDER + "/reclassification", "{\"from\":\"" + now.minusMinutes(10) + "\",\"to\":\""
                + now.plusMinutes(10) + "\",\"reason\":\"the provider documented it\"}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        return Flow.json(answer.body());
    }

    private static List<JsonNode> of(JsonNode proposal, String id) {
        List<JsonNode> items = new ArrayList<>();
        proposal.path("items").forEach(item -> {
            if (item.path("paymentId").asText().equals(id)) {
                items.add(item);
            }
        });
        return items;
    }

    private List<String> unlisted() {
        List<String> words = new ArrayList<>();
        Flow.json(api.get("viewer", PROVIDER + "/unlisted").body()).path("items").forEach(item ->
                words.add(item.path("httpStatus").asText() + " " + item.path("words").asText() + " " + item.path("examplePaymentId").asText()));
        return words;
    }

    @Test
    void whatWasUnlistedIsReadAgainAndAppliedByTwoPeople() {
        String word = "no_funds_" + UUID.randomUUID().toString().substring(0, 8);
        String id = answered(402, "{\"code\":\"" + word + "\"}", "REVIEW");
        assertThat(unlisted()).contains("402 " + word + " " + id);
        try {
            rejects("402 " + word);
            assertThat(unlisted()).doesNotContain("402 " + word + " " + id);
            JsonNode proposal = propose("approver");
            String path = proposal.at("/links/self").asText();
            assertThat(of(proposal, id)).singleElement().satisfies(item -> {
                assertThat(item.path("oldVerdict").asText()).isEqualTo("AMBIGUOUS");
                assertThat(item.path("newVerdict").asText()).isEqualTo("REJECTED");
                assertThat(item.path("wouldFollow").asText()).startsWith("REVIEW becomes FAILED");
            });
            int requests = flow.get(id).path("attemptCount").asInt();
            assertThat(flow.state(id)).isEqualTo("REVIEW");

            HttpResponse<String> own = api.post("approver", path + "/approve", "{}");
            assertThat(own.statusCode()).as(own.body()).isEqualTo(403);
            assertThat(own.body()).contains("second-person");
            assertThat(api.post("operator", path + "/approve", "{}").statusCode()).isEqualTo(403);
            assertThat(api.post("admin", path + "/approve", "{}").statusCode()).isEqualTo(200);
            JsonNode payment = flow.await(id, "FAILED");
            assertThat(payment.path("attemptCount").asInt()).isEqualTo(requests);
            List<String> evidence = new ArrayList<>();
            payment.path("evidence").forEach(one -> evidence.add(one.path("source").asText() + " " + one.path("verdict").asText()));
            assertThat(evidence).contains("ANSWER AMBIGUOUS", "RECLASSIFICATION REJECTED");
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() ->
                    Flow.json(api.get("viewer", path).body()).path("state").asText().equals("APPLIED"));
            assertThat(of(Flow.json(api.get("viewer", path).body()), id).get(0).path("outcome").asText()).isEqualTo("the payment is FAILED");
            assertThat(api.post("admin", path + "/refuse", "{}").statusCode()).isEqualTo(409);
            // What was read again is not different any more.
            assertThat(of(propose("operator"), id)).isEmpty();
        }
        finally {
            rejects();
        }
    }

    @Test
    void aNewReadingAgainstAFinalStateIsLookedAtByPeople() {
        String id = flow.scripted(FlowProviders.PATIENT, "");
        flow.await(id, "SUCCEEDED");
        jdbc.queryForList("select 1 from evidence where payment_id = ?::uuid", id);
        var answers = providers.contract(FlowProviders.PATIENT).getSubmitAnswers();
        try {
            answers.setSucceeded("200 DONE");
            answers.setRejected("200 DECLINED, 200 SUCCEEDED");
            JsonNode proposal = propose("operator");
            assertThat(of(proposal, id).get(0).path("wouldFollow").asText()).isEqualTo("people decide: it contradicts SUCCEEDED");
            HttpResponse<String> refused = api.post("approver", proposal.at("/links/self").asText() + "/refuse", "{}");
            assertThat(Flow.json(refused.body()).path("state").asText()).isEqualTo("REFUSED");
        }
        finally {
            rejects();
            answers.setSucceeded("200 SUCCEEDED");
        }
        assertThat(flow.state(id)).isEqualTo("SUCCEEDED");
    }

    @Test
    void noStatementRecordsANewReadingThatNobodyApproved() {
        String id = answered(402, "{\"code\":\"some_code\"}", "REVIEW");
        refused("PR012", () -> jdbc.update("insert into evidence (payment_id, attempt_no, source, verdict, fact, reason, recorded_by)"
                + " values (?::uuid, 1, 'RECLASSIFICATION', 'SUCCEEDED', 'reclassified:1:1', 'r', 'r')", id));
        try {
            rejects("402 some_code");
            long proposal = propose("operator").path("reclassificationId").asLong();
            refused("reclassified_by_another", () -> jdbc.update("update reclassification set approved_by = 'operator'"
                    + " where reclassification_id = ?", proposal));
            refused("PR001", () -> jdbc.update("update reclassification set proposed_by = 'somebody' where reclassification_id = ?", proposal));
            refused("PR001", () -> jdbc.update("update reclassification_item set verdict = 'SUCCEEDED' where reclassification_id = ?", proposal));
            refused("PR001", () -> jdbc.update("delete from reclassification_item"));
            refused("PR012", () -> jdbc.update("insert into evidence (payment_id, attempt_no, source, verdict, fact, reason, recorded_by)"
                    + " select payment_id, 1, 'RECLASSIFICATION', verdict, 'reclassified:' || evidence_id || ':' || reclassification_id, 'r', 'r'"
                    + " from reclassification_item where reclassification_id = ?", proposal));
            jdbc.update("update provider set contract_digest = 'other' where name = ?", FlowProviders.PATIENT);
            assertThat(api.post("approver", "/api/reclassifications/" + proposal + "/approve", "{}").statusCode()).isEqualTo(409);
        }
        finally {
            rejects();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"{} | from", "{\"from\":\"x\",\"to\":\"2026-01-01T00:00:00Z\",\"reason\":\"because\"} | from",
        "{\"from\":\"2026-01-02T00:00:00Z\",\"to\":\"2026-01-01T00:00:00Z\",\"reason\":\"because\"} | to",
        "{\"from\":\"2026-01-01T00:00:00Z\",\"to\":\"2026-01-02T00:00:00Z\",\"reason\":\"\"} | reason",
        "{\"from\":\"2026-01-01T00:00:00Z\",\"to\":\"2026-01-02T00:00:00Z\",\"reason\":\"because\",\"x\":1} | x"})
    void refusesAWrongFieldByName(String json, String field) {
        HttpResponse<String> answer = api.post("operator", PROVIDER + "/reclassification", json);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(422);
        assertThat(Flow.json(answer.body()).at("/errors/0/field").asText()).isEqualTo(field);
        assertThat(api.post("operator", "/api/providers/nobody/reclassification", json).statusCode()).isEqualTo(404);
        assertThat(api.post("viewer", PROVIDER + "/reclassification", json).statusCode()).isEqualTo(403);
    }
}
