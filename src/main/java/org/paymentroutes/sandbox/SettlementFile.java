package org.paymentroutes.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes settlement files: one row for each movement of money, with totals, balances or payouts as the format has them, and
 * with faults on demand. A file gets its name only when it is whole.
 */
final class SettlementFile {

    private final SandboxBooks books;
    private final Path directory;
    private final AtomicInteger sequence = new AtomicInteger();

    SettlementFile(SandboxBooks books, Path directory) {
        this.books = books;
        this.directory = directory;
    }

    /**
     * Writes all that moved at or after {@code from} and before {@code to}.
     *
     * @return the file
     * @throws UncheckedIOException when it cannot be written
     */
    Path write(Instant from, Instant to, SettlementFormat format, SettlementFault fault) {
        List<SettlementLine> lines = books.movesBetween(from.toEpochMilli(), to.toEpochMilli());
        int number = sequence.incrementAndGet();
        SettlementContent content = new SettlementContent(fault.rows(lines), fault.counted(lines), from, to, number);
        return save(fault.bytes(format.bytes(content)), "sandbox-settlement-" + to.toString().replaceAll("[:.]", "") + "-" + number
                + "." + format.extension());
    }

    private Path save(byte[] content, String name) {
        try {
            Files.createDirectories(directory);
            Path part = Files.write(directory.resolve(name + ".part"), content);
            return Files.move(part, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("sandbox.settlement-directory: cannot write to " + directory, e);
        }
    }
}
