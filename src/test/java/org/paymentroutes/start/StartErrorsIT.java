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
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.paymentroutes.PaymentRoutesApplication;
import org.paymentroutes.embedded.EmbeddedDatabase;
import org.paymentroutes.provider.ProviderReload;
import org.paymentroutes.provider.Providers;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

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
    void aBrokenFileOfTheApplicationItselfIsNamedByFileAndLine(CapturedOutput output) throws IOException {
        Path file = Files.createTempDirectory(folder, "core").resolve("own.camel.yaml");
        Files.writeString(file, "- route:\n    id: own\n    from:\n      uri: direct:own\n      steps:\n        - setHeaderr:\n            name: x\n");
        refused(output, "file:routes/providers/*.camel.yaml",
                List.of("--payment-routes.core-routes=classpath:routes/core/*.camel.yaml,classpath:routes/templates/*.camel.yaml,file:" + file),
                "own.camel.yaml", "line   6", "setHeaderr");
    }

    @Test
    void aBrokenProviderFileStopsItsOwnProviderOnlyAndIsLoadedWhenMended(CapturedOutput output) throws IOException {
        Path routes = Files.createTempDirectory(folder, "routes");
        Map<String, String> expected = new TreeMap<>();
        broken(routes, "syntax", "  description: Asks the syntax for a payment by our reference.", "   description: a: b",
                "line " + line("description: Asks the sandbox") + ": mapping values are not allowed here", expected);
        broken(routes, "step", "        - setHeader:", "        - setHeaderr:", "line " + line("- setHeader:"), expected);
        broken(routes, "template", "routeTemplateRef: attempt", "routeTemplateRef: atempt",
                "line " + line("routeTemplateRef: attempt") + ": found template atempt, which does not exist", expected);
        broken(routes, "parameter", "      - name: connectTimeoutMs", "      - name: conectTimeoutMs",
                "line " + line("name: connectTimeoutMs") + ": found parameter conectTimeoutMs, template provider-http has answerHeaders, authorization", expected);
        broken(routes, "property", "{{providers.sandbox.query-interval-ms}}", "{{providers.sandbox.query-intervall}}",
                "line " + line("query-interval-ms") + ": route query-property: Property with key [providers.sandbox.query-intervall] not found", expected);
        broken(routes, "option", "uri: direct:option-query", "uri: direct:option-query?tries=3", "line ", expected);
        broken(routes, "twice", "name: twice-request", "name: twice", "found a second bean twice, the first is in line 2", expected);
        broken(routes, "stolen", "name: stolen-request", "name: sandbox-request", "bean sandbox-request: this name is in use", expected);
        broken(routes, "ids", "routeId: query-ids", "routeId: query-sandbox", "route query-sandbox: this id is in use", expected);
        broken(routes, "key", "        refunds: true", "        refunds: true\n        refunds: false", "found duplicate key refunds", expected);
        broken(routes, "java", "org.paymentroutes.provider.RequestTemplate", "org.paymentroutes.provider.RequestTemplat",
                "org.paymentroutes.provider.RequestTemplat", expected);
        Files.writeString(routes.resolve("empty.camel.yaml"), "# nothing yet\n");
        expected.put("empty", "found an empty file");

        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(PaymentRoutesApplication.class)
                .main(PaymentRoutesApplication.class).run(arguments(
                        "file:routes/providers/*.camel.yaml,file:" + routes + "/*.camel.yaml", List.of()))) {
            Providers providers = application.getBean(Providers.class);
            JdbcTemplate jdbc = new JdbcTemplate(application.getBean(DataSource.class));
            CamelContext camel = application.getBean(CamelContext.class);
            assertThat(providers.names()).containsExactly("sandbox");
            assertThat(providers.refusals().keySet()).isEqualTo(expected.keySet());
            expected.forEach((name, text) -> {
                assertThat(providers.refusals().get(name)).startsWith("File " + routes.resolve(name + ".camel.yaml") + ", provider " + name + ": ")
                        .contains(text).doesNotContain("\n");
                assertThat(providers.isRefused(name)).isTrue();
                assertThat(jdbc.queryForList("select detail from alert where kind = 'CONTRACT_REFUSED' and subject = ? and cleared_at is null",
                        String.class, name)).containsExactly(providers.refusals().get(name));
                assertThat(output.getAll().split("go on. File \\S+, provider " + name + ": ", -1)).as(name).hasSize(2);
            });
            assertThat(output.getAll()).doesNotContain("\tat ", "FAILED TO START");
            assertThat(camel.getRoutes()).allSatisfy(route -> assertThat(route.getRouteId()).doesNotMatch(".*(" + String.join("|", expected.keySet()) + ").*"));
            assertThat(List.of("outbox-sandbox", "query-sandbox", "sandbox-submit")).allSatisfy(id ->
                    assertThat(camel.getRouteController().getRouteStatus(id).isStarted()).isTrue());

            ProviderReload reload = application.getBean(ProviderReload.class);
            for (String name : expected.keySet()) {
                assertThatThrownBy(() -> reload.reload(name)).hasMessageContaining(expected.get(name));
                Files.writeString(routes.resolve(name + ".camel.yaml"), sandboxAs(name));
                assertThat(reload.reload(name).provider()).isEqualTo(name);
                assertThat(camel.getRouteController().getRouteStatus("outbox-" + name).isStarted()).isTrue();
                assertThat(providers.isRefused(name)).isFalse();
            }
            assertThat(providers.refusals()).isEmpty();
            assertThat(jdbc.queryForObject("select count(*) from alert where kind = 'CONTRACT_REFUSED' and cleared_at is null", Integer.class)).isZero();
            assertThat(camel.getRouteController().getRouteStatus("query-sandbox").isStarted()).isTrue();
        }
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

    private static String sandboxAs(String name) throws IOException {
        return Files.readString(Path.of("routes/providers/sandbox.camel.yaml")).replaceAll("(?<![{.])\\bsandbox\\b(?!\\.)", name);
    }

    private static void broken(Path routes, String name, String from, String to, String message, Map<String, String> expected) throws IOException {
        String yaml = sandboxAs(name);
        assertThat(yaml).contains(from);
        Files.writeString(routes.resolve(name + ".camel.yaml"), yaml.replaceFirst(Pattern.quote(from), Matcher.quoteReplacement(to)));
        expected.put(name, message);
    }

    private static void refused(CapturedOutput output, String routes, String... texts) {
        refused(output, routes, List.of(), texts);
    }

    private static void refused(CapturedOutput output, String routes, List<String> more, String... texts) {
        assertThatThrownBy(() -> new SpringApplicationBuilder(PaymentRoutesApplication.class).main(PaymentRoutesApplication.class)
                .run(arguments(routes, more)).close()).isNotNull();

        assertThat(output.getAll()).contains(texts).doesNotContain("\tat ");
        assertThat(output.getAll().split("APPLICATION FAILED TO START", -1)).hasSize(2);
    }

    private static String[] arguments(String routes, List<String> more) {
        List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--spring.jmx.enabled=false",
                "--spring.datasource.url=" + database.url(), "--spring.artemis.broker-url=tcp://127.0.0.1:9",
                "--payment-routes.fingerprint-key=0123456789abcdef0123456789abcdef", "--providers.sandbox.url=http://127.0.0.1:9",
                "--payment-routes.security.users.shop.password={bcrypt}$2a$05$dSvGyCKO.vGgqjaida/SGOrlZiFZgz7CledAp8aJqiEPPqcwjd80O",
                "--payment-routes.security.users.shop.roles=caller", "--payment-routes.provider-routes=" + routes));
        // Two arguments of one name would be joined.
        more.forEach(argument -> arguments.removeIf(earlier -> earlier.startsWith(argument.substring(0, argument.indexOf('=') + 1))));
        arguments.addAll(more);
        return arguments.toArray(String[]::new);
    }
}
