package org.paymentroutes.flow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.paymentroutes.wire.WireProvider;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * Providers beside the sandbox, each one a YAML file as a deployer would write it, made from the two templates in
 * src/test/resources/routes. Each has a wire of its own, so that their tests do not disturb each other.
 */
final class FlowProviders implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    /** Cannot be asked; talks to the sandbox. */
    static final String BLIND = "blind";
    /** Scripted, with short waits and a review that is asked about often. */
    static final String PATIENT = "patient";
    /** Scripted, with three workers, a long deadline and a poll every minute. */
    static final String FEW = "few";
    /** Scripted, at most five claims a second. */
    static final String RATED = "rated";
    /** Scripted, with a circuit that opens after two failures. */
    static final String FRAGILE = "fragile";

    /** Scripted, with webhooks as the public cases have them; nothing is asked about for minutes. */
    static final String HOOKED = "hooked";

    /** As hooked, with signed forms as Alipay sends them. */
    static final String FORMED = "formed";
    /** As hooked, with several signed events in one delivery as Adyen may send them. */
    static final String LISTED = "listed";
    /** As hooked, with several events under one signature. */
    static final String BATCHED = "batched";
    /** Signs for {@link #FORMED}. */
    static final KeyPair FORM_KEYS = rsa();
    /** Signs for {@link #LISTED}, where it is hex, and for {@link #BATCHED}. */
    static final String LIST_SECRET = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";

    /** One secret on each line; read again while the application runs. */
    static final Path WEBHOOK_SECRETS = Path.of("target", "flow-routes", "hooked.secrets");
    /** The secret of the public cases. */
    static final String WEBHOOK_SECRET = "whsec_invented_for_tests_only";

    private static final Path FOLDER = Path.of("target", "flow-routes");
    private static final Map<String, WireProvider> WIRES = new LinkedHashMap<>();

    private static final Map<String, String> DEFAULTS = Map.ofEntries(Map.entry("workers", "8"),
            Map.entry("deadlineMs", "1500"), Map.entry("leaseMs", "3000"), Map.entry("ratePerSecond", "0"),
            Map.entry("sendTimeLimitMs", "600000"), Map.entry("circuitFailurePercent", "100"),
            Map.entry("circuitWindow", "1000"), Map.entry("circuitOpenMs", "1000"), Map.entry("pollMs", "100"),
            Map.entry("queryBy", "REFERENCE"), Map.entry("quietMs", "300"), Map.entry("delaysMs", "200,400,800"),
            Map.entry("timeLimitMs", "1000"), Map.entry("reviewDelayMs", "500"), Map.entry("webhook", ""),
            Map.entry("webhookRoute", ""));

    /** @return the wire of a scripted provider; one for the whole JVM */
    static synchronized WireProvider wire(String name) {
        return WIRES.computeIfAbsent(name, unused -> {
            try {
                return new WireProvider();
            }
            catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** @return the routes-include pattern of all provider files; they are written by this call */
    static String routes() {
        write(BLIND, "sandbox.url", Map.of("queryBy", "NONE", "timeLimitMs", "500"));
        write(PATIENT, "flow.patient.url", Map.of());
        write(FEW, "flow.few.url", Map.of("workers", "3", "deadlineMs", "20000", "leaseMs", "30000", "pollMs", "60000"));
        write(RATED, "flow.rated.url", Map.of("ratePerSecond", "5"));
        write(FRAGILE, "flow.fragile.url", Map.of("circuitFailurePercent", "50", "circuitWindow", "2", "circuitOpenMs", "1500",
                "workers", "1"));
        writeHooked(HOOKED, "webhook.contract");
        writeHooked(FORMED, "webhook-form.contract");
        writeHooked(LISTED, "webhook-list.contract");
        writeHooked(BATCHED, "webhook-batch.contract");
        return "classpath:routes/providers/*.camel.yaml,classpath:routes/sandbox/*.camel.yaml,file:" + FOLDER + "/*.camel.yaml";
    }

    /** @return the properties that name the wires */
    static Map<String, Object> addresses() {
        Map<String, Object> addresses = new LinkedHashMap<>();
        for (String name : new String[] {PATIENT, FEW, RATED, FRAGILE, HOOKED, FORMED, LISTED, BATCHED}) {
            addresses.put("flow." + name + ".url", wire(name).url());
        }
        addresses.put("flow.hooked.secret", "file:" + WEBHOOK_SECRETS);
        addresses.put("flow.formed.key", Base64.getEncoder().encodeToString(FORM_KEYS.getPublic().getEncoded()));
        addresses.put("flow.listed.secret", LIST_SECRET);
        return addresses;
    }

    private static KeyPair rsa() {
        try {
            return KeyPairGenerator.getInstance("RSA").generateKeyPair();
        }
        catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has RSA", e);
        }
    }

    private static void writeHooked(String name, String contract) {
        write(name, "flow." + name + ".url", Map.of("quietMs", "600000", "delaysMs", "600000", "timeLimitMs", "600000",
                "webhook", text(contract), "webhookRoute", text("webhook.route")));
    }

    private static void write(String name, String url, Map<String, String> options) {
        Map<String, String> values = new LinkedHashMap<>(DEFAULTS);
        values.putAll(options);
        values.put("name", name);
        values.put("url", url);
        try {
            String text = template("send") + (values.get("queryBy").equals("NONE") ? "" : template("query"));
            for (Map.Entry<String, String> value : values.entrySet()) {
                text = text.replace("@" + value.getKey() + "@", value.getValue());
            }
            Files.createDirectories(FOLDER);
            Files.writeString(FOLDER.resolve(name + ".camel.yaml"), text);
            Files.writeString(WEBHOOK_SECRETS, WEBHOOK_SECRET + "\n");
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(String name) {
        try {
            return template(name);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String template(String name) throws IOException {
        try (var in = FlowProviders.class.getResourceAsStream("/routes/" + name + ".template.yaml")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        Map<String, Object> properties = addresses();
        properties.put("payment-routes.provider-routes", routes());
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("flow-providers", properties));
    }
}
