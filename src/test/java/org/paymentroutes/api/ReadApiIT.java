package org.paymentroutes.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** Proves what the read API shows, to whom, and that pages neither repeat nor miss a payment. */
@ApplicationTest
class ReadApiIT {

    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;

    @Test
    void showsAPaymentWithItsHistoryAndPostings() throws Exception {
        String id = accepted("ref-" + UUID.randomUUID(), 1230);
        JsonNode payment = json(api.get("viewer", "/api/payments/" + id));

        assertThat(payment.path("state").asText()).isEqualTo("PENDING");
        assertThat(payment.path("amount").asText()).isEqualTo("12.30");
        assertThat(payment.path("providerKey").asText()).isEqualTo(id.replace("-", ""));
        assertThat(payment.at("/transitions/0/to").asText()).isEqualTo("PENDING");
        assertThat(payment.at("/ledger/0/event").asText()).isEqualTo("PaymentRequested");
        assertThat(payment.at("/ledger/0/creditAccount").asText()).isEqualTo("payable");
        assertThat(payment.path("attempts").isArray()).isTrue();
        assertThat(payment.path("review").isNull()).isTrue();
    }

    @Test
    void showsACallerOnlyHisOwnPayments() throws Exception {
        String reference = "ref-" + UUID.randomUUID();
        String id = accepted(reference, 100);
        String foreign = UUID.randomUUID().toString();
        jdbc.update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider,"
                + " account, amount_minor, currency) values (?::uuid, 'other', ?, 'f', ?, 'PAYOUT', 'acme', 'acme-main', 5, 'EUR')",
                foreign, foreign, reference);

        assertThat(api.get("caller", "/api/payments/" + id).statusCode()).isEqualTo(200);
        assertThat(api.get("caller", "/api/payments/" + foreign).statusCode()).isEqualTo(404);
        assertThat(api.get("viewer", "/api/payments/" + foreign).statusCode()).isEqualTo(200);
        assertThat(json(api.get("caller", "/api/payments?sourceReference=" + reference)).path("items")).hasSize(1);
        assertThat(json(api.get("viewer", "/api/payments?sourceReference=" + reference)).path("items")).hasSize(2);
    }

    @Test
    void pagesThroughPaymentsWithoutRepeatingOrMissingOne() throws Exception {
        String tag = "page " + UUID.randomUUID() + "&x=/ü";
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            String id = UUID.randomUUID().toString();
            // The same time for all: the id alone must keep them apart. It is so long ago that they may go to REVIEW meanwhile.
            jdbc.update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider,"
                    + " account, amount_minor, currency, accepted_at) values (?::uuid, ?, ?, 'f', ?, 'PAYOUT', 'acme', 'acme-main', 5,"
                    + " 'EUR', '2026-01-31T12:00:00Z')", id, "pager-" + i, id, tag);
            expected.add(id);
        }
        List<String> seen = new ArrayList<>();
        String next = "/api/payments?limit=3&operation=PAYOUT&sourceReference="
                + java.net.URLEncoder.encode(tag, java.nio.charset.StandardCharsets.UTF_8);
        int pages = 0;
        while (next != null) {
            JsonNode page = json(api.get("viewer", next));
            page.path("items").forEach(item -> seen.add(item.path("paymentId").asText()));
            next = page.hasNonNull("next") ? page.path("next").asText() : null;
            pages++;
        }
        assertThat(pages).isEqualTo(3);
        assertThat(seen).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @CsvSource({"state=LOST, state", "operation=GIVE, operation", "limit=0, limit", "limit=201, limit", "limit=x, limit",
        "cursor=!!, cursor", "cursor=YQ, cursor", "acceptedFrom=yesterday, acceptedFrom", "acceptedTo=2026-01-31, acceptedTo",
        "nonsense=1, nonsense", "state=PENDING&state=FAILED, state", "CamelSqlQuery=select, CamelSqlQuery",
        "currency=%00, currency"})
    void refusesAWrongParameterByName(String query, String field) throws Exception {
        HttpResponse<String> answer = api.get("viewer", "/api/payments?" + query);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(json(answer).at("/errors/0/field").asText()).isEqualTo(field);
        assertThat(json(answer).at("/errors/0/allowed").asText()).isNotBlank();
    }

    @Test
    void filtersByTime() throws Exception {
        String reference = "ref-" + UUID.randomUUID();
        accepted(reference, 100);
        String filter = "/api/payments?sourceReference=" + reference;
        assertThat(json(api.get("viewer", filter + "&acceptedFrom=2026-01-01T00:00:00Z")).path("items")).hasSize(1);
        assertThat(json(api.get("viewer", filter + "&acceptedTo=2020-01-01T00:00:00%2B02:00")).path("items")).isEmpty();
    }

    @Test
    void showsBalancesThatSumUpToNothing() throws Exception {
        accepted("ref-" + UUID.randomUUID(), 100);
        JsonNode balances = json(api.get("viewer", "/api/ledger/balances?currency=EUR")).path("balances");
        long sum = 0;
        for (JsonNode balance : balances) {
            sum += balance.path("balanceMinor").asLong();
        }
        assertThat(balances).isNotEmpty();
        assertThat(sum).isZero();
    }

    @Test
    void pausesAndResumesAProvider() throws Exception {
        assertThat(api.post("operator", "/api/providers/acme/pause", "{}").statusCode()).isEqualTo(422);
        JsonNode paused = json(api.post("operator", "/api/providers/acme/pause", "{\"reason\":\"maintenance\"}"));
        assertThat(paused.path("paused").asBoolean()).isTrue();
        assertThat(paused.path("pausedBy").asText()).isEqualTo("operator");
        JsonNode listed = json(api.get("viewer", "/api/providers")).path("items");
        assertThat(listed.findValuesAsText("name")).contains("acme");
        JsonNode resumed = json(api.post("operator", "/api/providers/acme/resume", "{}"));
        assertThat(resumed.path("paused").asBoolean()).isFalse();
        assertThat(resumed.path("pausedReason").isNull()).isTrue();
        assertThat(api.post("operator", "/api/providers/nobody/pause", "{\"reason\":\"x\"}").statusCode()).isEqualTo(404);
        assertThat(api.post("viewer", "/api/providers/acme/pause", "{\"reason\":\"x\"}").statusCode()).isEqualTo(403);
    }

    private String accepted(String reference, long minor) throws Exception {
        HttpResponse<String> answer = api.pay(Api.key(), """
                {"sourceReference":"%s","operation":"PAYOUT","provider":"acme","amountMinor":%d,"currency":"EUR","recipient":"tok"}"""
                .formatted(reference, minor));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        return json(answer).path("paymentId").asText();
    }

    private static JsonNode json(HttpResponse<String> answer) throws Exception {
        return new ObjectMapper().readTree(answer.body());
    }
}
