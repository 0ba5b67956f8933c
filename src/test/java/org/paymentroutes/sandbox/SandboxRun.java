package org.paymentroutes.sandbox;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;

/** The sandbox as its own application with its real routes, at timings fit for a test. */
final class SandboxRun implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    private SandboxRun(ConfigurableApplicationContext context) {
        this.context = context;
    }

    static SandboxRun start(Path directory, String... options) {
        List<String> arguments = new ArrayList<>(List.of("--sandbox.books=" + directory.resolve("books.ndjson"),
                "--sandbox.settlement-directory=" + directory.resolve("settlement"), "--sandbox.slow-ms=50",
                "--sandbox.trickle-ms=1", "--sandbox.pending-ms=300", "--spring.main.register-shutdown-hook=false"));
        arguments.addAll(List.of(options));
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
