package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Payments;

/** What the queue payments.review is told, and when a case is brought up again. */
class ReviewMessagesTest extends OneProviderTest {

    @BeforeEach
    void nothingWaits() {
        takenOff();
    }

    private static void takenOff() {
        database.jdbc().update("update node_lease set done = array(select message_no from review_outbox) where name = 'review'");
    }

    private static List<String> told(long caseId) {
        return database.jdbc().queryForList("select what from review_outbox where case_id = ? order by message_no", String.class, caseId);
    }

    private static List<Map<String, Object>> messages() {
        return database.run("claim-review-messages", Map.of("node", "node"));
    }

    private static List<String> escalate() {
        return database.run("escalate-reviews", Map.of("escalateAfter", "30m,4h,24h")).stream().map(row -> (String) row.get("reason")).sorted().toList();
    }

    private static void older(UUID id, String interval) {
        database.withoutRules(jdbc -> {
            jdbc.update("update review_case set opened_at = opened_at - ?::interval where payment_id = ?", interval, id);
            jdbc.update("update payment set first_sent_at = first_sent_at - ?::interval where payment_id = ?", interval, id);
        });
    }

    @Test
    void aCaseTellsOfWhatHappensToItAndOfNothingElse() {
        UUID id = payments.in("REVIEW");
        long caseId = decisions.caseOf(id);
        payments.record(Payments.query(id, 1, "NOT_FOUND"));
        payments.record(Payments.query(id, 1, "ACCEPTED"));
        decisions.refused(decisions.proposed(caseId, "CONFIRM_FAILED", "{}"), "bob");
        decisions.decided(id, "CONFIRM_FAILED", "{}");
        assertThat(told(caseId)).containsExactly("OPENED", "CHANGED", "PROPOSED", "REFUSED", "PROPOSED", "CLOSED");
    }

    @Test
    void theLargestMessageIsBounded() throws Exception {
        UUID id = payments.in("REVIEW");
        database.withoutRules(jdbc -> jdbc.update("insert into evidence (payment_id, source, verdict, reason, answer, code, recorded_by)"
                + " select ?, 'QUERY', 'AMBIGUOUS', repeat('r', 5000), repeat('ü\"', 8000), repeat('c', 5000), 'node' from generate_series(1, 500)", id));
        Map<String, Object> row = messages().stream().filter(message -> id.toString().equals(message.get("job_id"))).findFirst().orElseThrow();
        String message = (String) row.get("message");
        assertThat(message.getBytes(StandardCharsets.UTF_8).length).isLessThan(100_000);
        JsonNode read = new ObjectMapper().readTree(message);
        assertThat(read.at("/case/evidence")).hasSize(20);
        assertThat(read.path("jobStatus").asText()).isEqualTo("REVIEW");
    }

    @Test
    void anotherNodeDoesNotPublishMeanwhile() {
        payments.in("REVIEW");
        assertThat(messages()).isNotEmpty();
        assertThat(database.run("claim-review-messages", Map.of("node", "other"))).isEmpty();
    }

    @Test
    void aCaseIsBroughtUpAtEachAgeOnce() {
        UUID id = payments.in("REVIEW");
        long caseId = decisions.caseOf(id);
        assertThat(escalate()).isEmpty();
        older(id, "31 minutes");
        assertThat(escalate()).containsExactly("AGE_1");
        assertThat(escalate()).isEmpty();
        older(id, "24 hours");
        assertThat(escalate()).containsExactly("AGE_2", "AGE_3");
        assertThat(told(caseId)).containsExactly("OPENED", "ESCALATED", "ESCALATED");
        String alert = "select occurrences || ' ' || (cleared_at is not null) from alert where kind = 'REVIEW_WAITING' and subject = 'case:" + caseId + "'";
        assertThat(database.jdbc().queryForObject(alert, String.class)).isEqualTo("3 false");
        decisions.decided(id, "CONFIRM_FAILED", "{}");
        assertThat(database.jdbc().queryForObject(alert, String.class)).isEqualTo("3 true");
        refused("PR001", () -> database.jdbc().update("delete from review_escalation"));
    }

    @Test
    void aCaseIsBroughtUpBeforeTheProviderForgetsIt() {
        UUID id = payments.in("REVIEW");
        payments.contract("query_retention_ms", 600_000);
        payments.operation("PAYOUT", "same_key = true, key_lifetime_ms = 1200000, key_margin_ms = 1000, resend_max = 1");
        try {
            older(id, "481 seconds");
            assertThat(escalate()).containsExactly("QUERY_RETENTION");
            older(id, "480 seconds");
            assertThat(escalate()).containsExactly("KEY_LIFETIME");
        }
        finally {
            payments.contract("query_retention_ms", null);
            payments.noOperations();
        }
    }

    @Test
    void nobodyIsRemindedOfACaseThatPeopleLetWait() {
        UUID id = payments.in("REVIEW");
        decisions.proposed(decisions.caseOf(id), "KEEP_WAITING", database.jdbc().queryForObject(
                "select json_build_object('until', clock_timestamp() + interval '2 hours')::text", String.class));
        older(id, "5 hours");
        assertThat(escalate()).isEmpty();
        decisions.decided(id, "CONFIRM_FAILED", "{}");
    }

    @Test
    void messagesAreSentAgainOnceEach() {
        UUID id = payments.in("REVIEW");
        long caseId = decisions.caseOf(id);
        Map<String, Object> first = messages().get(0);
        takenOff();
        database.run("review-resend", Map.of());
        database.run("review-resend", Map.of());
        assertThat(told(caseId)).containsExactly("RESENT");
        assertThat(messages()).extracting(row -> row.get("message_id")).doesNotContain(first.get("message_id"));
    }

    @Test
    void aDeadLetterIsKeptOnceAndWithoutItsBody() {
        Map<String, Object> letter = new HashMap<>(Map.of("fact", "ID:1", "queue", "payments.requests", "problem", "invalid-request",
                "reason", "One field is wrong.", "bodyDigest", "a".repeat(64), "bodyLength", 7, "requestKey", "", "sourceReference", "line-1",
                "provider", "", "paymentId", ""));
        assertThat(database.run("record-dead-letter", letter)).hasSize(1);
        assertThat(database.run("record-dead-letter", letter)).isEmpty();
        assertThat(messages()).anySatisfy(row -> {
            assertThat(row.get("job_id")).isEqualTo("line-1");
            assertThat((String) row.get("message")).contains("\"type\": \"/problems/invalid-request\"", "\"retryable\": false");
        });
        letter.put("fact", "ID:2");
        letter.put("queue", "payments.review");
        takenOff();
        assertThat(database.run("record-dead-letter", letter)).hasSize(1);
        assertThat(messages()).isEmpty();
    }

    @Test
    void askingNowSendsNothing() {
        UUID pending = payments.accepted();
        UUID submitting = payments.in("SUBMITTING");
        UUID review = payments.in("REVIEW");
        database.jdbc().update("update payment set due_at = clock_timestamp() + interval '1 hour' where payment_id in (?, ?)", pending, review);
        for (UUID id : List.of(pending, submitting, review)) {
            database.run("ask-now", Map.of("paymentId", id.toString()));
        }
        assertThat(database.jdbc().queryForObject("select string_agg(task, ' ') from outbox where due_at <= clock_timestamp() and payment_id in (?, ?, ?)",
                String.class, pending, submitting, review)).isEqualTo("QUERY");
    }
}
