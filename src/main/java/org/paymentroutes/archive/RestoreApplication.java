package org.paymentroutes.archive;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * Gives back what is in an archive, as {@code java -jar app.jar --archive.restore=<manifest>}: verifies all of it, then
 * prints one JSON object a line. Needs no database, no broker and no configuration.
 */
public final class RestoreApplication {

    private static final String OPTION = "--archive.restore=";

    private RestoreApplication() {
    }

    /** @return the manifest that the arguments ask for; empty when they ask for something else */
    public static Optional<String> manifest(String... arguments) {
        return Arrays.stream(arguments).filter(argument -> argument.startsWith(OPTION) && argument.length() > OPTION.length()).findFirst()
                .map(argument -> argument.substring(OPTION.length()));
    }

    /** Ends the process: 0 when all rows were printed; 1 when the archive is damaged, with the file and the line, or when they cannot be printed. */
    public static void main(String[] arguments) {
        // JSON is UTF-8, whatever the terminal's language is.
        PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)), false, StandardCharsets.UTF_8);
        System.exit(restore(manifest(arguments).orElseThrow(), out, System.err));
    }

    /** @return the status that the process ends with */
    static int restore(String manifest, PrintStream rows, PrintStream messages) {
        try {
            int count = new ArchiveReader(Path.of(manifest)).read((kind, line) ->
                    rows.print("{\"kind\":\"" + kind + "\",\"id\":" + line.id() + ",\"row\":" + line.row() + "}\n"));
            // A full disk is no exception here.
            if (rows.checkError()) {
                messages.println("The rows could not all be printed. Is the disk full, or did the reader go away?");
                return 1;
            }
            messages.println(count + " rows, all as they were archived");
            return 0;
        }
        catch (ArchiveReader.DamagedArchiveException e) {
            messages.println(e.getMessage());
            return 1;
        }
        catch (InvalidPathException e) {
            messages.println("Manifest " + manifest + ": is no name of a file");
            return 1;
        }
    }
}
