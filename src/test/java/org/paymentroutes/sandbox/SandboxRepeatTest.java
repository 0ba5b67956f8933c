package org.paymentroutes.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paymentroutes.sandbox.Wire.Reply;
import org.paymentroutes.support.AtOnce;

/** What a second request does under each promise that a provider can make. */
class SandboxRepeatTest {

    @TempDir
    Path directory;

    @Test
    void aKnownKeyMovesNothingAndLearnsTheTruth() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory)) {
            Wire wire = sandbox.wire();
            wire.pay("a", "close_paid");
            Reply again = wire.pay("a", "close_paid");
            assertThat(again.body()).contains("\"reference\":\"a\",\"status\":\"SUCCEEDED\"");
            assertThat(wire.money("a")).contains("\"received\":2,\"moved\":1,");

            assertThat(wire.pay("a", "a", 999, null).status()).isEqualTo(400);
            assertThat(wire.money("a")).contains("\"received\":3,\"moved\":1,");

            assertThat(wire.pay("b", "stored_500_paid").status()).isEqualTo(500);
            assertThat(wire.pay("b", "stored_500_paid").status()).isEqualTo(500);
            assertThat(wire.money("b")).contains("\"received\":2,\"moved\":1,");

            assertThat(wire.pay("c", "declined_200").body()).isEqualTo(wire.pay("c", "declined_200").body()).contains("DECLINED");
            assertThat(wire.money("c")).contains("\"received\":2,\"moved\":0,\"status\":\"DECLINED\"");
        }
    }

    @Test
    void aRequestThatWasLostIsExecutedTheSecondTime() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory)) {
            Wire wire = sandbox.wire();
            for (String word : List.of("close_unpaid", "unavailable_503_unpaid", "throttled_429_unpaid", "json_maintenance_200", "slow_unpaid")) {
                wire.pay(word, word);
                assertThat(wire.money(word)).contains("\"moved\":0,\"status\":\"NOT_EXECUTED\"");
                assertThat(wire.get("/payments/" + word).status()).isEqualTo(404);
                assertThat(wire.pay(word, word).body()).contains("SUCCEEDED");
                assertThat(wire.pay(word, word).body()).contains("SUCCEEDED");
                assertThat(wire.money(word)).contains("\"received\":3,\"moved\":1,");
            }
            wire.pay("never", "key_reused_400");
            assertThat(wire.pay("never", "key_reused_400").status()).isEqualTo(400);
            assertThat(wire.money("never")).contains("\"received\":2,\"moved\":0,");
        }
    }

    @Test
    void aFlakyProviderIgnoresTheKeyItTook() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory)) {
            Wire wire = sandbox.wire();
            assertThat(wire.pay("f", "flaky").status()).isEqualTo(503);
            assertThat(wire.pay("f", "flaky").status()).isEqualTo(200);
            assertThat(wire.money("f")).contains("\"received\":2,\"moved\":2,");
        }
    }

    @Test
    void withoutIdempotencyEachRequestMovesMoney() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory, "--sandbox.idempotency=NONE")) {
            sandbox.wire().pay("n", "close_paid");
            sandbox.wire().pay("n", "close_paid");
            assertThat(sandbox.wire().money("n")).contains("\"received\":2,\"moved\":2,");
        }
    }

    @Test
    void aUniqueNumberIsRefusedTheSecondTime() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory, "--sandbox.idempotency=UNIQUE_NUMBER")) {
            sandbox.wire().pay("u", "close_paid");
            Reply again = sandbox.wire().pay("u", "other-key", 1234, "ok");
            assertThat(again.status()).isEqualTo(409);
            assertThat(again.body()).contains("duplicate_number");
            assertThat(sandbox.wire().money("u")).contains("\"received\":2,\"moved\":1,");
        }
    }

    @Test
    void aKeyThatTheProviderForgotMovesMoneyAgain() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory, "--sandbox.key-lifetime-ms=1000")) {
            Wire wire = sandbox.wire();
            wire.pay("k", "ok");
            wire.pay("k", "ok");
            assertThat(wire.money("k")).contains("\"received\":2,\"moved\":1,");
            await().atMost(Duration.ofSeconds(10)).until(() -> {
                wire.pay("k", "ok");
                return wire.money("k").contains("\"moved\":2,");
            });
        }
    }

    @Test
    void manyRequestsAtOnceMoveMoneyOncePerKey() throws Exception {
        try (SandboxRun sandbox = SandboxRun.start(directory)) {
            List<Callable<Reply>> calls = IntStream.range(0, 640)
                    .<Callable<Reply>>mapToObj(i -> () -> sandbox.wire().pay("r" + i % 40, "ok")).toList();
            for (Reply reply : AtOnce.all(32, calls)) {
                assertThat(reply.body()).contains("SUCCEEDED");
            }
            assertThat(sandbox.wire().get("/_money").body()).endsWith("\"totals\":{\"payments\":40,\"received\":640,\"moved\":40,\"moved_twice\":0}}");
        }
    }
}
