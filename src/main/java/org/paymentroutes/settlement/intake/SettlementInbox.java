package org.paymentroutes.settlement.intake;

import jakarta.annotation.PostConstruct;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.InvalidPayloadException;
import org.apache.camel.component.file.GenericFile;
import org.apache.camel.support.SynchronizationAdapter;
import org.paymentroutes.settlement.format.ArchiveRule;
import org.paymentroutes.settlement.format.SettlementContract;
import org.paymentroutes.settlement.format.SettlementRefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * The first and the last step of a delivered file. What is read is a copy of our own, so that what was checked cannot change
 * under us; the delivered file is moved away only after the database knows what became of its content.
 */
@Component("settlementInbox")
public class SettlementInbox {

    private static final Logger LOG = LoggerFactory.getLogger(SettlementInbox.class);
    private static final Duration LEFT_OVER = Duration.ofDays(1);
    private static final int NAME_MAX = 120;
    private static final Set<String> TAKEN = Set.of("BOOKED", "REVIEW", "WAITING");

    private final Path work;
    private final long maxBytes;

    SettlementInbox(@Value("${payment-routes.settlement.work}") Path work,
            @Value("${payment-routes.settlement.max-bytes}") long maxBytes) {
        this.work = work;
        this.maxBytes = maxBytes;
    }

    /**
     * Copies and unpacks the file that is the body. Sets the body to the {@link Path} of the content and the variable
     * {@code settlementName}; when it cannot be unpacked, also {@code settlementProblem}, and the body stays packed, which no
     * contract reads.
     *
     * @throws IOException when the file or the folder for work cannot be read or written; says nothing about the content
     */
    public void take(Exchange exchange) throws IOException, InvalidPayloadException {
        Files.createDirectories(work);
        Path copy = Files.createTempFile(work, "delivered-", ".settlement");
        Path unpacked = Files.createTempFile(work, "unpacked-", ".settlement");
        exchange.getExchangeExtension().addOnCompletion(new SynchronizationAdapter() {
            @Override
            public void onFailure(Exchange failed) {
                Throwable why = failed.getException() == null ? failed.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class) : failed.getException();
                LOG.warn("Settlement file {} of {} stays in the inbox and is taken again: {}", failed.getVariable("settlementName"),
                        failed.getVariable("provider"), why == null ? "unknown" : why.toString());
            }

            @Override
            public void onDone(Exchange done) {
                super.onDone(done);
                delete(copy);
                delete(unpacked);
            }
        });
        String name = exchange.getMessage().getHeader(Exchange.FILE_NAME_ONLY, String.class);
        Object body = exchange.getMessage().getBody();
        exchange.setVariable("settlementName", name);
        exchange.setVariable("settlementSource", body instanceof GenericFile<?> file && file.getFile() instanceof File local ? local.toPath() : null);
        exchange.setVariable("settlementBytes", copy(exchange.getMessage().getMandatoryBody(InputStream.class), copy));
        try {
            exchange.getMessage().setBody(UnpackedFile.of(copy, unpacked, maxBytes, archive(exchange)));
        }
        catch (SettlementRefusedException e) {
            exchange.setVariable("settlementProblem", e.getMessage());
            exchange.getMessage().setBody(copy);
        }
    }

    private static ArchiveRule archive(Exchange exchange) {
        SettlementContract contract = exchange.getContext().getRegistry()
                .lookupByNameAndType(exchange.getVariable("provider", String.class) + "-settlement", SettlementContract.class);
        // Without a contract the next step refuses the file, with a better message.
        return contract == null ? new ArchiveRule() : contract.getArchive();
    }

    private long copy(InputStream from, Path to) throws IOException {
        try (InputStream in = from; OutputStream out = Files.newOutputStream(to)) {
            byte[] buffer = new byte[1 << 16];
            long total = 0;
            int count;
            while ((count = in.read(buffer)) >= 0) {
                total += count;
                if (total > maxBytes) {
                    throw new IOException("Larger than payment-routes.settlement.max-bytes (" + maxBytes + ")");
                }
                out.write(buffer, 0, count);
            }
            return total;
        }
    }

    /**
     * Decides by the variable {@code settlementState} where the delivered file goes: sets the variables
     * {@code settlementFolder} ({@code done} or {@code rejected}) and {@code settlementTarget}, a name in it that no other file
     * has, and for a rejected file the body to the reason.
     *
     * @throws IOException when the file stays where it is, because it changed meanwhile or is not through
     */
    public void leave(Exchange exchange) throws IOException {
        String state = exchange.getVariable("settlementState", String.class);
        String name = exchange.getVariable("settlementName", String.class);
        Path source = exchange.getVariable("settlementSource", Path.class);
        if (source != null && Files.exists(source) && Files.size(source) != exchange.getVariable("settlementBytes", Long.class)) {
            throw new IOException("Settlement file " + name + " has grown while it was read; it is read again");
        }
        boolean rejected = "REFUSED".equals(state);
        if (!rejected && !TAKEN.contains(state)) {
            throw new IOException("Settlement file " + name + " is " + state + "; it is looked at again");
        }
        // Two nodes that both took it must not overwrite what the other has moved.
        String unique = exchange.getVariable("settlementFile", String.class) + "-"
                + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt()) + "-";
        exchange.setVariable("settlementFolder", rejected ? "rejected" : "done");
        exchange.setVariable("settlementTarget", unique + plain(name));
        if (rejected) {
            String problem = exchange.getVariable("settlementProblem", String.class);
            exchange.getMessage().setBody(reason(exchange, problem == null ? exchange.getVariable("settlementWhy", String.class) : problem));
        }
        LOG.info("Settlement file {} of {}: {}, goes to {}", exchange.getVariable("settlementFile"), exchange.getVariable("provider"), state,
                exchange.getVariable("settlementFolder"));
    }

    private static String reason(Exchange exchange, String why) {
        return "file:     " + plain(exchange.getVariable("settlementName", String.class)) + "\n"
                + "provider: " + exchange.getVariable("provider") + "\n"
                + "at:       " + Instant.now() + "\n"
                + "problem:  " + why + "\n\n"
                + "Nothing of this file is booked. Ask the provider for it again, or correct the contract "
                + exchange.getVariable("provider") + "-settlement and put the file back into the inbox.\n";
    }

    private static String plain(String name) {
        String plain = name.replaceAll("[^\\p{L}\\p{N}._-]", "_");
        return plain.length() <= NAME_MAX ? plain : plain.substring(plain.length() - NAME_MAX);
    }

    /** Removes copies that a process left that was killed. */
    @PostConstruct
    void removeLeftOvers() {
        if (!Files.isDirectory(work)) {
            return;
        }
        Instant before = Instant.now().minus(LEFT_OVER);
        try (Stream<Path> files = Files.list(work)) {
            files.filter(file -> file.getFileName().toString().endsWith(".settlement") && older(file, before)).forEach(SettlementInbox::delete);
        }
        catch (IOException e) {
            LOG.warn("Folder {} cannot be listed: {}", work, e.getMessage());
        }
    }

    private static boolean older(Path file, Instant time) {
        try {
            return Files.getLastModifiedTime(file).toInstant().isBefore(time);
        }
        catch (IOException e) {
            return false;
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        }
        catch (IOException e) {
            LOG.warn("File {} cannot be removed: {}", file, e.getMessage());
        }
    }
}
