package org.paymentroutes.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paymentroutes.sandbox.Wire.Reply;

/** Each fault is on the wire as it is named: the bytes are read from a plain socket. */
class SandboxFaultsTest {

    @TempDir
    static Path directory;
    private static SandboxRun sandbox;
    private static Wire wire;

    @BeforeAll
    static void start() {
        sandbox = SandboxRun.start(directory);
        wire = sandbox.wire();
    }

    @AfterAll
    static void stop() {
        sandbox.close();
    }

    @Test
    void okIsACompleteAnswerAboutOurPayment() throws IOException {
        Reply reply = wire.pay("ok-1", "ok");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.body()).matches("\\{\"id\":\"sbx_[0-9]{12}\",\"reference\":\"ok-1\",\"status\":\"SUCCEEDED\",\"amount\":1234,\"currency\":\"EUR\"}");
        assertThat(promised(reply)).isEqualTo(reply.bodyBytes().length);
    }

    @Test
    void closeSendsNoByteAndResetIsAReset() throws IOException {
        assertThat(wire.pay("close-1", "close_paid").bytes()).isEmpty();
        assertThatThrownBy(() -> wire.pay("reset-1", "reset_paid")).isInstanceOf(SocketException.class);
    }

    @Test
    void truncatedAnswersEndEarlyEachInItsOwnWay() throws IOException {
        Reply length = wire.pay("cut-1", "truncated_length_paid");
        assertThat(length.bodyBytes().length).isPositive().isLessThan(promised(length));

        Reply chunk = wire.pay("cut-2", "truncated_chunk_paid");
        assertThat(chunk.head()).contains("Transfer-Encoding: chunked");
        int chunkSize = Integer.parseInt(chunk.body().substring(0, chunk.body().indexOf("\r\n")), 16);
        assertThat(chunk.bodyBytes().length).isLessThan(chunkSize);

        Reply close = wire.pay("cut-3", "truncated_close_paid");
        assertThat(close.head()).contains("Connection: close").doesNotContain("Content-Length").doesNotContain("chunked");
        assertThat(close.body()).startsWith("{\"id\"").doesNotContain("}");

        Reply gzip = wire.pay("cut-4", "truncated_gzip_paid");
        assertThat(promised(gzip)).isEqualTo(gzip.bodyBytes().length);
        assertThatThrownBy(() -> new GZIPInputStream(new ByteArrayInputStream(gzip.bodyBytes())).readAllBytes())
                .isInstanceOf(EOFException.class);
    }

    @Test
    void slowAndTricklingAnswersTakeTheirTime() throws IOException {
        long start = System.nanoTime();
        assertThat(wire.pay("slow-1", "slow_paid/1").status()).isEqualTo(200);
        assertThat(System.nanoTime() - start).isGreaterThan(1_000_000_000L);

        start = System.nanoTime();
        Reply trickle = wire.pay("trickle-1", "trickle_paid");
        assertThat(trickle.body()).contains("SUCCEEDED");
        assertThat(System.nanoTime() - start).isGreaterThan(trickle.bodyBytes().length * 1_000_000L);
        assertThat(wire.pay("slow-2", "slow_unpaid").bytes()).isEmpty();
    }

    @Test
    void theHugeBodyHasFiftyMegabytes() throws IOException {
        Reply reply = wire.pay("huge-1", "huge_body_paid");
        assertThat(reply.bodyBytes()).hasSize(50 * 1024 * 1024);
        assertThat(reply.bytes()[reply.bytes().length - 1]).isEqualTo((byte) '}');
    }

    @Test
    void answersWithoutOrWithWrongContent() throws IOException {
        assertThat(wire.pay("no-1", "no_content_204_paid").text()).startsWith("HTTP/1.1 204").doesNotContain("Content-Length");
        Reply gzip = wire.pay("no-2", "no_content_204_gzip_paid");
        assertThat(gzip.head()).startsWith("HTTP/1.1 204").contains("Content-Encoding: gzip", "Content-Length: 20");
        assertThat(wire.pay("no-3", "accepted_202_empty_paid").text()).startsWith("HTTP/1.1 202").contains("Content-Length: 0");
        assertThat(wire.pay("no-4", "duplicate_json_key_paid").body()).contains("\"status\":\"DECLINED\",\"status\":\"SUCCEEDED\"");
        assertThat(wire.pay("no-5", "null_status").body()).contains("\"status\":null");
        assertThat(wire.pay("no-6", "missing_status").body()).doesNotContain("status");
        assertThat(wire.pay("no-7", "wrong_amount_paid").body()).contains("\"amount\":1235");
        assertThat(wire.pay("no-8", "wrong_currency_paid").body()).contains("\"currency\":\"USD\"");
        assertThat(wire.pay("no-9", "other_reference_paid").body()).doesNotContain("no-9");
        assertThat(wire.pay("no-10", "declined_402").text()).startsWith("HTTP/1.1 402").contains("\"code\":\"insufficient_funds\"");
    }

    @Test
    void retryAfterComesInEveryForm() throws IOException {
        assertThat(wire.pay("ra-1", "unavailable_503_paid").head()).doesNotContain("Retry-After");
        assertThat(wire.pay("ra-2", "unavailable_503_day_paid").head()).contains("Retry-After: 86400");
        assertThat(wire.pay("ra-3", "unavailable_503_date_paid").head()).containsPattern("Retry-After: \\w{3}, \\d\\d \\w{3} \\d{4} [\\d:]{8} GMT");
        assertThat(wire.pay("ra-4", "unavailable_503_retry_after_paid/9").head()).contains("Retry-After: 2", "Retry-After: 4");
        assertThat(wire.pay("ra-5", "locktimeout_429_paid").head()).startsWith("HTTP/1.1 429").contains("Retry-After: 1");
    }

    @Test
    void whoFollowsARedirectPaysTwice() throws IOException {
        Reply reply = wire.pay("re-1", "redirect_307");
        assertThat(reply.status()).isEqualTo(307);
        assertThat(reply.head()).contains("Location: /redirected?reference=re-1");
        assertThat(wire.money("re-1")).contains("\"moved\":1,");
        assertThat(wire.send("POST", "/redirected?reference=re-1", "", Wire.order("re-1", 1234, null)).status()).isEqualTo(200);
        assertThat(wire.money("re-1")).contains("\"received\":2,\"moved\":2,");
        assertThat(wire.get("/redirected?reference=re-1").body()).contains("SUCCEEDED");
        assertThat(wire.get("/_money").body()).contains("\"moved_twice\":1");
    }

    @Test
    void eachTwoPaymentsShareAProviderId() throws IOException {
        String first = wire.pay("same-1", "same_provider_id").body();
        String second = wire.pay("same-2", "same_provider_id").body();
        String third = wire.pay("same-3", "same_provider_id").body();
        assertThat(id(second)).isEqualTo(id(first));
        assertThat(id(third)).isNotEqualTo(id(first));
    }

    @Test
    void badRequestsAreRefusedAndBookNothing() throws IOException {
        String auth = "Authorization: Bearer " + Wire.TOKEN + "\r\n";
        assertThat(wire.send("POST", "/payments", "", Wire.order("bad-1", 1, null)).status()).isEqualTo(401);
        assertThat(wire.send("POST", "/payments", "Authorization: Bearer other\r\n", Wire.order("bad-1", 1, null)).status()).isEqualTo(401);
        assertThat(wire.send("POST", "/payments", auth, Wire.order("bad-1", 0, null)).status()).isEqualTo(400);
        assertThat(wire.send("POST", "/payments", auth, Wire.order("bad-1", 1, "nonsense")).body()).contains("behaviour: found 'nonsense'");
        assertThat(wire.send("POST", "/payments", auth, "{\"reference\":\"bad-1\",\"reference\":\"bad-1\"}").status()).isEqualTo(400);
        assertThat(wire.send("POST", "/payments", auth, "").status()).isEqualTo(400);
        assertThat(wire.get("/_money/bad-1").status()).isEqualTo(404);
    }

    private static String id(String body) {
        return body.substring(0, body.indexOf(','));
    }

    private static int promised(Reply reply) {
        Matcher matcher = Pattern.compile("Content-Length: (\\d+)").matcher(reply.head());
        assertThat(matcher.find()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }
}
