package org.paymentroutes.archive;

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
    public static Optional<String> manifest(String[] arguments) {
        return Arrays.stream(arguments).filter(argument -> argument.startsWith(OPTION)).findFirst()
                .map(argument -> argument.substring(OPTION.length()));
    }

    /** Ends the process: 0 when all rows were printed; 1 when the archive is damaged, with the file and the line. */
    public static void main(String[] arguments) {
        try {
            int rows = new ArchiveReader(Path.of(manifest(arguments).orElseThrow())).read((kind, line) ->
                    System.out.println("{\"kind\":\"" + kind + "\",\"id\":" + line.id() + ",\"row\":" + line.row() + "}"));
            System.err.println(rows + " rows, all as they were archived");
        }
        catch (ArchiveReader.DamagedArchiveException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
