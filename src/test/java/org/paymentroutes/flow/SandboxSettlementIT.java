package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;

/** From a provider's books to ours: files that the sandbox writes of payments that we sent, right and wrong. */
@FlowTest
class SandboxSettlementIT {

    @Autowired
    Flow flow;
    @Autowired
    JdbcTemplate jdbc;
    @Autowired
    Environment environment;
    @Value("${payment-routes.settlement.inbox}")
    Path inbox;
    @Value("${sandbox.settlement-directory}")
    Path written;

    private final long from = System.currentTimeMillis();

    /** Has the sandbox write what it moved in this test, delivers it, and returns our row of it. */
    private Map<String, Object> settled(String fault) throws IOException, InterruptedException {
        HttpResponse<String> answer = HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(environment.getRequiredProperty("sandbox.url")
                + "/_settlement?format=csv&fault=" + fault + "&from=" + from))
                .header("Authorization", environment.getRequiredProperty("providers.sandbox.credential"))
                .POST(HttpRequest.BodyPublishers.noBody()).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        String name = Flow.json(answer.body()).path("file").asText();
        Path folder = Files.createDirectories(inbox.resolve("sandbox"));
        Files.copy(written.resolve(name), folder.resolve(name + ".part"));
        Files.move(folder.resolve(name + ".part"), folder.resolve(name));
        await().atMost(Duration.ofSeconds(30)).until(() -> !Files.exists(folder.resolve(name)));
        return jdbc.queryForMap("select * from settlement_file where provider = 'sandbox' and name = ?", name);
    }

    private List<String> results(Map<String, Object> file, String payment) {
        return jdbc.queryForList("select m.result from settlement_match m join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)"
                + " where m.file_id = ? and l.reference = ? order by m.line_no", String.class, file.get("file_id"), Flow.key(payment));
    }

    private long postings(String payment) {
        return jdbc.queryForObject("select count(*) from ledger_posting where payment_id = ?::uuid and event = 'SettlementBooked'", Long.class, payment);
    }

    @Test
    void whatTheProviderMovedIsMatchedBookedAndSettlesWhatNothingElseCould() throws Exception {
        String known = flow.behaves("ok");
        String blind = flow.pay(FlowProviders.BLIND, "PAYOUT", 1234, "behaviour", "ok");
        String doubtful = flow.behaves("query_403");
        flow.await(known, "SUCCEEDED");
        flow.await(doubtful, "REVIEW");
        Map<String, Object> file = settled("none");
        assertThat(file.get("state")).isEqualTo("BOOKED");
        assertThat(results(file, known)).containsExactly("MATCHED");
        assertThat(results(file, doubtful)).containsExactly("RESOLVES");
        flow.await(doubtful, "SUCCEEDED");
        assertThat(postings(known)).isPositive();
        assertThat(results(file, blind)).as("of another provider").doesNotContain("MATCHED");
        Map<String, Object> again = settled("none");
        assertThat(results(again, known)).containsExactly("KNOWN_LINE");
    }

    @Test
    void oneMinorUnitTooMuchAndNothingIsBooked() throws Exception {
        String payment = flow.behaves("ok");
        flow.await(payment, "SUCCEEDED");
        Map<String, Object> file = settled("off_by_one");
        assertThat(file.get("state")).isEqualTo("REVIEW");
        assertThat(postings(payment)).isZero();
        assertThat(jdbc.queryForObject("select count(*) from review_case where subject = 'settlement-file:' || ? and closed_at is null", Long.class,
                file.get("file_id"))).isOne();
    }

    @Test
    void aFileThatIsCutIsRejected() throws Exception {
        String payment = flow.behaves("ok");
        flow.await(payment, "SUCCEEDED");
        Map<String, Object> file = settled("truncated");
        assertThat(file.get("state")).isEqualTo("REFUSED");
        assertThat((String) file.get("refused_why")).startsWith("Line ");
        assertThat(postings(payment)).isZero();
        assertThat(flow.state(payment)).isEqualTo("SUCCEEDED");
    }

    @Test
    void aPaymentUnderTwoIdsIsAnAlarmAndNotADuplicate() throws Exception {
        String payment = flow.behaves("ok");
        flow.await(payment, "SUCCEEDED");
        Map<String, Object> file = settled("twin");
        assertThat(file.get("state")).isEqualTo("BOOKED");
        // The sandbox doubles the first row, which may be of a payment that another test had sent late.
        List<String> doubled = jdbc.queryForList("select distinct candidate_id::text from settlement_match where file_id = ? and result = 'DOUBLE_PAY'",
                String.class, file.get("file_id"));
        assertThat(doubled).hasSize(1);
        assertThat(jdbc.queryForObject("select count(*) from alert where subject = ? and kind = 'DOUBLE_PAY'", Long.class, doubled.get(0))).isPositive();
    }
}
