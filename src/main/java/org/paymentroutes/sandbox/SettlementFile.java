package org.paymentroutes.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes settlement files: one line for each movement of money, then one line {@code TOTAL} for each currency with the
 * number of lines, the sum of amounts and the sum of fees. A file gets its name only when it is whole.
 */
final class SettlementFile {

    private static final String HEADER = "id,reference,amount,currency,fee,booked_at\n";

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
    Path write(Instant from, Instant to) {
        List<SettlementLine> lines = books.movesBetween(from.toEpochMilli(), to.toEpochMilli());
        StringBuilder text = new StringBuilder(HEADER.length() + lines.size() * 100).append(HEADER);
        Map<String, BigInteger[]> totals = new TreeMap<>();
        for (SettlementLine line : lines) {
            text.append(line.id()).append(',').append(line.reference()).append(',').append(line.amount()).append(',')
                    .append(line.currency()).append(',').append(line.fee()).append(',')
                    .append(Instant.ofEpochMilli(line.bookedAt())).append('\n');
            totals.merge(line.currency(), numbers(1, line.amount(), line.fee()), SettlementFile::sum);
        }
        totals.forEach((currency, sums) -> text.append("TOTAL,").append(sums[0]).append(',').append(sums[1]).append(',')
                .append(currency).append(',').append(sums[2]).append(',').append(to).append('\n'));
        return save(text.toString(), to);
    }

    private Path save(String text, Instant to) {
        String name = "sandbox-settlement-" + to.toString().replaceAll("[:.]", "") + "-" + sequence.incrementAndGet() + ".csv";
        try {
            Files.createDirectories(directory);
            Path part = Files.writeString(directory.resolve(name + ".part"), text);
            return Files.move(part, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("sandbox.settlement-directory: cannot write to " + directory, e);
        }
    }

    private static BigInteger[] numbers(long... values) {
        BigInteger[] numbers = new BigInteger[values.length];
        for (int i = 0; i < values.length; i++) {
            numbers[i] = BigInteger.valueOf(values[i]);
        }
        return numbers;
    }

    private static BigInteger[] sum(BigInteger[] a, BigInteger[] b) {
        BigInteger[] sums = new BigInteger[a.length];
        for (int i = 0; i < a.length; i++) {
            sums[i] = a[i].add(b[i]);
        }
        return sums;
    }
}
