package org.paymentroutes.archive;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line of an archive file: a row as JSON, with its id and a checksum of its text, so that what is damaged can be named.
 *
 * @param id  primary key of the row
 * @param row the row as JSON, without a line break
 */
record ArchiveLine(long id, String row) {

    private static final Pattern FORM = Pattern.compile("\\{\"id\":([1-9][0-9]{0,18}),\"sha256\":\"([0-9a-f]{64})\",\"row\":(\\{.*})}");

    String text() {
        return "{\"id\":" + id + ",\"sha256\":\"" + sha256(row) + "\",\"row\":" + row + "}";
    }

    /** @throws IllegalArgumentException saying in which respect the line is damaged */
    static ArchiveLine of(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("is not a line of an archive");
        }
        if (!sha256(parts.group(3)).equals(parts.group(2))) {
            throw new IllegalArgumentException("its row is not the one that was archived (SHA-256 differs)");
        }
        return new ArchiveLine(Long.parseLong(parts.group(1)), parts.group(3));
    }

    private static String sha256(String text) {
        return HexFormat.of().formatHex(digest().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        }
        catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
