package org.paymentroutes.wire;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** One request as it came over the wire. The body is empty until it was read. */
public final class RawRequest {

    private final String head;
    private volatile byte[] body = new byte[0];

    private RawRequest(String head) {
        this.head = head;
    }

    /** @return the request whose head comes next, or null when the peer closed before its first byte */
    static RawRequest begin(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int end = 0;
        while (end < 4) {
            int next = in.read();
            if (next < 0) {
                return bytes.size() == 0 ? null : new RawRequest(bytes.toString(StandardCharsets.ISO_8859_1));
            }
            bytes.write(next);
            end = next == (end % 2 == 0 ? '\r' : '\n') ? end + 1 : 0;
        }
        return new RawRequest(bytes.toString(StandardCharsets.ISO_8859_1));
    }

    /** Reads the body by its Content-Length. */
    void readBody(InputStream in) throws IOException {
        String length = header("Content-Length");
        int expected = length == null ? 0 : Integer.parseInt(length);
        byte[] read = in.readNBytes(expected);
        body = read;
        if (read.length < expected) {
            throw new EOFException("request body cut");
        }
    }

    /** @return request line and headers, as they came */
    public String head() {
        return head;
    }

    /** @return the request line, such as "POST /pay HTTP/1.1" */
    public String line() {
        return head.lines().findFirst().orElse("");
    }

    /** @return the value of a header, or null if it did not come */
    public String header(String name) {
        String prefix = name.toLowerCase(Locale.ROOT) + ":";
        return head.lines().filter(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix))
                .map(line -> line.substring(prefix.length()).strip()).findFirst().orElse(null);
    }

    /** @return the names of the headers in lower case, sorted */
    public List<String> headerNames() {
        return head.lines().skip(1).filter(line -> line.contains(":"))
                .map(line -> line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT)).sorted().toList();
    }

    /** @return the bytes of the body that were read */
    public byte[] body() {
        return body.clone();
    }

    /** @return the body as UTF-8 text */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
