package org.paymentroutes.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Sends some hundreds of payments over the API to a provider that misbehaves in every way known, waits until they have
 * settled, and shows what became of them beside the provider's own books.
 */
@Component
@ConditionalOnProperty("demo.enabled")
class Demo {

    private final DemoProperties options;
    private final ServletWebServerApplicationContext application;
    private final Path data;

    Demo(DemoProperties options, ServletWebServerApplicationContext application, @Value("${payment-routes.data:data}") Path data) {
        this.options = options;
        this.application = application;
        this.data = data;
    }

    @EventListener(ApplicationReadyEvent.class)
    void start() {
        Thread thread = new Thread(this::run, "demo");
        thread.start();
    }

    private void run() {
        int status;
        try {
            status = play() ? 0 : 1;
        }
        catch (IOException | ExecutionException | IllegalStateException e) {
            say("demo: stopped: " + e.getMessage());
            status = 1;
        }
        catch (InterruptedException e) {
            return;
        }
        if (options.exits()) {
            int end = status;
            System.exit(SpringApplication.exit(application, () -> end));
        }
    }

    private boolean play() throws IOException, InterruptedException, ExecutionException {
        String address = "http://localhost:" + application.getWebServer().getPort();
        String password = Files.readString(data.resolve("credentials")).strip();
        DemoClient client = new DemoClient(address, application.getEnvironment().getRequiredProperty("sandbox.url"), "caller", password);

        // A run that was cut off goes on: the same keys return the same payments.
        Path unfinished = data.resolve("demo-run");
        boolean goesOn = Files.exists(unfinished);
        String run = goesOn ? Files.readString(unfinished).strip() : "demo-" + Long.toString(System.currentTimeMillis(), 36);
        Files.writeString(unfinished, run);
        List<String> behaviours = DemoScript.behaviours(options.payments());
        say("");
        say("demo: " + (goesOn ? "going on with" : "sending") + " " + behaviours.size()
                + " payments to a provider that misbehaves in every way known");

        List<String> ids = send(client, run, behaviours);
        settle(client, run, ids, behaviours);
        String file = client.settlementFile(application.getEnvironment().getRequiredProperty("providers.sandbox.credential"));
        say(new DemoSettlement(application.getBean(JdbcTemplate.class)).report(file, options.waitSeconds()));
        // What the file tells has settled more of them.
        List<DemoPayment> payments = look(client, run, ids, behaviours);
        DemoReport report = new DemoReport(payments);
        say("");
        report.table().forEach(Demo::say);
        say("");
        say("  API       " + address + "/api/payments   (user caller, or viewer, operator, approver, admin)");
        say("  OpenAPI   " + address + "/api/openapi.json");
        say("  Hawtio    " + address + "/actuator/hawtio   (user operator)");
        say("  Metrics   " + address + "/actuator/prometheus");
        say("  Password  of all users: " + data.resolve("credentials"));
        say("");
        say(report.line());
        Files.deleteIfExists(unfinished);
        return report.movedTwice() == 0 && report.lost() == 0;
    }

    private static List<String> send(DemoClient client, String run, List<String> behaviours) throws InterruptedException, ExecutionException {
        ExecutorService senders = Executors.newFixedThreadPool(8);
        try {
            List<Future<String>> accepted = new ArrayList<>();
            for (int i = 0; i < behaviours.size(); i++) {
                int number = i;
                accepted.add(senders.submit(() -> client.pay(run + "-" + number, 1000 + number, behaviours.get(number))));
            }
            List<String> ids = new ArrayList<>();
            for (Future<String> id : accepted) {
                ids.add(id.get());
            }
            return ids;
        }
        finally {
            senders.shutdownNow();
        }
    }

    private List<DemoPayment> settle(DemoClient client, String run, List<String> ids, List<String> behaviours)
            throws IOException, InterruptedException {
        long until = System.nanoTime() + options.waitSeconds() * 1_000_000_000L;
        while (true) {
            List<DemoPayment> payments = look(client, run, ids, behaviours);
            long settled = payments.stream().filter(DemoPayment::settled).count();
            long unknown = payments.stream().filter(payment -> "UNKNOWN".equals(payment.state())).count();
            say(String.format("demo: %3d of %d settled, %d in doubt", settled, payments.size(), unknown));
            if (settled == payments.size() || System.nanoTime() > until) {
                return payments;
            }
            Thread.sleep(2000);
        }
    }

    private static List<DemoPayment> look(DemoClient client, String run, List<String> ids, List<String> behaviours)
            throws IOException, InterruptedException {
        Map<String, JsonNode> known = client.payments(run);
        // After the states: what settled meanwhile can only have moved before.
        Map<String, Integer> moved = client.moved();
        List<DemoPayment> payments = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            JsonNode payment = known.get(ids.get(i));
            payments.add(new DemoPayment(ids.get(i), behaviours.get(i), payment == null ? null : payment.path("state").asText(),
                    payment == null ? 0 : payment.path("attemptCount").asInt(), moved.getOrDefault(ids.get(i).replace("-", ""), 0),
                    payment == null ? null : payment.path("reason").asText()));
        }
        return payments;
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
