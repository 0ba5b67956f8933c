package org.paymentroutes.archive;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Writes a file so that after a crash it is there as a whole or not at all: aside, to the disk, into its place. */
final class DurableFile {

    private DurableFile() {
    }

    /** Writes the content of a file. */
    interface Content {

        void writeTo(OutputStream out) throws IOException;
    }

    /** @return SHA-256 of what was written, as hex; what was at this place before is replaced */
    static String write(Path file, Content content) throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".tmp");
        Files.deleteIfExists(aside);
        if (aside.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(aside, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        MessageDigest digest = ArchiveLine.digest();
        try (FileChannel channel = FileChannel.open(aside, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            OutputStream out = new BufferedOutputStream(new DigestOutputStream(Channels.newOutputStream(channel), digest), 1 << 16);
            content.writeTo(out);
            out.flush();
            channel.force(true);
        }
        Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel folder = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
