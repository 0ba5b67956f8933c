package org.paymentroutes.review;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.paymentroutes.support.BrokerProcess;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/**
 * The review as a deployment has it: the broker of config/artemis/broker.xml over TCP with its users, a foreign client
 * that reads payments.review, and two people over HTTP.
 */
@ApplicationTest
@DirtiesContext
class ReviewEndToEndIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long WAIT_MS = 20_000;
    private static EmbeddedActiveMQ broker;
    private static String url;

    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;

    @BeforeAll
    static void broker() throws Exception {
        start();
    }

    private static void start() throws Exception {
        if (broker == null) {
            int port;
            try (ServerSocket free = new ServerSocket(0)) {
                port = free.getLocalPort();
            }
            broker = BrokerProcess.start(Path.of("config/artemis/broker.xml"), Path.of("target/it-data/broker-" + UUID.randomUUID()), port);
            url = "tcp://127.0.0.1:" + port;
        }
    }

    @AfterAll
    static void stop() throws Exception {
        broker.stop();
        broker = null;
    }

    @DynamicPropertySource
    static void outside(DynamicPropertyRegistry registry) throws Exception {
        start();
        registry.add("spring.artemis.mode", () -> "native");
        registry.add("spring.artemis.broker-url", () -> url);
        registry.add("spring.artemis.user", () -> "application");
        registry.add("spring.artemis.password", () -> "application");
        registry.add("payment-routes.review.interval-ms", () -> "200");
    }

    @Test
    void peopleReadOfACaseInTheQueueAndTwoOfThemDecideIt() throws Exception {
        UUID id = inReview();
        JsonNode opened = message(id, "OPENED");
        assertThat(opened.path("type").asText()).isEqualTo("/problems/review-receipt-missing");
        assertThat(opened.path("title").asText()).isNotBlank();
        assertThat(opened.path("status").asInt()).isEqualTo(409);
        assertThat(opened.path("detail").asText()).isEqualTo("late");
        assertThat(opened.path("jobStatus").asText()).isEqualTo("REVIEW");
        assertThat(opened.path("retryable").isBoolean()).isTrue();
        assertThat(opened.path("correlationId").asText()).isEqualTo(id.toString());
        assertThat(opened.at("/case/attempts/0/reason").asText()).isEqualTo("SocketTimeoutException: no answer");
        assertThat(opened.at("/case/attempts/0/answer").asText()).isEqualTo("{\"pan\":\"***\"}");
        assertThat(opened.at("/case/recommended/why").asText()).isNotBlank();

        String decide = opened.at("/case/links/self").asText() + "/decisions";
        HttpResponse<String> proposed = api.post("operator", decide,
                "{\"kind\":\"CONFIRM_SUCCEEDED\",\"reason\":\"the provider has it\",\"details\":{\"providerPaymentId\":\"P-" + id + "\"}}");
        assertThat(proposed.statusCode()).as(proposed.body()).isEqualTo(200);
        JsonNode told = message(id, "PROPOSED");
        assertThat(told.at("/case/proposal/proposedBy").asText()).isEqualTo("operator");
        String approve = "/api/review/decisions/" + told.at("/case/proposal/decisionId").asLong() + "/approve";
        assertThat(api.post("approver", approve, "{}").statusCode()).isEqualTo(200);
        JsonNode closed = message(id, "CLOSED");
        assertThat(closed.path("jobStatus").asText()).isEqualTo("SUCCEEDED");
        assertThat(closed.at("/case/closedBy").asText()).isEqualTo("operator and approver");
        assertThat(jdbc.queryForObject("select string_agg(event, ' ' order by posting_id) from ledger_posting where payment_id = ?", String.class, id))
                .isEqualTo("PaymentRequested PaymentInDoubt PaymentConfirmed");
    }

    @Test
    void deletingTheQueueLosesNothing() throws Exception {
        UUID id = inReview();
        await().atMost(Duration.ofMillis(WAIT_MS)).until(() -> jdbc.queryForObject("select count(*) from review_outbox", Integer.class) == 0);
        broker.getActiveMQServer().locateQueue("payments.review").deleteAllReferences();
        assertThat(api.post("viewer", "/api/review/resend-messages", "{}").statusCode()).isEqualTo(403);
        assertThat(api.post("operator", "/api/review/resend-messages", "{}").statusCode()).isEqualTo(202);
        assertThat(message(id, "RESENT").path("jobStatus").asText()).isEqualTo("REVIEW");
    }

    @Test
    void whatComesBackIsAskedAboutAndNeverSent() throws Exception {
        UUID review = inReview();
        UUID pending = payment();
        String before = jdbc.queryForObject("select due_at::text from payment where payment_id = ?", String.class, pending);
        JsonNode opened = message(review, "OPENED");
        try (JMSContext reviewer = client("reviewer")) {
            reviewer.createProducer().send(reviewer.createQueue("payments.review.return"), "rubbish");
            reviewer.createProducer().send(reviewer.createQueue("payments.review.return"), pending.toString());
            reviewer.createProducer().send(reviewer.createQueue("payments.review.return"), opened.toString());
        }
        await().atMost(Duration.ofMillis(WAIT_MS)).until(() -> jdbc.queryForObject("select due_at <= clock_timestamp() from payment where payment_id = ?",
                Boolean.class, review));
        assertThat(jdbc.queryForObject("select state || ' ' || due_at from payment where payment_id = ?", String.class, pending)).isEqualTo("PENDING " + before);
        assertThat(jdbc.queryForObject("select state from payment where payment_id = ?", String.class, review)).isEqualTo("REVIEW");
        await().atMost(Duration.ofMillis(WAIT_MS)).until(
                () -> broker.getActiveMQServer().locateQueue("payments.review.return").getMessageCount() == 0);
    }

    @Test
    void aRefusedRequestArrivesAtTheSamePlaceWithoutItsContent() throws Exception {
        String reference = "line-" + UUID.randomUUID();
        try (JMSContext source = client("source")) {
            source.createProducer().send(source.createQueue("payments.requests"),
                    "{\"sourceReference\":\"" + reference + "\",\"operation\":\"GIVE\",\"recipient\":\"Jane Doe\",\"provider\":\"acme\"}");
        }
        JsonNode letter = message(reference, "DEAD_LETTER");
        assertThat(letter.path("type").asText()).isEqualTo("/problems/invalid-request");
        assertThat(letter.path("retryable").asBoolean()).isFalse();
        assertThat(letter.at("/deadLetter/queue").asText()).isEqualTo("payments.requests");
        assertThat(letter.at("/deadLetter/bodyDigest").asText()).hasSize(64);
        assertThat(letter.toString()).doesNotContain("Jane", "GIVE");
        try (JMSContext reviewer = client("reviewer"); var browser = reviewer.createBrowser(reviewer.createQueue("payments.dead-letters"))) {
            List<?> kept = Collections.list(browser.getEnumeration());
            assertThat(kept).anySatisfy(message -> assertThat(((TextMessage) message).getText()).contains(reference));
        }
    }

    @Test
    void aMessageThatNoReviewerCouldUseDoesNotComeBackForEver() throws Exception {
        UUID id = inReview();
        message(id, "OPENED");
        try (JMSContext operator = client("application")) {
            operator.createProducer().setProperty("jobId", id.toString()).setTimeToLive(1)
                    .send(operator.createQueue("payments.review"), "{\"jobId\":\"" + id + "\"}");
        }
        broker.getActiveMQServer().locateQueue("payments.review").expireReferences();
        await().atMost(Duration.ofMillis(WAIT_MS)).until(() -> jdbc.queryForObject("select count(*) from dead_letter where payment_id = ?",
                Integer.class, id) == 1);
        assertThat(jdbc.queryForObject("select queue || ' ' || problem from dead_letter where payment_id = ?", String.class, id))
                .isEqualTo("payments.review expired");
        assertThat(jdbc.queryForObject("select count(*) from review_outbox where dead_letter_id is not null", Integer.class)).isZero();
    }

    /** @return the next message of this kind about a job, read by a client that knows nothing of us */
    private static JsonNode message(Object job, String what) throws Exception {
        try (JMSContext reviewer = client("reviewer"); var consumer = reviewer.createConsumer(reviewer.createQueue("payments.review"),
                "jobId = '" + job + "' and what = '" + what + "'")) {
            Message message = consumer.receive(WAIT_MS);
            assertThat(message).as("%s of %s", what, job).isInstanceOf(TextMessage.class);
            assertThat(message.getJMSCorrelationID()).isEqualTo(job.toString());
            return JSON.readTree(((TextMessage) message).getText());
        }
    }

    private static JMSContext client(String user) {
        return new ActiveMQConnectionFactory(url).createContext(user, user);
    }

    private UUID payment() {
        UUID id = UUID.randomUUID();
        jdbc.update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,"
                + " amount_minor, currency) values (?, 'caller', ?, 'f', ?, 'PAYOUT', 'acme', 'acme-main', 500, 'EUR')", id, id.toString(), id.toString());
        return id;
    }

    private UUID inReview() {
        UUID id = payment();
        jdbc.update("with c as (update payment set state = 'SUBMITTING', reason = 'claimed', actor = 'node', attempts = 1,"
                + " first_sent_at = clock_timestamp(), due_at = clock_timestamp() + interval '8 seconds' where payment_id = ? returning *)"
                + " insert into attempt (payment_id, attempt_no, provider_key, worker, lease_until)"
                + " select payment_id, attempts, provider_key, actor, due_at from c", id);
        jdbc.update("insert into evidence (payment_id, attempt_no, source, verdict, reason, answer, recorded_by)"
                + " values (?, 1, 'ANSWER', 'AMBIGUOUS', 'SocketTimeoutException: no answer', '{\"pan\":\"***\"}', 'node')", id);
        jdbc.update("update payment set state = 'REVIEW', category = 'RECEIPT_MISSING', reason = 'late', actor = 'node',"
                + " due_at = clock_timestamp() + interval '1 hour' where payment_id = ?", id);
        return id;
    }
}
