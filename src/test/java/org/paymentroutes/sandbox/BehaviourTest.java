package org.paymentroutes.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a behaviour's documentation says of the money is what the books say after one POST over a real socket; and the
 * words that known faults of real services go by all exist.
 */
class BehaviourTest {

    private static final List<String> WORDS_OF_KNOWN_FAULTS = List.of("unavailable_503_paid", "locktimeout_429_paid",
            "unavailable_503_day_paid", "unavailable_503_date_paid", "redirect_302", "redirect_307", "redirect_308",
            "html_502_paid", "truncated_length_paid", "truncated_chunk_paid", "truncated_gzip_paid", "truncated_close_paid",
            "html_200_paid", "json_maintenance_200", "empty_200_paid", "huge_body_paid", "duplicate_json_key_paid",
            "no_content_204_paid", "no_content_204_gzip_paid", "accepted_202_empty_paid", "pending_202", "declined_200",
            "internal_in_json_paid", "timed_out_in_json_paid", "unknown_status", "trickle_paid", "close_paid", "/slow_paid/5",
            "/slow_paid/60", "ok", "slow_unpaid", "conflict_409_inprogress_paid", "already_captured_422_paid", "key_reused_400",
            "flaky", "query_notfound_then_ok", "query_403", "query_notfound", "query_reversed");

    @TempDir
    static Path directory;
    private static SandboxRun sandbox;

    @BeforeAll
    static void start() {
        sandbox = SandboxRun.start(directory);
    }

    @AfterAll
    static void stop() {
        sandbox.close();
    }

    @ParameterizedTest
    @EnumSource
    void theBooksSayWhatTheDocumentationSays(Behaviour behaviour) throws IOException {
        String reference = "doc-" + behaviour.word();
        try {
            sandbox.wire().pay(reference, behaviour.word());
        } catch (SocketException reset) {
            assertThat(behaviour).isEqualTo(Behaviour.RESET_PAID);
        }
        int moved = behaviour.execution().moves() ? 1 : 0;
        assertThat(sandbox.wire().money(reference)).contains("\"received\":1,\"moved\":" + moved + ",")
                .contains("\"behaviour\":\"" + behaviour.word() + "\"");
    }

    @ParameterizedTest
    @EnumSource
    void theNameDoesNotLieAboutTheMoney(Behaviour behaviour) {
        if (behaviour.word().endsWith("_paid")) {
            assertThat(behaviour.execution().moves()).isTrue();
        }
        if (behaviour.word().endsWith("_unpaid")) {
            assertThat(behaviour.execution().moves()).isFalse();
        }
        assertThat(behaviour.meaning()).endsWith(".");
    }

    @Test
    void everyKnownFaultCanBePlayed() {
        assertThat(WORDS_OF_KNOWN_FAULTS).allSatisfy(word -> assertThat(Script.parse(word)).isNotNull());
        assertThat(Script.parse("/slow_paid/60")).isEqualTo(new Script(Behaviour.SLOW_PAID, 60)).hasToString("slow_paid/60");
    }

    @Test
    void anUnknownWordIsNamedWithAllThatAreAllowed() {
        assertThatThrownBy(() -> Script.parse("nonsense")).hasMessageContaining("found 'nonsense'").hasMessageContaining("close_paid");
        assertThatThrownBy(() -> Script.parse("slow_paid/x")).hasMessageContaining("0 to 86400");
    }

    @Test
    void theMixGivesTheSameBehaviourForTheSameSeedAndReference() {
        BehaviourMix mix = new BehaviourMix("ok:80, close_paid:20", 7);
        long closed = 0;
        for (int i = 0; i < 10_000; i++) {
            Script script = mix.choose("ref-" + i);
            assertThat(new BehaviourMix("ok:80,close_paid:20", 7).choose("ref-" + i)).isEqualTo(script);
            closed += script.behaviour() == Behaviour.CLOSE_PAID ? 1 : 0;
        }
        assertThat(closed).isBetween(1_700L, 2_300L);
        assertThatThrownBy(() -> new BehaviourMix("ok:0", 1)).hasMessageContaining("sandbox.mix");
    }
}
