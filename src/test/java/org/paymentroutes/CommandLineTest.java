package org.paymentroutes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A mistyped command is told in one line and starts nothing. */
class CommandLineTest {

    @ParameterizedTest
    @ValueSource(strings = {"--provider.explain", "--providers.explain=yes", "--providers-explain", "explain", "--explain", "--Providers.Explain",
        "--archive.restore", "--archive.restore=", "--archives.restore=x.json", "--restore=x.json", "-h", "restore", "sandbx", "", "--",
        "--providers.explain --archive.restore=x.json", "--server.port=1 sandbox"})
    void aMistypedCommandIsRefused(String arguments) {
        assertThat(CommandLine.refusal(arguments.split(" "))).isNotBlank().doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--providers.explain", "--providers.explain=true --providers.acme.url=x", "--archive.restore=x.json", "sandbox --sandbox.port=1",
        "--demo.exit", "--server.port=1 --debug", "--payment-routes.after-restore=true", "--payment-routes.archive.folder=x"})
    void whatIsMeantIsTaken(String arguments) {
        assertThat(CommandLine.refusal(arguments.split(" "))).isNull();
    }
}
