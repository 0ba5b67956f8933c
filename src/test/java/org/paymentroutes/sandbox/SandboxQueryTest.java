package org.paymentroutes.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the query says, which is not always what the books say. */
class SandboxQueryTest {

    @TempDir
    Path directory;

    @Test
    void theTruthIsFoundByReferenceAndById() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory)) {
            Wire wire = sandbox.wire();
            String body = wire.pay("q", "ok").body();
            assertThat(wire.get("/payments/q").body()).isEqualTo(body);
            assertThat(wire.get("/payments/by-id/sbx_000000000001").body()).isEqualTo(body);
            assertThat(wire.get("/payments/nobody").status()).isEqualTo(404);
            assertThat(wire.send("GET", "/payments/q", "", "").status()).isEqualTo(401);
        }
    }

    @Test
    void aNewPaymentIsInvisibleForTheLag() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory, "--sandbox.query-lag-ms=1500")) {
            Wire wire = sandbox.wire();
            wire.pay("lag", "close_paid");
            assertThat(wire.get("/payments/lag").status()).isEqualTo(404);
            assertThat(wire.money("lag")).contains("\"moved\":1,");
            await().atMost(Duration.ofSeconds(10)).until(() -> wire.get("/payments/lag").status() == 200);
        }
    }

    @Test
    void aQueryThatIsNotOfferedIsNotAnsweredAsNotFound() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory, "--sandbox.query=BY_ID")) {
            sandbox.wire().pay("i", "ok");
            assertThat(sandbox.wire().get("/payments/i").status()).isEqualTo(405);
            assertThat(sandbox.wire().get("/payments/by-id/sbx_000000000001").status()).isEqualTo(200);
        }
        try (SandboxRun sandbox = SandboxRun.start(directory, "--sandbox.query=NONE")) {
            assertThat(sandbox.wire().get("/payments/by-id/sbx_000000000001").status()).isEqualTo(405);
        }
    }

    @Test
    void theQueryMisbehavesAsItsWordSays() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory)) {
            Wire wire = sandbox.wire();
            assertThat(answers(wire, "query_notfound_then_ok")).containsExactly("404", "404", "200 SUCCEEDED");
            assertThat(answers(wire, "query_500_then_ok")).containsExactly("500", "500", "200 SUCCEEDED");
            assertThat(answers(wire, "query_429_then_ok")).containsExactly("429", "429", "200 SUCCEEDED");
            assertThat(answers(wire, "query_403")).containsExactly("403", "403", "403");
            assertThat(answers(wire, "query_notfound")).containsExactly("404", "404", "404");
            assertThat(answers(wire, "query_notfound_paid")).containsExactly("404", "404", "404");
            assertThat(answers(wire, "query_unknown_word")).containsOnly("200 EXPIRED_RESERVED");
            assertThat(answers(wire, "query_reversed")).containsOnly("200 REVERSED");
            assertThat(answers(wire, "query_flapping")).containsExactly("200 PENDING", "404", "200 SUCCEEDED");
        }
    }

    @Test
    void aPendingPaymentEndsAfterTheLag() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory, "--sandbox.pending-ms=1500")) {
            Wire wire = sandbox.wire();
            assertThat(wire.pay("p1", "pending_202").text()).startsWith("HTTP/1.1 202").contains("PENDING");
            assertThat(wire.pay("p2", "pending_then_declined").text()).startsWith("HTTP/1.1 202").contains("PENDING");
            assertThat(wire.get("/payments/p1").body()).contains("PENDING");
            assertThat(wire.get("/payments/p2").body()).contains("PENDING");
            await().atMost(Duration.ofSeconds(10)).until(() -> wire.get("/payments/p1").body().contains("SUCCEEDED")
                    && wire.get("/payments/p2").body().contains("DECLINED"));
        }
    }

    @Test
    void theConfigurationChoosesForRequestsThatNameNothing() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory, "--sandbox.behaviour=html_502_paid")) {
            assertThat(sandbox.wire().pay("c1", null).status()).isEqualTo(502);
            assertThat(sandbox.wire().pay("c2", "ok").status()).isEqualTo(200);
        }
    }

    private static List<String> answers(Wire wire, String word) throws IOException {
        wire.pay(word, word);
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Wire.Reply reply = wire.get("/payments/" + word);
            String status = reply.body().replaceAll(".*\"status\":\"(\\w+)\".*", " $1");
            answers.add(reply.status() + (status.startsWith(" ") ? status : ""));
        }
        return answers;
    }
}
