package org.paymentroutes.payment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Supplier;

/** A secret of the embedded mode: made once, kept in the data folder, readable by its owner only. */
public final class SecretFile {

    private SecretFile() {
    }

    /**
     * @param file    where it is or will be
     * @param content makes it when there is none
     * @return what the file says
     * @throws UncheckedIOException when it can be neither read nor written
     */
    public static String readOrCreate(Path file, Supplier<String> content) {
        try {
            if (!Files.exists(file)) {
                Files.createDirectories(file.toAbsolutePath().getParent());
                Path draft = file.resolveSibling(file.getFileName() + ".new");
                Files.deleteIfExists(draft);
                if (Files.getFileStore(file.toAbsolutePath().getParent()).supportsFileAttributeView("posix")) {
                    Files.createFile(draft, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                }
                Files.writeString(draft, content.get(), StandardCharsets.UTF_8);
                // A crash leaves either no file or the whole one.
                Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            }
            return Files.readString(file, StandardCharsets.UTF_8).strip();
        }
        catch (IOException e) {
            throw new UncheckedIOException("The file " + file + " cannot be read or written", e);
        }
    }
}
