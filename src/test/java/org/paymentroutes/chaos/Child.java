package org.paymentroutes.chaos;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A Java process that prints lines; its output goes to a log file. */
final class Child {

    private final Process process;
    private final Path log;
    private final String marker;
    private final CompletableFuture<String> ready = new CompletableFuture<>();

    private Child(Process process, Path log, String marker) {
        this.process = process;
        this.log = log;
        this.marker = marker;
    }

    /**
     * @param log       file for its output, appended to
     * @param marker    how the line begins that says it is ready; the rest of that line is {@link #awaitReady}
     * @param jvm       more options of its JVM
     * @param overrides folder that stands before everything on its class path; null for none
     */
    static Child start(Path log, String marker, Path overrides, List<String> jvm, Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Djdk.serialFilter=!*"));
        command.addAll(jvm);
        command.addAll(List.of("-cp", classPath(overrides), main.getName()));
        command.addAll(arguments);
        try {
            Files.createDirectories(log.getParent());
            Child child = new Child(new ProcessBuilder(command).redirectErrorStream(true).start(), log, marker);
            Thread reader = new Thread(child::read, "chaos-log");
            reader.setDaemon(true);
            reader.start();
            return child;
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String classPath(Path overrides) {
        return (overrides == null ? "" : overrides + File.pathSeparator) + FastStart.classPath();
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                BufferedWriter file = Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                file.write(line);
                file.newLine();
                file.flush();
                if (line.startsWith(marker)) {
                    ready.complete(line.substring(marker.length()).strip());
                }
            }
        }
        catch (IOException e) {
            // A killed process may end in the middle of a line.
        }
        ready.completeExceptionally(new IllegalStateException("the process ended before it was ready; see " + log));
    }

    /** @return what stands behind the marker */
    String awaitReady() {
        try {
            return ready.get(90, TimeUnit.SECONDS);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        catch (Exception e) {
            throw new IllegalStateException("not ready: " + e.getMessage() + "; log " + log, e);
        }
    }

    /** @return whether it became ready, rather than ended before */
    boolean becameReady() {
        try {
            ready.get(90, TimeUnit.SECONDS);
            return true;
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    /** Arms a failpoint in it. */
    void arm(Failpoint failpoint) {
        try {
            process.getOutputStream().write((failpoint + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return its exit code, or -1 when it is still alive after that time */
    int awaitEnd(long milliseconds) {
        try {
            return process.waitFor(milliseconds, TimeUnit.MILLISECONDS) ? process.exitValue() : -1;
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    boolean alive() {
        return process.isAlive();
    }

    /** {@code kill -9}; returns when it is gone. */
    void kill() {
        process.destroyForcibly();
        awaitEnd(20_000);
    }

    /** {@code kill -9} without waiting. */
    void killNow() {
        process.destroyForcibly();
    }

    /** Sends it a signal by name, such as CONT. */
    void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** @return whether it is stopped, as after SIGSTOP */
    boolean stopped() {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        }
        catch (IOException e) {
            return false;
        }
    }

    /** Stops it in an orderly way. Process.destroy() would also end its input, which ends it at once. */
    void stop() {
        signal("TERM");
        if (awaitEnd(60_000) < 0) {
            kill();
        }
    }
}
