package org.paymentroutes.support;

import java.io.BufferedReader;
import java.io.BufferedWriter;
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

/** A Java process of ours that can be killed; its output goes to a log file, and one line of it says that it is ready. */
public final class JavaProcess implements AutoCloseable {

    private final Process process;
    private final Path log;
    private final CompletableFuture<String> ready = new CompletableFuture<>();

    private JavaProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** @return how to start this class: with the class path of this process, in its folder, without further JVM options */
    public static Start of(Class<?> main, List<String> arguments) {
        return new Start(main, arguments);
    }

    /** How a process is started. */
    public static final class Start {

        private final Class<?> main;
        private final List<String> arguments;
        private final List<String> jvm = new ArrayList<>();
        private String classPath = System.getProperty("java.class.path");
        private Path folder;
        private String marker;

        private Start(Class<?> main, List<String> arguments) {
            this.main = main;
            this.arguments = arguments;
        }

        /** Adds options of its JVM. */
        public Start jvm(List<String> options) {
            jvm.addAll(options);
            return this;
        }

        /** Takes another class path. */
        public Start classPath(String entries) {
            classPath = entries;
            return this;
        }

        /** Takes another working directory. */
        public Start in(Path directory) {
            folder = directory;
            return this;
        }

        /** Names the beginning of the line that says it is ready; the rest of that line is {@link #awaitReady}. */
        public Start readyAt(String lineStart) {
            marker = lineStart;
            return this;
        }

        /** @param log file for its output, appended to */
        public JavaProcess start(Path log) {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(jvm);
            command.addAll(List.of("-cp", classPath, main.getName()));
            command.addAll(arguments);
            try {
                Files.createDirectories(log.toAbsolutePath().getParent());
                JavaProcess started = new JavaProcess(new ProcessBuilder(command).redirectErrorStream(true)
                        .directory(folder == null ? null : folder.toFile()).start(), log);
                Thread reader = new Thread(() -> started.read(marker), "log-of-" + main.getSimpleName());
                reader.setDaemon(true);
                reader.start();
                return started;
            }
            catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void read(String marker) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                BufferedWriter file = Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                file.write(line);
                file.newLine();
                file.flush();
                if (marker != null && line.startsWith(marker)) {
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
    public String awaitReady() {
        try {
            return ready.get(180, TimeUnit.SECONDS);
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
    public boolean becameReady() {
        try {
            ready.get(180, TimeUnit.SECONDS);
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

    /** Writes a line to its standard input. */
    public void tell(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return its exit code, or -1 when it is still alive after that time */
    public int awaitEnd(long milliseconds) {
        try {
            return process.waitFor(milliseconds, TimeUnit.MILLISECONDS) ? process.exitValue() : -1;
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** @return whether it has not ended */
    public boolean alive() {
        return process.isAlive();
    }

    /** {@code kill -9} without waiting. */
    public void killNow() {
        process.destroyForcibly();
    }

    /** {@code kill -9}; returns when it is gone. */
    public void kill() {
        killNow();
        awaitEnd(20_000);
    }

    @Override
    public void close() {
        kill();
    }

    /** Sends it a signal by name, such as CONT. */
    public void signal(String name) {
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
    public boolean stopped() {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        }
        catch (IOException e) {
            return false;
        }
    }

    /** Stops it in an orderly way. Process.destroy() would also end its input, which ends it at once. */
    public void stop() {
        signal("TERM");
        if (awaitEnd(60_000) < 0) {
            kill();
        }
    }

    /** @return CPU time that the process has used, in milliseconds */
    public long cpuMillis() {
        return process.info().totalCpuDuration().orElseThrow().toMillis();
    }

    /** @return the most memory that the process has used, in megabytes, as Linux counts it */
    public long peakMegabytes() throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream().filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024).findFirst().orElse(0);
    }
}
