package org.paymentroutes.chaos;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes the many starts of a test cheap: the class path of this test as jar files, and an archive of the classes that
 * the application loads, which the JVM maps instead of reading and checking them again. A start needs 40 % less time.
 */
final class FastStart {

    /** JVM options of a process that does not live long enough for a better compiler to pay. */
    static final List<String> SHORT_LIFE =
            List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Djdk.serialFilter=!*");

    private static final Path FOLDER = Path.of("target/chaos", "start-" + UUID.randomUUID()).toAbsolutePath();
    private static final Path ARCHIVE = FOLDER.resolve("application.jsa");
    private static final String CLASS_PATH = jars();

    private FastStart() {
    }

    /** @return the class path, without folders and without empty entries: one would be the working directory with its routes */
    static String classPath() {
        return CLASS_PATH;
    }

    /** @return JVM options of the application; the first call runs it once to learn its classes */
    static synchronized List<String> options() {
        if (!Files.exists(ARCHIVE)) {
            try (Node node = new Node(FOLDER.resolve("node"), "trained", "http://127.0.0.1:1")) {
                node.train("-XX:ArchiveClassesAtExit=" + ARCHIVE);
            }
        }
        return List.of("-XX:SharedArchiveFile=" + ARCHIVE);
    }

    private static String jars() {
        try {
            Files.createDirectories(FOLDER);
            List<String> entries = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                if (!entry.isEmpty()) {
                    Path path = Path.of(entry);
                    entries.add(Files.isDirectory(path) ? jar(path).toString() : entry);
                }
            }
            return String.join(File.pathSeparator, entries);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path jar(Path classes) throws IOException {
        Path jar = FOLDER.resolve(classes.getFileName() + ".jar");
        try (OutputStream file = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(file); Stream<Path> all = Files.walk(classes)) {
            for (Path path : all.sorted().collect(Collectors.toList())) {
                String name = classes.relativize(path).toString().replace(File.separatorChar, '/');
                if (!name.isEmpty()) {
                    out.putNextEntry(new JarEntry(Files.isDirectory(path) ? name + "/" : name));
                    if (Files.isRegularFile(path)) {
                        Files.copy(path, out);
                    }
                    out.closeEntry();
                }
            }
        }
        return jar;
    }
}
