package org.paymentroutes.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events of the sandbox: signed, and sent again until somebody says yes. */
class SandboxWebhooksTest {

    @TempDir
    Path directory;

    private record Event(String signature, String body) {
    }

    @Test
    void anEventIsSignedAndSentAgainUntilItIsTaken() throws IOException {
        List<Event> events = new CopyOnWriteArrayList<>();
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/hook", exchange -> {
            events.add(new Event(exchange.getRequestHeaders().getFirst("Sandbox-Signature"),
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
            exchange.sendResponseHeaders(events.size() < 3 ? 500 : 204, -1);
            exchange.close();
        });
        receiver.start();
        String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook";
        try (SandboxRun sandbox = SandboxRun.start(directory, "--sandbox.webhook.url=" + url, "--sandbox.webhook.secret=s3")) {
            sandbox.wire().pay("w", "close_paid");
            sandbox.wire().pay("w", "close_paid");
            await().atMost(Duration.ofSeconds(15)).until(() -> events.size() == 3);
            await().during(Duration.ofSeconds(1)).atMost(Duration.ofSeconds(5)).until(() -> events.size() == 3);
            Event last = events.get(2);
            assertThat(last.body()).isEqualTo(events.get(0).body())
                    .contains("\"event_id\":\"evt_w_1\",\"type\":\"payment.succeeded\"", "\"reference\":\"w\",\"status\":\"SUCCEEDED\"");
            long time = Long.parseLong(last.signature().substring(2, last.signature().indexOf(',')));
            assertThat(last.signature()).isEqualTo(SandboxWebhooks.signature("s3", time, last.body()));
        } finally {
            receiver.stop(0);
        }
    }

    @Test
    void theSignatureIsTheOneThatAnybodyCanCompute() {
        assertThat(SandboxWebhooks.signature("secret", 1_700_000_000L, "{}"))
                .isEqualTo("t=1700000000,v1=b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163");
    }
}
