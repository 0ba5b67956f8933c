package org.paymentroutes.sandbox;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.context.ConfigurableApplicationContext;

/** The sandbox as its own application with its real routes, at timings fit for a test. */
final class SandboxRun implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    private SandboxRun(ConfigurableApplicationContext context) {
        this.context = context;
    }

    static SandboxRun start(Path directory, String... options) {
        // The same option twice would be read as a list, so a default gives way to the test's own value.
        Map<String, String> values = new LinkedHashMap<>(Map.of("sandbox.books", directory.resolve("books.ndjson").toString(),
                "sandbox.settlement-directory", directory.resolve("settlement").toString(), "sandbox.slow-ms", "50",
                "sandbox.trickle-ms", "1", "sandbox.pending-ms", "300"));
        for (String option : options) {
            String[] parts = option.substring(2).split("=", 2);
            values.put(parts[0], parts[1]);
        }
        List<String> arguments = new ArrayList<>();
        values.forEach((name, value) -> arguments.add("--" + name + "=" + value));
        return new SandboxRun(SandboxApplication.start(arguments.toArray(String[]::new)));
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    String url() {
        return context.getBean(SandboxLifecycle.class).url();
    }

    Wire wire() {
        return new Wire(url());
    }

    @Override
    public void close() {
        context.close();
    }
}
