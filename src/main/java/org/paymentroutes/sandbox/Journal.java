package org.paymentroutes.sandbox;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * An append-only file of lines that are on disk before anybody is told of them.
 *
 * <p>Threads that wait at the same time share one write and one force: the first becomes the writer, the others wait for
 * it, and whatever was appended meanwhile goes with the next round.
 */
final class Journal implements Closeable {

    private final FileChannel channel;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition written = lock.newCondition();
    private ByteArrayOutputStream pending = new ByteArrayOutputStream(1 << 16);
    private ByteArrayOutputStream spare = new ByteArrayOutputStream(1 << 16);
    private long appended;
    private long durable;
    private boolean writing;
    private IOException failure;

    private Journal(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Opens or creates the file, cuts off a last line without its end, and gives every whole line to {@code reader}.
     *
     * @throws IllegalStateException when another process has the file open
     * @throws UncheckedIOException when the file cannot be read or written
     */
    static Journal open(Path file, Consumer<String> reader) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                lockAlone(channel, file);
                long end = JournalReader.read(channel, reader);
                channel.truncate(end);
                channel.position(end);
                channel.force(true);
                return new Journal(channel);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("sandbox.books: cannot open " + file, e);
        }
    }

    private static void lockAlone(FileChannel channel, Path file) throws IOException {
        FileLock alone;
        try {
            alone = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            alone = null;
        }
        if (alone == null) {
            throw new IllegalStateException("sandbox.books: " + file + " is in use by another sandbox; give each its own file");
        }
    }

    /** Adds a line (with its line end) and returns the position to wait for. Not durable yet. */
    long append(byte[] line) {
        lock.lock();
        try {
            pending.writeBytes(line);
            return ++appended;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns when everything up to {@code position} is on disk.
     *
     * @throws UncheckedIOException when it could not be written; the journal accepts nothing more then, because what is
     *     on disk is no longer known
     */
    void await(long position) {
        lock.lock();
        try {
            while (durable < position) {
                if (failure != null) {
                    throw new UncheckedIOException("sandbox.books: not written", failure);
                }
                if (writing) {
                    written.awaitUninterruptibly();
                } else {
                    writeRound();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** {@link #await} for everything that was appended until now. */
    void awaitAll() {
        lock.lock();
        try {
            await(appended);
        } finally {
            lock.unlock();
        }
    }

    private void writeRound() {
        ByteArrayOutputStream round = pending;
        long last = appended;
        pending = spare;
        writing = true;
        lock.unlock();
        IOException problem = null;
        try {
            ByteBuffer bytes = ByteBuffer.wrap(round.toByteArray());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(false);
        } catch (IOException e) {
            problem = e;
        }
        lock.lock();
        round.reset();
        spare = round;
        writing = false;
        if (problem == null) {
            durable = last;
        } else {
            failure = problem;
        }
        written.signalAll();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
