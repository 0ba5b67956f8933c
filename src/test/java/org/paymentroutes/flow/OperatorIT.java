package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.wire.WireProvider.closed;
import static org.paymentroutes.wire.WireProvider.notFound;
import static org.paymentroutes.wire.WireProvider.paid;
import static org.paymentroutes.wire.WireProvider.status;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Api;
import org.paymentroutes.wire.WireProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** What operators ask for by hand, and that none of it ever sends. */
@FlowTest
class OperatorIT {

    private final WireProvider wire = FlowProviders.wire(FlowProviders.PATIENT);

    @Autowired
    Flow flow;
    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;

    @Test
    void aRefreshAsksNowOnceInAWhileAndNeverSends() {
        String tag = Flow.tag();
        wire.script(tag).post(closed()).query(notFound(), notFound(), notFound()).thenQuery(paid());
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        flow.await(id, "UNKNOWN");
        // As if it had been asked for long: not due before tomorrow.
        jdbc.update("update payment set due_at = now() + interval '1 day' where payment_id = ?::uuid", id);
        Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            jdbc.update("update payment set due_at = now() + interval '1 day' where payment_id = ?::uuid and due_at < now() + interval '1 hour'", id);
            assertThat(wire.order(Flow.key(id)).queries().size()).isEqualTo(flow.get(id).path("queryCount").asInt());
        });
        wire.script(tag, new WireProvider.Script().thenQuery(paid()));

        assertThat(refresh("viewer", id).statusCode()).isEqualTo(403);
        HttpResponse<String> asked = refresh("operator", id);
        assertThat(asked.statusCode()).as(asked.body()).isEqualTo(202);
        assertThat(Flow.json(asked.body()).path("willHappen").asText()).contains("nothing is sent");
        flow.await(id, "SUCCEEDED");
        assertThat(wire.posts(Flow.key(id))).isEqualTo(1);
        assertThat(jdbc.queryForList("select asked_by from payment_refresh where payment_id = ?::uuid", String.class, id)).containsExactly("operator");
        assertThat(problem(refresh("operator", id), 409)).isEqualTo("/problems/payment-final");
    }

    @Test
    void aRefreshIsRefusedWhereNothingCanBeAsked() {
        String waiting = payment("acme");
        assertThat(problem(refresh("operator", waiting), 409)).isEqualTo("/problems/payment-not-sent");
        String blind = flow.pay(FlowProviders.BLIND, "PAYOUT", 500, "behaviour", "close_paid");
        flow.await(blind, "UNKNOWN");
        assertThat(problem(refresh("operator", blind), 409)).isEqualTo("/problems/provider-cannot-be-asked");
        assertThat(problem(refresh("operator", UUID.randomUUID().toString()), 404)).isEqualTo("/problems/not-found");

        String tag = Flow.tag();
        wire.script(tag).post(closed()).thenQuery(notFound());
        String id = flow.scripted(FlowProviders.PATIENT, tag);
        flow.await(id, "UNKNOWN");
        assertThat(refresh("operator", id).statusCode()).isEqualTo(202);
        HttpResponse<String> again = refresh("operator", id);
        assertThat(problem(again, 429)).isEqualTo("/problems/too-many-requests");
        assertThat(again.headers().firstValue("Retry-After")).contains("10");
        wire.script(tag, new WireProvider.Script().thenQuery(paid()));
        flow.await(id, "SUCCEEDED");
    }

    @Test
    void aComparisonShowsOursAndTheirsAndChangesNothing() {
        String same = flow.scripted(FlowProviders.PATIENT, "");
        flow.await(same, "SUCCEEDED");
        String tag = Flow.tag();
        wire.script(tag).thenQuery(status("DECLINED"));
        String contradicted = flow.scripted(FlowProviders.PATIENT, tag);
        flow.await(contradicted, "SUCCEEDED");
        String lost = flow.scripted(FlowProviders.PATIENT, "");
        flow.await(lost, "SUCCEEDED");
        jdbc.update("insert into provider_payment values ('patient', 'patient-merchant', 'PAYOUT', 'theirs-' || ?, ?::uuid)", lost, lost);
        long evidence = evidence();

        HttpResponse<String> answer = api.post("operator", "/api/compare", "{\"provider\":\"patient\",\"ids\":[\"%s\",\"%s\",\"theirs-%s\",\"nobody\"]}"
                .formatted(same, Flow.key(contradicted), lost));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        JsonNode items = Flow.json(answer.body()).path("items");
        assertThat(items.findValuesAsText("difference")).containsExactly("NONE", "CONTRADICTION", "NONE", "NOT_OURS");
        assertThat(items.at("/1/ours/state").asText()).isEqualTo("SUCCEEDED");
        assertThat(items.at("/1/theirs/verdict").asText()).isEqualTo("REJECTED");
        assertThat(items.at("/2/ours/paymentId").asText()).isEqualTo(lost);
        assertThat(evidence()).isEqualTo(evidence);
        assertThat(flow.state(contradicted)).isEqualTo("SUCCEEDED");
        for (String id : List.of(same, contradicted, lost)) {
            assertThat(wire.posts(Flow.key(id))).isEqualTo(1);
        }
    }

    @Test
    void aComparisonStaysWithinItsBudget() {
        String one = flow.scripted(FlowProviders.FRAGILE, "");
        flow.await(one, "SUCCEEDED");
        jdbc.update("update provider set query_rate_per_minute = 3 where name = 'fragile'");
        String other = flow.scripted(FlowProviders.FRAGILE, "");
        String third = flow.scripted(FlowProviders.FRAGILE, "");
        flow.awaitAll(List.of(other, third), "SUCCEEDED");
        JsonNode items = Flow.json(api.post("operator", "/api/compare", "{\"provider\":\"fragile\",\"ids\":[\"%s\",\"%s\",\"%s\"]}"
                .formatted(one, other, third)).body()).path("items");
        assertThat(items.findValuesAsText("difference")).containsExactly("NONE", "NONE", "NOT_ASKED");
        jdbc.update("update provider set query_rate_per_minute = null where name = 'fragile'");
    }

    @Test
    void aComparisonThatCannotBeMadeSaysWhy() {
        assertThat(problem(api.post("operator", "/api/compare", "{\"provider\":\"blind\",\"ids\":[\"x\"]}"), 409))
                .isEqualTo("/problems/provider-cannot-be-asked");
        assertThat(problem(api.post("operator", "/api/compare", "{\"provider\":\"nobody\",\"ids\":[\"x\"]}"), 404)).isEqualTo("/problems/not-found");
        HttpResponse<String> wrong = api.post("operator", "/api/compare", "{\"provider\":7,\"ids\":[],\"send\":true}");
        assertThat(problem(wrong, 422)).isEqualTo("/problems/invalid-request");
        assertThat(Flow.json(wrong.body()).path("errors")).hasSize(3);
        assertThat(api.post("viewer", "/api/compare", "{}").statusCode()).isEqualTo(403);
    }

    private HttpResponse<String> refresh(String user, String id) {
        return api.post(user, "/api/payments/" + id + "/refresh", "{}");
    }

    private static String problem(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return Flow.json(answer.body()).path("type").asText();
    }

    private String payment(String provider) {
        return flow.pay(provider, "PAYOUT", 100, "", "");
    }

    private long evidence() {
        return jdbc.queryForObject("select count(*) from evidence where payment_id in (select payment_id from payment where provider = 'patient' and state = 'SUCCEEDED')", Long.class);
    }
}
