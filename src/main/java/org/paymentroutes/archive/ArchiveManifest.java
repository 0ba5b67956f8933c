package org.paymentroutes.archive;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.List;

/**
 * What one archive holds.
 *
 * @param format       1
 * @param archive      its number
 * @param closedBefore what was closed, or had come, before this time, RFC 3339
 * @param files        its files, beside the manifest
 */
record ArchiveManifest(int format, long archive, String closedBefore, List<Entry> files) {

    private static final ObjectMapper JSON = JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    /**
     * One file.
     *
     * @param kind    what its rows are: review-case or dead-letter
     * @param name    its name
     * @param sha256  checksum of its bytes
     * @param bytes   its length
     * @param lines   how many rows it holds
     * @param firstId id of its first row
     * @param lastId  id of its last row
     */
    record Entry(String kind, String name, String sha256, long bytes, int lines, long firstId, long lastId) {
    }

    byte[] toJson() throws IOException {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this);
    }

    /** @throws IOException when it is no manifest of this format */
    static ArchiveManifest of(byte[] json) throws IOException {
        ArchiveManifest manifest = JSON.readValue(json, ArchiveManifest.class);
        if (manifest == null) {
            throw new IOException("it is empty");
        }
        if (manifest.format != 1 || manifest.files == null || manifest.files.isEmpty()) {
            throw new IOException("format " + manifest.format + " is not 1, or it names no files");
        }
        for (Entry entry : manifest.files) {
            if (entry == null || entry.kind == null || entry.name == null || entry.sha256 == null) {
                throw new IOException("a file is without its kind, name or checksum");
            }
        }
        return manifest;
    }
}
