package org.paymentroutes.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Java process of ours with the class path of this one. */
final class ChildProcess implements AutoCloseable {

    private final Process process;

    private ChildProcess(Process process) {
        this.process = process;
    }

    static ChildProcess start(Path log, List<String> jvmOptions, String mainClass, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        if (log != null) {
            // Away from the project's own folder of routes, which would be found beside those on the class path.
            builder.directory(log.toAbsolutePath().getParent().toFile());
            builder.redirectOutput(log.toFile());
        }
        return new ChildProcess(builder.start());
    }

    /** Waits for a line that starts with the text, and returns the rest of it. */
    String awaitLine(String start) {
        BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        try {
            String line;
            while ((line = output.readLine()) != null) {
                if (line.startsWith(start)) {
                    return line.substring(start.length()).strip();
                }
            }
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("the process ended without saying: " + start);
    }

    /** CPU time that the process has used, in milliseconds. */
    long cpuMillis() {
        return process.info().totalCpuDuration().orElseThrow().toMillis();
    }

    /** The most memory that the process has used, in megabytes, as Linux counts it. */
    long peakMegabytes() throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream().filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024).findFirst().orElse(0);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
