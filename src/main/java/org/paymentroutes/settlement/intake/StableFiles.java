package org.paymentroutes.settlement.intake;

import java.io.File;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.component.file.GenericFile;
import org.apache.camel.component.file.GenericFileFilter;

/**
 * Lets a file be taken when its size and time have not changed for a while, as this node saw it. The time of a file alone says
 * nothing: a copy may have an old time while it still grows.
 */
public final class StableFiles implements GenericFileFilter<Object> {

    private static final int MAX_WATCHED = 10_000;

    private final long ageNs;
    private final Map<String, Seen> seen = new ConcurrentHashMap<>();

    private record Seen(long size, long modified, long since) {
    }

    /** @param age how long a file must stay as it is */
    public StableFiles(Duration age) {
        this.ageNs = age.toNanos();
    }

    @Override
    public boolean accept(GenericFile<Object> file) {
        if (file.isDirectory()) {
            return false;
        }
        if (file.getFile() instanceof File local && Files.isSymbolicLink(local.toPath())) {
            // Points at a file that nobody delivered here.
            return false;
        }
        long now = System.nanoTime();
        if (seen.size() > MAX_WATCHED) {
            seen.clear();
        }
        Seen is = seen.compute(file.getAbsoluteFilePath(), (path, before) ->
                before != null && before.size() == file.getFileLength() && before.modified() == file.getLastModified() ? before
                        : new Seen(file.getFileLength(), file.getLastModified(), now));
        return now - is.since() >= ageNs;
    }
}
