package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.paymentroutes.flow.RouteFiles.Route;

/**
 * Rules that every YAML route obeys, so that defaults of Camel that lose or double money cannot apply. The numbers are
 * those of docs/red-list.md.
 */
class RedListTest {

    private static final Set<String> FORBIDDEN_STEPS = Set.of("toD", "threads", "circuitBreaker", "idempotentConsumer", "resequence",
            "saga", "delay", "loop", "recipientList", "dynamicRouter", "routingSlip", "multicast", "onException", "onFallback", "enrich",
            "poll", "pollEnrich", "rollback", "unmarshal", "throttle");
    private static final Pattern PARAMETER = Pattern.compile(":\\?(\\$\\{[^}]+}|[A-Za-z][A-Za-z0-9_]*)");

    static Stream<Route> routes() {
        return RouteFiles.routes().stream();
    }

    static Stream<Path> files() {
        return RouteFiles.files().stream();
    }

    static Stream<Path> statements() throws IOException {
        return Files.list(Path.of("src/main/resources/sql")).sorted();
    }

    @Test
    void r36ADuplicateKeyIsRefused(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("twice.yaml"), "- route:\n    id: r\n    id: r2\n");
        assertThatThrownBy(() -> RouteFiles.read(file)).hasMessageContaining("duplicate key id");
        assertThat(RouteFiles.files()).isNotEmpty().allSatisfy(RouteFiles::read);
    }

    @ParameterizedTest
    @MethodSource("files")
    void eachFileFitsTheSchemaOfTheDsl(Path file) throws IOException {
        try (InputStream in = getClass().getResourceAsStream("/schema/camelYamlDsl.json")) {
            Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_4)
                    .getSchema(new String(in.readAllBytes(), StandardCharsets.UTF_8), InputFormat.JSON);
            String json = new ObjectMapper().writeValueAsString(RouteFiles.read(file));
            // A property in double braces may stand for a number.
            assertThat(schema.validate(json, InputFormat.JSON)).filteredOn(error -> !error.getInstanceNode().asText().startsWith("{{"))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void r34EachRouteNamesAPolicyThatExistsAndExplainsItself(Route route) {
        Set<Object> policies = RouteFiles.top("routeConfiguration").stream().map(policy -> policy.get("id")).collect(Collectors.toSet());
        assertThat(policies).doesNotContainNull();
        assertThat(route.id()).isNotBlank();
        assertThat(policies).contains(route.body().get("routeConfigurationId"));
        assertThat((String) route.body().get("description")).endsWith(".");
        assertThat(route.body().get("errorHandler")).as("a policy of its own").isNull();
    }

    @ParameterizedTest
    @MethodSource("routes")
    void eachStepHasAnId(Route route) {
        assertThat((String) route.from().get("id")).isNotBlank();
        RouteFiles.steps(route.body(), (word, members) -> assertThat(members).as("step %s of %s", word, route)
                .isNotNull().satisfies(step -> assertThat((String) step.get("id")).isNotBlank()));
    }

    @Test
    void r35EachInstanceOfATemplateNamesItsParametersAndNoOther() {
        Map<String, List<?>> templates = RouteFiles.top("routeTemplate").stream()
                .collect(Collectors.toMap(template -> (String) template.get("id"), template -> (List<?>) template.get("parameters")));
        assertThat(RouteFiles.top("templatedRoute")).isNotEmpty().allSatisfy(instance -> {
            List<?> declared = templates.get(instance.get("routeTemplateRef"));
            assertThat(declared).as(instance.toString()).isNotNull();
            List<Object> names = declared.stream().map(parameter -> (Object) ((Map<?, ?>) parameter).get("name")).toList();
            List<Object> needed = declared.stream().map(parameter -> (Map<?, ?>) parameter)
                    .filter(parameter -> !parameter.containsKey("defaultValue") && !Boolean.FALSE.equals(parameter.get("required")))
                    .map(parameter -> (Object) parameter.get("name")).toList();
            List<Object> given = ((List<?>) instance.get("parameters")).stream()
                    .map(parameter -> (Object) ((Map<?, ?>) parameter).get("name")).toList();
            assertThat(names).containsAll(given);
            assertThat(given).containsAll(needed);
            assertThat(instance.get("prefixId")).as("step ids of two providers are told apart").isEqualTo(instance.get("routeId") + "-");
        });
    }

    @ParameterizedTest
    @MethodSource("routes")
    void r02r04r05r15NoStepThatHidesRepeatsOrLeavesTheThread(Route route) {
        RouteFiles.steps(route.body(), (word, members) -> {
            assertThat(FORBIDDEN_STEPS).as("%s in %s", word, route).doesNotContain(word);
            if (word.equals("wireTap")) {
                assertThat(route.template()).as("the hand-over to an idle worker is the only one").isEqualTo("outbox");
            }
            if (word.equals("transacted")) {
                // r08, r09, r11, r12, r13: one route is one JMS transaction under a policy that is made in Java.
                assertThat(members.get("ref")).isEqualTo("JMS_TRANSACTION");
                assertThat(RouteFiles.endpoints(route.body())).noneMatch(endpoint -> endpoint.get("uri").toString().startsWith("sql:"));
            }
        });
        assertThat(RouteFiles.endpoints(route.body())).extracting(endpoint -> endpoint.get("uri").toString())
                .noneMatch(uri -> uri.startsWith("seda:") || uri.startsWith("disruptor:") || uri.startsWith("vm:"));
    }

    @Test
    void r06r07r10OnlyTheRecordingOfAnAnswerIsRepeatedAndReachesNoProvider() {
        for (Map<?, ?> policy : RouteFiles.top("routeConfiguration")) {
            boolean repeats = policy.toString().contains("redeliveryPolicy") && !policy.toString().contains("maximumRedeliveries=0");
            assertThat(repeats).as("%s repeats", policy.get("id")).isEqualTo(policy.get("id").equals("record-again"));
            assertThat(policy.toString()).doesNotContain("deadLetterChannel", "springTransactionErrorHandler");
            assertThat(policy.containsKey("onException")).as("%s handles", policy.get("id")).isEqualTo(policy.get("id").equals("next-tick"));
        }
        // A tick that is swallowed is followed by the next one; nothing else may be swallowed.
        assertThat(routes().filter(route -> "next-tick".equals(route.body().get("routeConfigurationId"))))
                .isNotEmpty().allMatch(route -> ((String) route.from().get("uri")).startsWith("quartz:"));
        List<Route> repeating = routes().filter(route -> "record-again".equals(route.body().get("routeConfigurationId"))).toList();
        assertThat(repeating).isNotEmpty();
        for (Route route : repeating) {
            assertThat(reachable(route)).as("endpoints behind %s", route).allMatch(uri -> uri.startsWith("sql:") || uri.startsWith("direct:record-"));
        }
    }

    private static Set<String> reachable(Route start) {
        Map<String, Route> byAddress = new LinkedHashMap<>();
        RouteFiles.routes().forEach(route -> byAddress.put((String) route.from().get("uri"), route));
        Set<String> seen = new LinkedHashSet<>();
        Deque<Route> next = new ArrayDeque<>(List.of(start));
        while (!next.isEmpty()) {
            for (Map<?, ?> endpoint : RouteFiles.endpoints(next.pop().from())) {
                String uri = (String) endpoint.get("uri");
                if (seen.add(uri) && byAddress.containsKey(uri)) {
                    next.push(byAddress.get(uri));
                }
            }
        }
        return seen;
    }

    @ParameterizedTest
    @MethodSource("routes")
    void r37EachChoiceHasAnOtherwise(Route route) {
        RouteFiles.steps(route.body(), (word, members) -> {
            if (word.equals("choice")) {
                assertThat(members.get("otherwise")).as("choice %s of %s", members.get("id"), route).isNotNull();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("routes")
    void eachSqlEndpointIsAFileWithExactlyItsParameters(Route route) throws IOException {
        for (Map<?, ?> endpoint : RouteFiles.endpoints(route.body())) {
            String uri = (String) endpoint.get("uri");
            if (!uri.startsWith("sql")) {
                continue;
            }
            assertThat(uri).matches("sql:classpath:sql/[a-z-]+\\.sql");
            Map<?, ?> options = RouteFiles.parameters(endpoint);
            assertThat(options.get("usePlaceholder")).as(uri).isEqualTo(false);
            String sql = text(Path.of("src/main/resources", uri.substring("sql:classpath:".length())));
            int count = (int) PARAMETER.matcher(sql).results().count();
            assertThat(options.get("parametersCount") == null ? 0 : options.get("parametersCount")).as(uri).isEqualTo(count);
            // r17: rows that a poll does not deliver would stay claimed. r20: a handled failure would count as done.
            assertThat(options.keySet()).extracting(Object::toString).doesNotContain("maxMessagesPerPoll", "onConsume",
                    "onConsumeFailed", "onConsumeBatchComplete", "transacted", "batch");
        }
        String from = (String) route.from().get("uri");
        if (from.startsWith("sql")) {
            // r16: the locks of a select end before its rows are used.
            String sql = text(Path.of("src/main/resources", from.substring("sql:classpath:".length())));
            assertThat(sql).contains("update payment", "for update of p skip locked", "limit ");
            assertThat(route.body().get("shutdownRunningTask")).as("r18").isEqualTo("CompleteAllTasks");
        }
    }

    @ParameterizedTest
    @MethodSource("statements")
    void noStatementIsBuiltFromText(Path file) throws IOException {
        String sql = text(file);
        assertThat(sql).doesNotContain("{{");
        assertThat(sql.replaceAll(PARAMETER.pattern(), "")).doesNotContain("${", "#");
    }

    @ParameterizedTest
    @MethodSource("routes")
    void r23r24r26r40OnlyTheTemplatesCallOverHttpAndNoEndpointHoldsASecret(Route route) {
        for (Map<?, ?> endpoint : RouteFiles.endpoints(route.body())) {
            String uri = (String) endpoint.get("uri");
            if (uri.startsWith("file:") || uri.equals("{{source}}")) {
                assertThat(route.template()).as("files enter by one template").isEqualTo("settlement");
                continue;
            }
            boolean http = !uri.matches("(direct|sql|jms|quartz):.*");
            assertThat(http).as(uri).isEqualTo(uri.equals("{{url}}"));
            if (http) {
                assertThat(route.template()).startsWith("provider-http");
            }
            RouteFiles.parameters(endpoint).keySet().forEach(name -> assertThat(name.toString())
                    .doesNotContainPattern("(?i)password|secret|token|auth|credential|user(?!Agent)"));
        }
    }

    @Test
    void r44r45r46AFileIsTakenWhenItIsStableAndLeavesOnlyWhenTheDatabaseHasIt() {
        List<Route> inboxes = routes().filter(route -> "settlement".equals(route.template())).toList();
        assertThat(inboxes).hasSize(1);
        Map<?, ?> options = RouteFiles.parameters(inboxes.get(0).from());
        assertThat(options.get("filter")).isEqualTo("#settlementStableFiles");
        assertThat(options.get("readLock")).isEqualTo("changed");
        assertThat(options.get("readLockMarkerFile")).as("a marker of a dead process would hold the file up").isEqualTo(false);
        assertThat(options.get("idempotent")).as("the database knows contents, not names").isEqualTo(false);
        assertThat((String) options.get("move")).contains("settlementFolder", "settlementTarget");
        assertThat(options.keySet()).extracting(Object::toString).doesNotContain("noop", "delete", "moveFailed", "preMove", "recursive");
    }

    @ParameterizedTest
    @MethodSource("routes")
    void r31r33r43EndpointsThatNeedAnOptionHaveIt(Route route) {
        String from = (String) route.from().get("uri");
        if (from.startsWith("quartz:")) {
            assertThat(RouteFiles.parameters(route.from()).get("stateful")).isEqualTo(true);
        }
        if (from.startsWith("jms:")) {
            assertThat(RouteFiles.parameters(route.from()).get("transacted")).isEqualTo(true);
        }
        RouteFiles.steps(route.body(), (word, members) -> {
            if (members != null && members.get("uri") instanceof String uri && uri.startsWith("jms:")) {
                assertThat(members.get("pattern")).as(uri).isEqualTo("InOnly");
            }
        });
    }

    @ParameterizedTest
    @MethodSource("routes")
    void r39NoJsonIsBuiltFromText(Route route) {
        RouteFiles.steps(route.body(), (word, members) -> {
            if (word.equals("setBody")) {
                assertThat(members.toString()).doesNotContain("{\"", "{'");
            }
            if (word.equals("removeHeader")) {
                assertThat(members.get("name")).as("removeHeader removes no pattern").isNotEqualTo("*");
            }
            if (word.equals("log")) {
                assertThat((String) members.get("message")).as("r41").doesNotContain("${body", "${header", "${exchange");
            }
        });
    }

    @Test
    void theDocumentSpeaksOfEachRowAndNamesTestsThatExist() throws IOException {
        String document = Files.readString(Path.of("docs/red-list.md"));
        List<String> rows = new ArrayList<>();
        Matcher row = Pattern.compile("(?m)^\\| R(\\d+) \\|").matcher(document);
        while (row.find()) {
            rows.add(row.group(1));
        }
        assertThat(rows).isEqualTo(IntStream.rangeClosed(1, 50).mapToObj(Integer::toString).toList());
        Matcher test = Pattern.compile("`([A-Z][A-Za-z]*(?:Test|IT))(?:\\.([a-z][A-Za-z0-9]*))?`").matcher(document);
        while (test.find()) {
            Path file;
            String name = test.group(1) + ".java";
            try (Stream<Path> sources = Files.walk(Path.of("src/test/java"))) {
                file = sources.filter(source -> source.getFileName().toString().equals(name)).findFirst().orElse(null);
            }
            assertThat(file).as(name).isNotNull();
            if (test.group(2) != null) {
                assertThat(Files.readString(file)).as(test.group()).contains("void " + test.group(2) + "(");
            }
        }
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file).replaceAll("(?m)--.*$", "");
    }
}
