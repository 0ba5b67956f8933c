package org.paymentroutes.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.paymentroutes.PaymentRoutesApplication;
import org.paymentroutes.embedded.EmbeddedDatabase;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Whatever is wrong with a configuration, the console says it once and clearly, and shows no stack trace. */
@ExtendWith(OutputCaptureExtension.class)
class StartErrorsIT {

    @TempDir
    private static Path folder;
    private static EmbeddedDatabase database;

    @BeforeAll
    static void startDatabase() {
        database = EmbeddedDatabase.start(folder.resolve("postgres"));
    }

    @AfterAll
    static void stopDatabase() {
        database.close();
    }

    @Test
    void yamlThatCannotBeReadIsNamedByFileAndLine(CapturedOutput output) throws IOException {
        refused(output, provider("  description: Asks the sandbox for a payment by our reference.", "   description: a: b"),
                "broken.camel.yaml", "line   " + line("description: Asks the sandbox"), "mapping values are not allowed here");
    }

    @Test
    void aStepThatDoesNotExistIsNamedByFileAndLine(CapturedOutput output) throws IOException {
        refused(output, provider("        - setHeader:", "        - setHeaderr:"), "broken.camel.yaml",
                "line   " + line("- setHeader:"), "setHeaderr");
    }

    @Test
    void aTemplateThatDoesNotExistIsNamed(CapturedOutput output) throws IOException {
        refused(output, provider("routeTemplateRef: attempt", "routeTemplateRef: atempt"), "atempt");
    }

    @Test
    void aPropertyThatIsNotSetIsNamed(CapturedOutput output) throws IOException {
        refused(output, provider("{{providers.sandbox.query-interval-ms}}", "{{providers.sandbox.query-intervall}}"),
                "query-sandbox", "Property with key [providers.sandbox.query-intervall] not found");
    }

    @Test
    void aFolderThatDoesNotExistIsNamed(CapturedOutput output) {
        refused(output, "file:" + folder.resolve("nowhere") + "/*.camel.yaml", "payment-routes.provider-routes", "there is no", "nowhere");
    }

    @Test
    void aPortInUseIsNamed(CapturedOutput output) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"))) {
            refused(output, "file:routes/providers/*.camel.yaml", List.of("--server.port=" + taken.getLocalPort()),
                    "Port " + taken.getLocalPort() + " was already in use");
        }
    }

    @Test
    void aUserThatTheDatabaseDoesNotKnowIsRefusedAtOnce(CapturedOutput output) {
        refused(output, "file:routes/providers/*.camel.yaml",
                List.of("--spring.datasource.url=" + database.url().replaceAll("user=postgres", "user=nobody")),
                "spring.datasource.username and spring.datasource.password", "nobody");
    }

    @Test
    void aDatabaseThatStaysAwayIsSaidOnceForEachTry(CapturedOutput output) {
        refused(output, "file:routes/providers/*.camel.yaml",
                List.of("--spring.datasource.url=jdbc:postgresql://127.0.0.1:9/payments", "--payment-routes.database-wait=1s",
                        "--spring.datasource.hikari.connection-timeout=500"),
                "Waiting for the database at jdbc:postgresql://127.0.0.1:9/payments", "did not answer within 1 s");
    }

    @Test
    void theDemoIsRefusedWithAConfiguredDatabase(CapturedOutput output) {
        refused(output, "file:routes/providers/*.camel.yaml", List.of("--demo.enabled=true"),
                "demo.enabled=true is refused");
    }

    /** Number of the first line of the sandbox's file with this text, from 1. */
    private static int line(String text) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("routes/providers/sandbox.camel.yaml"));
        return IntStream.range(0, lines.size()).filter(i -> lines.get(i).contains(text)).findFirst().orElseThrow() + 1;
    }

    private static String provider(String from, String to) throws IOException {
        String yaml = Files.readString(Path.of("routes/providers/sandbox.camel.yaml"));
        assertThat(yaml).contains(from);
        Path file = Files.createTempDirectory(folder, "routes").resolve("broken.camel.yaml");
        Files.writeString(file, yaml.replace(from, to));
        return "file:" + file;
    }

    private static void refused(CapturedOutput output, String routes, String... texts) {
        refused(output, routes, List.of(), texts);
    }

    private static void refused(CapturedOutput output, String routes, List<String> more, String... texts) {
        List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--spring.jmx.enabled=false",
                "--spring.datasource.url=" + database.url(), "--spring.artemis.broker-url=tcp://127.0.0.1:9",
                "--payment-routes.fingerprint-key=0123456789abcdef0123456789abcdef", "--providers.sandbox.url=http://127.0.0.1:9",
                "--payment-routes.security.users.shop.password={bcrypt}$2a$05$dSvGyCKO.vGgqjaida/SGOrlZiFZgz7CledAp8aJqiEPPqcwjd80O",
                "--payment-routes.security.users.shop.roles=caller", "--payment-routes.provider-routes=" + routes));
        // Two arguments of one name would be joined.
        more.forEach(argument -> arguments.removeIf(earlier -> earlier.startsWith(argument.substring(0, argument.indexOf('=') + 1))));
        arguments.addAll(more);

        assertThatThrownBy(() -> new SpringApplicationBuilder(PaymentRoutesApplication.class).main(PaymentRoutesApplication.class)
                .run(arguments.toArray(String[]::new)).close()).isNotNull();

        assertThat(output.getAll()).contains(texts).doesNotContain("\tat ");
        assertThat(output.getAll().split("APPLICATION FAILED TO START", -1)).hasSize(2);
    }
}
