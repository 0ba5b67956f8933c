package org.paymentroutes.chaos;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.paymentroutes.support.JavaProcess;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

/**
 * One data folder and the application process that runs on it: started, killed and started again on the same data.
 * Deadlines are short, so that a whole life of a payment, with its lease and its queries, takes some seconds.
 */
final class Node implements AutoCloseable {

    private final Path folder;
    private final String name;
    private final String provider;
    private final List<String> options;
    private final int brokerPort = freePort();
    private Path overrides;
    private JavaProcess child;

    /**
     * @param folder   where its data and its log are
     * @param name     its name in histories
     * @param provider address of the provider
     * @param options  more options of the application, each in place of one of the same name here
     */
    Node(Path folder, String name, String provider, String... options) {
        this.folder = folder;
        this.name = name;
        this.provider = provider;
        this.options = List.of(options);
    }

    /**
     * Another node on the database of the first one, with the users and the keys of that.
     *
     * @param first    a node that runs
     * @param folder   where its own data and log are
     * @param name     its name in histories
     * @param provider address of the provider
     * @param options  more options of the application
     */
    static Node beside(Node first, Path folder, String name, String provider, String... options) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("credentials"), first.password());
        List<String> all = new ArrayList<>(List.of("--spring.datasource.url=" + first.databaseUrl(),
                "--payment-routes.fingerprint-key=" + Files.readString(first.folder.resolve("fingerprint.key")).strip(),
                "--payment-routes.security.users.caller.password={bcrypt}" + new BCryptPasswordEncoder(4).encode(first.password()),
                "--payment-routes.security.users.caller.roles=caller"));
        all.addAll(List.of(options));
        return new Node(folder, name, provider, all.toArray(String[]::new));
    }

    /** From the next start, files of this folder stand in for those of the application. */
    void override(Path classPathFolder) {
        overrides = classPathFolder;
    }

    /** Starts it, with a failpoint armed from the first moment; null for none. */
    void start(Failpoint failpoint) {
        start(failpoint, FastStart.options());
    }

    /** Starts it with an option that makes the JVM learn, and stops it in an orderly way when it is ready. */
    void train(String option) {
        start(null, List.of(option));
        child.awaitReady();
        child.stop();
    }

    private void start(Failpoint failpoint, List<String> jvm) {
        List<String> arguments = new ArrayList<>(List.of(
                "--payment-routes.data=" + folder, "--payment-routes.node=" + name, "--server.port=0",
                "--chaos.broker-url=tcp://127.0.0.1:" + brokerPort,
                "--demo.enabled=false", "--sandbox.enabled=false", "--camel.main.jmx-enabled=false", "--spring.jmx.enabled=false",
                "--payment-routes.provider-routes=classpath:routes/providers/sandbox.camel.yaml",
                "--payment-routes.recovery-interval-ms=300",
                "--providers.sandbox.url=" + provider, "--providers.sandbox.deadline-ms=500", "--providers.sandbox.lease-ms=1500",
                "--providers.sandbox.quiet-ms=100", "--providers.sandbox.query-delays-ms=200,300,500",
                "--providers.sandbox.query-interval-ms=100", "--providers.sandbox.time-limit-ms=1500"));
        for (String option : options) {
            String named = option.substring(0, option.indexOf('=') + 1);
            arguments.removeIf(ours -> ours.startsWith(named));
            arguments.add(option);
        }
        if (failpoint != null) {
            arguments.add("--halt=" + failpoint);
        }
        String classPath = (overrides == null ? "" : overrides + File.pathSeparator) + FastStart.classPath();
        child = JavaProcess.of(ChaosApplication.class, arguments).jvm(FastStart.SHORT_LIFE).jvm(jvm).classPath(classPath)
                .readyAt("chaos: ready").start(folder.resolve("node.log"));
    }

    JavaProcess child() {
        return child;
    }

    Path folder() {
        return folder;
    }

    /** @return the address of its API; waits until it is ready */
    String api() {
        return "http://127.0.0.1:" + child.awaitReady();
    }

    /** @return the password of its users */
    String password() {
        try {
            return Files.readString(folder.resolve("credentials")).strip();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String brokerUrl() {
        return "tcp://127.0.0.1:" + brokerPort;
    }

    /** @return the JDBC address of its embedded database, which changes with each start */
    String databaseUrl() {
        try {
            String port = Files.readAllLines(folder.resolve("postgres/postmaster.pid")).get(3).strip();
            return "jdbc:postgresql://localhost:" + port + "/postgres?user=postgres";
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Connection database() throws SQLException {
        return DriverManager.getConnection(databaseUrl());
    }

    /** Stops it in an orderly way, or ends what a killed one has left behind. */
    @Override
    public void close() {
        if (child != null && child.alive()) {
            child.signal("CONT");
            child.stop();
        }
        Path postmaster = folder.resolve("postgres/postmaster.pid");
        try {
            if (Files.exists(postmaster)) {
                ProcessHandle.of(Long.parseLong(Files.readAllLines(postmaster).get(0).strip()))
                        .filter(server -> server.info().command().orElse("").contains("postgres")).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
