package org.paymentroutes.archive;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.function.BiConsumer;
import java.util.zip.GZIPInputStream;

/** Reads an archive back: all of it is verified before the first row is given out. */
final class ArchiveReader {

    private final Path folder;
    private final ArchiveManifest manifest;

    /** @throws DamagedArchiveException when it is no manifest */
    ArchiveReader(Path manifest) {
        this.folder = manifest.toAbsolutePath().getParent();
        try {
            this.manifest = ArchiveManifest.of(Files.readAllBytes(manifest));
        }
        catch (IOException e) {
            throw new DamagedArchiveException("Manifest " + manifest + ": " + reason(e));
        }
    }

    private static String reason(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "cannot be read: there is no such file";
        }
        String message = failure instanceof JsonProcessingException json ? json.getOriginalMessage() : failure.getMessage();
        return "cannot be read: " + (message == null ? failure.getClass().getSimpleName() : message.replaceAll("\\s*\\R\\s*", " "));
    }

    /** An archive that does not hold what was archived; the message names the file and the line. */
    static final class DamagedArchiveException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        DamagedArchiveException(String message) {
            super(message);
        }
    }

    /**
     * @param rows gets the kind and the line of each row, after all files have been verified
     * @return how many rows there are
     * @throws DamagedArchiveException naming the file and the line that is not as it was written
     */
    int read(BiConsumer<String, ArchiveLine> rows) {
        manifest.files().forEach(entry -> scan(entry, (kind, line) -> { }));
        return manifest.files().stream().mapToInt(entry -> scan(entry, rows)).sum();
    }

    private int scan(ArchiveManifest.Entry entry, BiConsumer<String, ArchiveLine> rows) {
        if (!entry.name().matches("[A-Za-z0-9._-]+")) {
            throw new DamagedArchiveException("Manifest: found file '" + entry.name() + "', allowed is a name without a folder");
        }
        Path file = folder.resolve(entry.name());
        MessageDigest digest = ArchiveLine.digest();
        int line = 0;
        long last = entry.firstId() - 1;
        try (InputStream bytes = new DigestInputStream(Files.newInputStream(file), digest)) {
            BufferedReader reader = new BufferedReader(new InputStreamReader(new GZIPInputStream(bytes),
                    StandardCharsets.UTF_8.newDecoder()));
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                line++;
                ArchiveLine row = ArchiveLine.of(text);
                if (row.id() <= last || row.id() > entry.lastId() || line == 1 && row.id() != entry.firstId()) {
                    throw new IllegalArgumentException("row " + row.id() + " does not belong here");
                }
                last = row.id();
                rows.accept(entry.kind(), row);
            }
            bytes.transferTo(OutputStream.nullOutputStream());
        }
        catch (IllegalArgumentException e) {
            throw new DamagedArchiveException("File " + file + ", line " + line + ": " + e.getMessage());
        }
        catch (IOException e) {
            throw new DamagedArchiveException("File " + file + ", line " + (line + 1) + ": " + reason(e));
        }
        if (line != entry.lines()) {
            throw new DamagedArchiveException("File " + file + ", line " + line + ": is the last one, and there must be " + entry.lines());
        }
        if (!HexFormat.of().formatHex(digest.digest()).equals(entry.sha256())) {
            throw new DamagedArchiveException("File " + file + ", line " + line + ": all rows are as they were archived, and the file is not"
                    + " (SHA-256 differs)");
        }
        return line;
    }
}
