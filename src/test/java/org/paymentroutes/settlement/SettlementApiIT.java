package org.paymentroutes.settlement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.SettlementFiles.line;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.camel.ProducerTemplate;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.paymentroutes.support.SettlementFiles;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** What people see of settlement files over HTTP, and how two of them decide about many lines with one table. */
@ApplicationTest
class SettlementApiIT {

    private static final ObjectMapper JSON = new ObjectMapper();

    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;
    @Autowired
    ProducerTemplate producer;

    @Test
    void showsAFileFromItsTrialToItsLastDecision() throws Exception {
        SettlementFiles files = new SettlementFiles(jdbc, "acme");
        String tag = UUID.randomUUID().toString();
        long file = files.staged("{}", "", List.of(
                line("PAYMENT", "=HYPERLINK(\"http://x.invalid\")", null, tag + 1, 1234, ""),
                line("PAYMENT", "<b>unknown</b>", null, tag + 2, -99, ""),
                line("FEE", null, null, tag + 3, -5, "")));

        JsonNode trial = json(api.post("operator", "/api/settlement/files/" + file + "/dry-run", "{}"));
        assertThat(trial.path("dryRun").asBoolean()).isTrue();
        assertThat(trial.path("differences")).hasSize(2);
        assertThat(files.results(file)).isEmpty();

        producer.send("direct:settlement-process", exchange -> exchange.setVariable("settlementFile", file));
        assertThat(json(api.get("viewer", "/api/settlement/files/" + file)).path("state").asText()).isEqualTo("BOOKED");
        JsonNode report = json(api.get("viewer", "/api/settlement/files/" + file + "/report"));
        assertThat(report.at("/equation/0/holds").asBoolean()).isTrue();
        assertThat(report.at("/results/0/result").asText()).isEqualTo("FEE");
        assertThat(json(api.get("viewer", "/api/settlement/files?provider=acme&state=BOOKED")).findValuesAsText("fileId")).contains(Long.toString(file));
        String day = jdbc.queryForObject("select (received_at at time zone 'UTC')::date::text from settlement_file where file_id = ?", String.class, file);
        assertThat(json(api.get("viewer", "/api/settlement/days/" + day)).at("/files").findValuesAsText("fileId")).contains(Long.toString(file));

        HttpResponse<String> page = api.get("viewer", "/api/settlement/files/" + file + "/report.html");
        assertThat(page.headers().firstValue("Content-Type")).hasValueSatisfying(type -> assertThat(type).startsWith("text/html"));
        assertThat(page.body()).contains("&lt;b&gt;unknown&lt;/b&gt;", "12.34", "holds").doesNotContain("<b>unknown");

        String csv = api.get("viewer", "/api/settlement/files/" + file + "/report.csv").body();
        assertThat(csv).contains("\"'=HYPERLINK(\"\"http://x.invalid\"\")\"", ",12.34,", ",-0.99,").doesNotContain(",=HYP").doesNotContain("\"=HYP");

        // Each open difference is written off, with a reason, in the exported table.
        StringBuilder decided = new StringBuilder();
        for (String row : csv.split("\r\n")) {
            decided.append(row.startsWith("DIFFERENCE") ? row.replaceFirst(",,,$", ",WRITE_OFF_LINE,,nobody asks for it") : row).append("\r\n");
        }
        String body = JSON.writeValueAsString(Map.of("csv", decided.toString()));
        HttpResponse<String> proposed = api.post("operator", "/api/settlement/decisions", body);
        assertThat(proposed.statusCode()).as(proposed.body()).isEqualTo(201);
        assertThat(json(proposed).path("decisions").asInt()).isEqualTo(2);
        String approve = "/api/settlement/decisions/" + json(proposed).path("batch").asLong() + "/approve";
        assertThat(api.post("operator", approve, "{}").statusCode()).isEqualTo(403);
        assertThat(files.cases(file)).hasSize(2);
        HttpResponse<String> approved = api.post("approver", approve, "{}");
        assertThat(approved.statusCode()).as(approved.body()).isEqualTo(200);
        assertThat(files.cases(file)).isEmpty();
        assertThat(api.post("approver", approve, "{}").statusCode()).isEqualTo(404);
        assertThat(api.post("operator", "/api/settlement/decisions", "{\"csv\": \"a,b\\n1,2\"}").statusCode()).isEqualTo(422);
    }

    @Test
    void aFileWhoseTotalsDifferSaysWhy() throws Exception {
        SettlementFiles files = new SettlementFiles(jdbc, "acme");
        long file = files.staged("{\"entries\": {\"EUR\": 1}}", "", List.of(line("FEE", null, null, UUID.randomUUID().toString(), -5, "")));
        var result = producer.send("direct:settlement-process", exchange -> exchange.setVariable("settlementFile", file));
        assertThat(result.getVariable("settlementState")).isEqualTo("REVIEW");
        assertThat(result.getVariable("settlementWhy", String.class)).contains("entries");
        JsonNode report = json(api.get("viewer", "/api/settlement/files/" + file));
        assertThat(report.at("/problems/0/declared").asLong()).isEqualTo(1);
        assertThat(report.at("/problems/0/counted").asLong()).isEqualTo(-5);
    }

    @Test
    void showsNothingToStrangers() {
        assertThat(api.get("caller", "/api/settlement/files").statusCode()).isEqualTo(403);
        assertThat(api.get(null, "/api/settlement/files").statusCode()).isEqualTo(401);
        assertThat(api.post("viewer", "/api/settlement/files/1/dry-run", "{}").statusCode()).isEqualTo(403);
        assertThat(api.get("viewer", "/api/settlement/files/x").statusCode()).isEqualTo(404);
        assertThat(api.get("viewer", "/api/settlement/days/yesterday").statusCode()).isEqualTo(404);
        assertThat(api.get("viewer", "/api/settlement/files?state=GONE").statusCode()).isEqualTo(400);
    }

    private static JsonNode json(HttpResponse<String> answer) throws Exception {
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
        return JSON.readTree(answer.body());
    }
}
