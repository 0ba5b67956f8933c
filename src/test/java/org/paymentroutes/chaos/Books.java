package org.paymentroutes.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.paymentroutes.sandbox.SandboxApplication;
import org.paymentroutes.support.JavaProcess;

/**
 * The provider: a process of its own that is never killed, with its own books on disk. It knows no idempotency: every
 * request that reaches it moves money, so that a second one cannot hide.
 */
final class Books implements AutoCloseable {

    /** What came of one of our keys: requests that arrived, and how often money moved. */
    record Entry(int received, int moved) {
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final JavaProcess process;
    private final String url;

    private Books(JavaProcess process) {
        this.process = process;
        this.url = process.awaitReady();
    }

    static Books open(Path folder) {
        return new Books(JavaProcess.of(SandboxApplication.class,
                List.of("--sandbox.books=" + folder.resolve("books.ndjson"), "--sandbox.idempotency=NONE", "--sandbox.pending-ms=500",
                        "--sandbox.settlement-directory=" + folder.resolve("settlement")))
                .jvm(FastStart.SHORT_LIFE).classPath(FastStart.classPath()).readyAt("sandbox: ").start(folder.resolve("provider.log")));
    }

    String url() {
        return url;
    }

    /** @return the entries by our key */
    Map<String, Entry> entries() {
        try {
            HttpResponse<String> answer = http.send(HttpRequest.newBuilder(URI.create(url + "/_money")).build(),
                    HttpResponse.BodyHandlers.ofString());
            Map<String, Entry> entries = new HashMap<>();
            for (JsonNode payment : JSON.readTree(answer.body()).path("payments")) {
                entries.put(payment.path("reference").asText(),
                        new Entry(payment.path("received").asInt(), payment.path("moved").asInt()));
            }
            return entries;
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        process.kill();
    }
}
