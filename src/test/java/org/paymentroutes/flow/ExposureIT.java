package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.wire.WireProvider.closed;
import static org.paymentroutes.wire.WireProvider.notFound;
import static org.paymentroutes.wire.WireProvider.paid;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Api;
import org.paymentroutes.wire.WireProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** A provider that loses answers is not sent more than its limit, and is asked all the while. */
@FlowTest
class ExposureIT {

    private final WireProvider wire = FlowProviders.wire(FlowProviders.PATIENT);

    @Autowired
    Flow flow;
    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;

    @BeforeEach
    void limits() {
        // What earlier tests left in doubt there does not count.
        jdbc.update("insert into exposure_limit (provider, currency, max_count)"
                + " select 'patient', '*', 3 + coalesce(max(in_doubt), 0) from exposure('patient') where currency = 'EUR'");
    }

    @AfterEach
    void noLimits() {
        jdbc.update("delete from exposure_limit where provider = 'patient'");
        jdbc.update("delete from exposure_stop where provider = 'patient'");
        // The operator's go would last for minutes, and histories cannot be changed by rule.
        jdbc.execute("set session_replication_role = replica; update provider_stop_history set until_at = at where until_at is not null;"
                + " reset session_replication_role");
    }

    @Test
    void aProviderThatLosesAnswersIsStoppedAndGoesOnWhenTheDoubtHasFallen() {
        String tag = Flow.tag();
        List<String> doubtful = threeInDoubt(tag);
        String waiting = flow.scripted(FlowProviders.PATIENT, "");
        awaitStop();
        assertThat(flow.state(waiting)).isEqualTo("PENDING");
        awaitOpenAlerts(1);

        // It is asked meanwhile, and what it says is recorded.
        wire.script(tag).thenQuery(paid());
        flow.awaitAll(doubtful, "SUCCEEDED");
        flow.await(waiting, "SUCCEEDED");
        assertThat(wire.posts(Flow.key(waiting))).isEqualTo(1);
        awaitOpenAlerts(0);
        assertThat(api.get("viewer", "/api/providers/patient/stops").body()).contains("STOPPED", "RELEASED");
    }

    @Test
    void anOperatorLetsItGoOnForATime() {
        String tag = Flow.tag();
        List<String> doubtful = threeInDoubt(tag);
        String waiting = flow.scripted(FlowProviders.PATIENT, "");
        awaitStop();
        assertThat(api.post("operator", "/api/providers/patient/resume", "{\"exposureOverrideMinutes\":5}").statusCode()).isEqualTo(422);
        assertThat(api.post("operator", "/api/providers/patient/resume",
                "{\"exposureOverrideMinutes\":2000,\"reason\":\"x\"}").statusCode()).isEqualTo(422);
        assertThat(api.post("operator", "/api/providers/patient/resume",
                "{\"exposureOverrideMinutes\":5,\"exposureRaisePercent\":1000,\"reason\":\"seen by the provider\"}").statusCode()).isEqualTo(200);
        flow.await(waiting, "SUCCEEDED");
        JsonNode stops = Flow.json(api.get("viewer", "/api/providers/patient/stops").body()).path("items");
        assertThat(stops.findValuesAsText("action")).contains("OVERRIDDEN");
        assertThat(stops.findValuesAsText("actor")).contains("operator");
        wire.script(tag).thenQuery(paid());
        flow.awaitAll(doubtful, "SUCCEEDED");
    }

    private List<String> threeInDoubt(String tag) {
        wire.script(tag).post(closed(), closed(), closed()).thenQuery(notFound());
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ids.add(flow.scripted(FlowProviders.PATIENT, tag));
        }
        flow.awaitAll(ids, "UNKNOWN");
        return ids;
    }

    private void awaitStop() {
        Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(exposure()).contains("\"stopped\":true"));
    }

    private void awaitOpenAlerts(int count) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(Flow.json(
                api.get("viewer", "/api/alerts?open=true&kind=EXPOSURE&subject=patient/EUR").body()).path("items")).hasSize(count));
    }

    private String exposure() {
        JsonNode items = Flow.json(api.get("viewer", "/api/providers").body()).path("items");
        for (JsonNode item : items) {
            if (item.path("name").asText().equals("patient")) {
                return item.path("exposure").toString();
            }
        }
        return "";
    }
}
