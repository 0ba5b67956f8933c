package org.paymentroutes.flow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.paymentroutes.support.TestClock;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** A provider file for each contract of routes/examples/contracts.md, all of them served by the sandbox; its own; and one that is refused. */
final class ContractProviders implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    /** Its contract is refused at the start. */
    static final String UNSAFE = "unsafe";

    private static final Path FOLDER = Path.of("target", "contract-routes");
    private static final Pattern EXAMPLE = Pattern.compile("(?s)\n## ([a-z-]+)\n.*?```yaml\n(.*?)```");
    private static final String COMMON = """
            send.workers: 4
            send.deadlineMs: 2500
            send.leaseMs: 20000
            send.backoffBaseMs: 50
            send.backoffCapMs: 200
            send.circuitFailurePercent: 100
            send.circuitWindow: 1000
            send.pollMs: 50
            query.jitter: 0
            submitAnswers.succeeded: 200 SUCCEEDED
            submitAnswers.accepted: 202 PENDING
            submitAnswers.rejected: 200 DECLINED, 402 DECLINED
            submitAnswers.notExecuted: 429 rate_limited
            submitAnswers.hints: 422 ORDER_ALREADY_CAPTURED, 409 request_in_progress
            queryAnswers.succeeded: 200 SUCCEEDED
            queryAnswers.rejected: 200 DECLINED
            queryAnswers.accepted: 200 PENDING
            queryAnswers.notFound: 404 not_found
            """;

    /** @return the options of each example, by its name */
    static Map<String, String> examples() {
        Map<String, String> examples = new TreeMap<>();
        try {
            Matcher example = EXAMPLE.matcher(Files.readString(Path.of("routes/examples/contracts.md")));
            while (example.find()) {
                examples.put(example.group(1), example.group(2));
            }
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return examples;
    }

    /** Writes the file of a provider with these options beside the common ones. */
    static Path write(String name, String options) {
        Map<String, String> properties = new LinkedHashMap<>();
        (COMMON + options).lines().forEach(line -> properties.put(line.substring(0, line.indexOf(':')), line));
        StringBuilder contract = new StringBuilder();
        properties.values().forEach(line -> contract.append("        ").append(line).append('\n'));
        boolean byId = options.contains("PROVIDER_ID");
        try (var in = ContractProviders.class.getResourceAsStream("/routes/contract.template.yaml")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("@contract@\n", contract.toString()).replace("@name@", name)
                    .replace("@keyHeader@", sendsKey(name) ? "Idempotency-Key" : "X-Not-Sent")
                    .replace("@path@", byId ? "payments/by-id/${variable.payment[provider_payment_id]}" : "payments/${variable.payment[provider_key]}");
            Files.createDirectories(FOLDER);
            return Files.writeString(FOLDER.resolve(name + ".camel.yaml"), text);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without it the sandbox moves money with each request. */
    private static boolean sendsKey(String name) {
        return !name.matches("wechat-like|mpesa-like|blind|small-amounts");
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        examples().forEach(ContractProviders::write);
        write(UNSAFE, "account: unsafe-main\nsend.leaseMs: 1500\n");
        Map<String, Object> properties = new LinkedHashMap<>(TestClock.properties());
        properties.put("payment-routes.provider-routes", "classpath:routes/sandbox/*.camel.yaml,classpath:routes/providers/*.camel.yaml,file:" + FOLDER + "/*.camel.yaml");
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("contract-providers", properties));
    }
}
