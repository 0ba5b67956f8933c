package org.paymentroutes.settlement.intake;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.paymentroutes.settlement.format.ArchiveRule;
import org.paymentroutes.settlement.format.SettlementRefusedException;

/**
 * The content of a delivered file, out of a gzip or zip archive if it is one. What it is, its first bytes tell, not its name.
 * Names inside an archive are never used as paths.
 */
final class UnpackedFile {

    private static final int BUFFER = 1 << 16;
    // A gzip of equal bytes packs 1000 to 1; statements, at most 50 to 1.
    private static final long MAX_RATIO = 200;
    private static final long RATIO_FROM = 10L << 20;

    private UnpackedFile() {
    }

    /**
     * @param packed   what was delivered; stays as it is
     * @param target   a file for what is in it
     * @param maxBytes how large that may become
     * @param rule     which file to take out of a zip archive of several
     * @return {@code packed} when it is no archive, else {@code target}
     * @throws SettlementRefusedException when it is an archive without exactly one file to take, broken, or too large
     * @throws IOException                when a file of ours cannot be read or written
     */
    static Path of(Path packed, Path target, long maxBytes, ArchiveRule rule) throws IOException {
        switch (magic(packed)) {
            case 0x1f8b -> {
                try (InputStream in = new BufferedInputStream(Files.newInputStream(packed), BUFFER)) {
                    copy(() -> new GZIPInputStream(in, BUFFER), packed, target, maxBytes);
                }
            }
            case 0x504b -> unzip(packed, target, maxBytes, rule);
            default -> {
                return packed;
            }
        }
        if (magic(target) == 0x1f8b || magic(target) == 0x504b) {
            throw refused("an archive in an archive", "one archive with one file");
        }
        return target;
    }

    private static int magic(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] first = in.readNBytes(2);
            return first.length < 2 ? 0 : (first[0] & 0xff) << 8 | first[1] & 0xff;
        }
    }

    private static void unzip(Path packed, Path target, long maxBytes, ArchiveRule rule) throws IOException {
        try (ZipFile zip = open(packed)) {
            List<ZipEntry> files = new ArrayList<>();
            for (ZipEntry entry : Collections.list(zip.entries())) {
                String name = name(entry, rule);
                if (name.startsWith("/") || name.contains("\\") || List.of(name.split("/")).contains("..") || name.contains(":")) {
                    throw refused("an entry whose name leaves the archive", "a plain name");
                }
                if (!entry.isDirectory()) {
                    files.add(entry);
                }
            }
            ZipEntry taken = choose(files, rule);
            copy(() -> zip.getInputStream(taken), packed, target, maxBytes);
        }
    }

    private static ZipEntry choose(List<ZipEntry> files, ArchiveRule rule) {
        if (files.size() == 1) {
            return files.get(0);
        }
        if (rule.entry() == null || files.isEmpty()) {
            throw refused("an archive of " + files.size() + " files", "exactly one");
        }
        List<ZipEntry> matching = files.stream().filter(file -> {
            String name = name(file, rule);
            return rule.entry().matcher(name.substring(name.lastIndexOf('/') + 1)).matches();
        }).toList();
        if (matching.size() != 1) {
            throw refused("an archive of " + files.size() + " files, " + matching.size() + " of them by archive.entry", "exactly one of them");
        }
        return matching.get(0);
    }

    /** @return the name as its writer meant it; as single bytes when it is in no character set that we know of */
    private static String name(ZipEntry entry, ArchiveRule rule) {
        byte[] bytes = entry.getName().getBytes(StandardCharsets.ISO_8859_1);
        if (!new String(bytes, StandardCharsets.ISO_8859_1).equals(entry.getName())) {
            // Marked as UTF-8, and decoded.
            return entry.getName();
        }
        try {
            return rule.encoding().newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        }
        catch (CharacterCodingException e) {
            return entry.getName();
        }
    }

    private static ZipFile open(Path packed) throws IOException {
        try {
            // Names may be in any character set: the bytes as they are, decoded by the contract.
            return new ZipFile(packed.toFile(), StandardCharsets.ISO_8859_1);
        }
        catch (ZipException e) {
            throw refused("a broken zip archive", "a whole one");
        }
    }

    /** Opens what unpacks; an exception of it says that the archive is broken. */
    private interface Source {
        InputStream open() throws IOException;
    }

    private static void copy(Source source, Path packed, Path target, long maxBytes) throws IOException {
        long ratioLimit = Math.max(RATIO_FROM, Files.size(packed) * MAX_RATIO);
        try (OutputStream out = Files.newOutputStream(target)) {
            InputStream in = broken(source::open);
            byte[] buffer = new byte[BUFFER];
            long total = 0;
            int count;
            while ((count = broken(() -> in.read(buffer))) >= 0) {
                total += count;
                if (total > maxBytes || total > ratioLimit) {
                    throw refused("more than " + Math.min(maxBytes, ratioLimit) + " bytes after unpacking", "a smaller file");
                }
                out.write(buffer, 0, count);
            }
        }
    }

    private interface Step<T> {
        T run() throws IOException;
    }

    private static <T> T broken(Step<T> step) throws IOException {
        try {
            return step.run();
        }
        catch (ZipException | EOFException e) {
            throw refused("a broken archive", "a whole one, not encrypted");
        }
    }

    private static SettlementRefusedException refused(String found, String allowed) {
        return new SettlementRefusedException(0, null, found, allowed);
    }
}
