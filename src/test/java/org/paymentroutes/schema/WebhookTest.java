package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.support.Books;
import org.paymentroutes.support.Payments;

/** Stored webhooks: kept once, worked on once whoever does it, never forgotten and never rewritten. */
class WebhookTest extends OneProviderTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static List<Map<String, Object>> store(String event, String digest) {
        return store(item(event, digest, 0));
    }

    @SafeVarargs
    private static List<Map<String, Object>> store(Map<String, Object>... items) {
        return database.run("webhook-store", Map.of("provider", "acme", "events", json(items), "content", new byte[] {1}, "headers", "{}",
                "scheme", "HMAC_HEX", "node", "node", "signedAt", ""));
    }

    private static Map<String, Object> item(String event, String digest, int place) {
        return Map.of("event_id", event, "digest", digest.repeat(64), "item", place);
    }

    private static List<Map<String, Object>> claim(int limit) {
        return database.run("claim-webhooks", Map.of("provider", "acme", "limit", limit));
    }

    private static List<Map<String, Object>> done(Long webhook, String effect, UUID payment, String fact) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("webhook_id", webhook);
        row.put("effect", effect);
        row.put("payment_id", payment);
        row.put("fact", fact);
        row.put("reason", "test");
        row.put("decided_by", "node");
        row.put("opens_case", effect.equals("ORPHAN"));
        row.put("alert", effect.equals("ORPHAN") ? "ORPHAN_WEBHOOK" : null);
        row.put("alert_subject", "webhook:" + webhook);
        row.put("severity", "WARNING");
        return database.run("webhook-done", Map.of("body", json(List.of(row))));
    }

    private static List<Map<String, Object>> match(String reference, boolean bySource, String providerId) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("webhook_id", 1);
        row.put("provider", "acme");
        row.put("reference", reference);
        row.put("by_source", bySource);
        row.put("provider_payment_id", providerId);
        return database.run("webhook-match", Map.of("body", json(List.of(row))));
    }

    private static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        }
        catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static void atOnce(int threads, java.util.function.IntConsumer work) {
        CyclicBarrier barrier = new CyclicBarrier(threads);
        CompletableFuture.allOf(IntStream.range(0, threads).mapToObj(i -> CompletableFuture.runAsync(() -> {
            try {
                barrier.await();
            }
            catch (Exception e) {
                throw new IllegalStateException(e);
            }
            work.accept(i);
        })).toArray(CompletableFuture[]::new)).join();
    }

    @RepeatedTest(20)
    void theSameEventOnTwoNodesAtOnceIsOneTransitionAndOnePosting() {
        UUID id = payments.in("UNKNOWN");
        String event = "evt-" + id;
        atOnce(2, node -> store(event, "a"));
        assertThat(database.jdbc().queryForObject("select count(*) from webhook_event where event_id = ?", Integer.class, event)).isEqualTo(1);
        Long webhook = database.jdbc().queryForObject("select webhook_id from webhook_event where event_id = ?", Long.class, event);
        // Both have it in hand, as when the first one was late and the second one took over.
        atOnce(2, node -> {
            payments.record(Payments.with(Payments.told(id, "WEBHOOK", "SUCCEEDED", "fact"), "provider_payment_id", "P-" + id));
            done(webhook, "RECORDED", id, "fact");
        });
        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
        for (String question : List.of("transition where to_state = 'SUCCEEDED' and payment_id = ?",
                "ledger_posting where event = 'PaymentConfirmed' and payment_id = ?", "evidence where source = 'WEBHOOK' and payment_id = ?",
                "webhook_effect where payment_id = ?")) {
            assertThat(database.jdbc().queryForObject("select count(*) from " + question, Integer.class, id)).as(question).isEqualTo(1);
        }
        assertThat(database.jdbc().queryForObject("select count(*) from webhook_work where webhook_id = ?", Integer.class, webhook)).isZero();
        Books.hold(database.jdbc(), "told twice");
    }

    @Test
    void theEventsOfADeliveryAreStoredTogetherOrNotAtAll() {
        String event = "evt-" + UUID.randomUUID();
        refused("webhook_event_digest_check", () -> store(item(event + "-1", "a", 0), item(event + "-2", "z", 1)));
        refused("webhook_event_item_check", () -> store(item(event + "-1", "a", 0), item(event + "-2", "a", 100)));
        assertThat(database.jdbc().queryForObject("select count(*) from webhook_event where event_id like ?", Integer.class, event + "%")).isZero();
        assertThat(store(item(event + "-1", "a", 0), item(event + "-2", "a", 1), item(event + "-1", "a", 2))).hasSize(2);
        assertThat(store(item(event + "-2", "a", 0), item(event + "-3", "a", 1))).hasSize(1);
        assertThat(claim(1000).stream().filter(row -> ((String) row.get("event_id")).startsWith(event)).map(row -> row.get("item")))
                .containsExactlyInAnyOrder(0, 1, 1);
    }

    @RepeatedTest(20)
    void deliveriesOfTheSameEventsInAnyOrderDoNotHoldEachOtherUp() {
        String event = "evt-" + UUID.randomUUID() + "-";
        atOnce(4, node -> {
            List<Map<String, Object>> items = new ArrayList<>(IntStream.range(0, 20).mapToObj(i -> item(event + i, "a", i)).toList());
            Collections.shuffle(items);
            store(items.toArray(Map[]::new));
        });
        assertThat(database.jdbc().queryForObject("select count(*) from webhook_event where event_id like ?", Integer.class, event + "%")).isEqualTo(20);
    }

    @Test
    void anEventIsClaimedByOneAndComesAgainWhenNothingCameOfIt() {
        String event = "evt-" + UUID.randomUUID();
        store(event, "a");
        List<List<Map<String, Object>>> claimed = java.util.Collections.synchronizedList(new java.util.ArrayList<>());
        atOnce(2, node -> claimed.add(claim(1000)));
        assertThat(claimed.stream().flatMap(List::stream).filter(row -> event.equals(row.get("event_id")))).hasSize(1);
        assertThat(claim(1000)).isEmpty();
        database.jdbc().update("update webhook_work set due_at = now() - interval '1 second'");
        assertThat(claim(1000)).extracting(row -> row.get("event_id")).contains(event);
        Long webhook = database.jdbc().queryForObject("select webhook_id from webhook_event where event_id = ?", Long.class, event);
        done(webhook, "WAIT", null, null);
        assertThat(database.jdbc().queryForObject("select extract(epoch from due_at - clock_timestamp()) from webhook_work where webhook_id = ?",
                Double.class, webhook)).isBetween(0.5, 1.1);
        done(webhook, "ORPHAN", null, null);
        done(webhook, "ORPHAN", null, null);
        assertThat(database.jdbc().queryForObject("select count(*) from review_case where subject = ?", Integer.class, "webhook:" + webhook)).isEqualTo(1);
        assertThat(database.jdbc().queryForObject("select occurrences from alert where subject = ?", Integer.class, "webhook:" + webhook)).isEqualTo(1);
    }

    @Test
    void aPersonClosesTheCaseOfAWebhookAndItsAlert() {
        Long webhook = (Long) store("evt-" + UUID.randomUUID(), "a").get(0).get("webhook_id");
        done(webhook, "ORPHAN", null, null);
        Long open = database.jdbc().queryForObject("select case_id from review_case where subject = ?", Long.class, "webhook:" + webhook);
        database.jdbc().update("insert into decision (case_id, kind, reason, proposed_by) values (?, 'CLOSE_WEBHOOK', 'another installation', 'anna')", open);
        assertThat(database.jdbc().queryForObject("select closed_by from review_case where case_id = ?", String.class, open)).isEqualTo("anna");
        assertThat(database.jdbc().queryForObject("select cleared_by from alert where subject = ?", String.class, "webhook:" + webhook)).isEqualTo("anna");
    }

    @Test
    void ofTwoContentsUnderOneEventIdTheFirstCountsInWhateverOrderTheyAreTaken() {
        String event = "evt-" + UUID.randomUUID();
        store(event, "a");
        store(event, "b");
        assertThat(store(event, "a")).isEmpty();
        assertThat(claim(1000).stream().filter(row -> event.equals(row.get("event_id"))).map(row -> row.get("conflict"))).containsExactlyInAnyOrder(false, true);
        // The second one was applied before the first one was there for all to see.
        String other = "evt-" + UUID.randomUUID();
        store(other, "a");
        store(other, "b");
        List<Long> ids = database.jdbc().queryForList("select webhook_id from webhook_event where event_id = ? order by 1", Long.class, other);
        done(ids.get(1), "NOTHING", null, null);
        assertThat(claim(1000).stream().filter(row -> ids.get(0).equals(row.get("webhook_id"))).map(row -> row.get("conflict"))).containsExactly(true);
    }

    @Test
    void theSameFactUnderAnotherEventIdIsKnown() {
        UUID id = payments.in("UNKNOWN");
        List<Long> ids = IntStream.range(0, 2).mapToObj(i -> (Long) store("evt-" + i + id, "a").get(0).get("webhook_id")).toList();
        assertThat(done(ids.get(0), "RECORDED", id, "f").get(0)).containsEntry("effect", "RECORDED");
        assertThat(done(ids.get(1), "RECORDED", id, "f").get(0)).containsEntry("effect", "KNOWN");
    }

    @ParameterizedTest
    @CsvSource({"update webhook_event set body = '', PR001", "delete from webhook_event, PR001", "truncate webhook_event cascade, PR001",
        "update webhook_effect set effect = 'NOTHING', PR001", "delete from webhook_effect, PR001", "delete from webhook_work, PR002",
        "truncate webhook_work, PR002", "'insert into webhook_work (webhook_id, provider) values (1, ''acme'')', PR002", "update webhook_refusal set refused = 2, PR001"})
    void nothingIsRewrittenAndNoWorkIsForgotten(String statement, String state) {
        store("evt-rules", "a");
        refused(state, () -> database.jdbc().execute(statement));
    }

    @Test
    void aPaymentIsFoundByOurKeyByTheCallersReferenceOrByTheProvidersId() {
        String source = "src-" + UUID.randomUUID();
        UUID id = payments.accepted("PAYOUT", 500, "EUR", source);
        payments.claimed(id);
        String key = id.toString().replace("-", "");
        assertThat(match(key, false, null).get(0)).containsEntry("payment_id", id.toString()).containsEntry("by_reference", true)
                .containsEntry("attempt_no", 1);
        assertThat(match(source, true, null).get(0)).containsEntry("payment_id", id.toString());
        for (String foreign : List.of("nobody", key + "-1", key.substring(1), key + "'; --", "", "ÿ")) {
            assertThat(match(foreign, false, null).get(0)).as(foreign).containsEntry("payment_id", null);
        }
        payments.record(Payments.with(Payments.answer(id, 1, "SUCCEEDED"), "provider_payment_id", "P-" + id));
        assertThat(match("nobody", false, "P-" + id).get(0)).containsEntry("payment_id", id.toString()).containsEntry("by_reference", false);
        // Paid once, and asked for again under the same reference of the caller: the open one is meant.
        UUID next = payments.accepted("PAYOUT", 500, "EUR", source);
        assertThat(match(source, true, null).get(0)).containsEntry("payment_id", next.toString());
        assertThat(match(source, true, "P-" + id).get(0)).containsEntry("payment_id", id.toString());
    }

    @Test
    void refusalsAreSumsAndTheirAlertsBeginAndEnd() {
        database.run("webhook-refusals", Map.of("body", json(List.of(Map.of("provider", "acme", "reason", "SIGNATURE", "refused", 5000, "node", "n"),
                Map.of("provider", "acme", "alert", "SIGNATURE_FAILURES", "detail", "5000", "refused", 0, "node", "n")))));
        assertThat(database.jdbc().queryForObject("select sum(refused) from webhook_refusal where reason = 'SIGNATURE'", Integer.class)).isEqualTo(5000);
        assertThat(database.jdbc().queryForObject("select count(*) from alert where kind = 'SIGNATURE_FAILURES' and cleared_at is null", Integer.class)).isEqualTo(1);
        database.run("webhook-refusals", Map.of("body", json(List.of(Map.of("provider", "acme", "clears", "SIGNATURE_FAILURES", "refused", 0, "node", "n")))));
        assertThat(database.jdbc().queryForObject("select count(*) from alert where kind = 'SIGNATURE_FAILURES' and cleared_at is null", Integer.class)).isZero();
    }
}
