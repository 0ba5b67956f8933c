package org.paymentroutes.sandbox;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Reads HTTP/1.1 requests from one connection, within limits. */
final class HttpRequestReader {

    private static final int HEAD_BYTES_MAX = 64 * 1024;
    private static final int BODY_BYTES_MAX = 2 * 1024 * 1024;

    private final InputStream in;
    private final OutputStream out;
    private final byte[] buffer = new byte[8192];
    private int position;
    private int limit;
    private int headBytes;

    HttpRequestReader(InputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    /**
     * The next request.
     *
     * @return null when the caller closed the connection in order
     * @throws IOException when the connection broke or the bytes are not HTTP
     */
    HttpRequest next() throws IOException {
        headBytes = 0;
        if (position == limit && !fill()) {
            return null;
        }
        String[] start = line().split(" ");
        if (start.length != 3 || !start[2].startsWith("HTTP/1.")) {
            throw new IOException("not an HTTP/1 request line");
        }
        Map<String, String> headers = headers();
        if ("100-continue".equalsIgnoreCase(headers.get("expect"))) {
            out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
        }
        byte[] body = body(headers);
        int mark = start[1].indexOf('?');
        String path = mark < 0 ? start[1] : start[1].substring(0, mark);
        String connection = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
        boolean keepAlive = start[2].equals("HTTP/1.1") ? !connection.equals("close") : connection.equals("keep-alive");
        return new HttpRequest(start[0], path, mark < 0 ? "" : start[1].substring(mark + 1), headers, body, keepAlive);
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw new IOException("not a header line");
            }
            headers.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
        }
        return headers;
    }

    private byte[] body(Map<String, String> headers) throws IOException {
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            return chunks();
        }
        String length = headers.get("content-length");
        return length == null ? new byte[0] : bytes(size(length, 10));
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        while (true) {
            int size = size(line().split(";", 2)[0].strip(), 16);
            if (size == 0) {
                while (!line().isEmpty()) {
                    // Trailers are of no interest.
                }
                return whole.toByteArray();
            }
            whole.writeBytes(bytes(size));
            if (whole.size() > BODY_BYTES_MAX || !line().isEmpty()) {
                throw new IOException("bad chunk");
            }
        }
    }

    private static int size(String text, int radix) throws IOException {
        try {
            int size = Integer.parseInt(text, radix);
            if (size >= 0 && size <= BODY_BYTES_MAX) {
                return size;
            }
        } catch (NumberFormatException e) {
            throw new IOException("bad length", e);
        }
        throw new IOException("bad length");
    }

    private byte[] bytes(int count) throws IOException {
        byte[] bytes = new byte[count];
        int done = 0;
        while (done < count) {
            if (position == limit && !fill()) {
                throw new EOFException("body ended early");
            }
            int step = Math.min(count - done, limit - position);
            System.arraycopy(buffer, position, bytes, done, step);
            position += step;
            done += step;
        }
        return bytes;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder(64);
        while (true) {
            if (position == limit && !fill()) {
                throw new EOFException("head ended early");
            }
            byte b = buffer[position++];
            if (b == '\n') {
                return line.toString();
            }
            if (++headBytes > HEAD_BYTES_MAX) {
                throw new IOException("head too long");
            }
            if (b != '\r') {
                line.append((char) (b & 0xff));
            }
        }
    }

    private boolean fill() throws IOException {
        position = 0;
        limit = Math.max(0, in.read(buffer));
        return limit > 0;
    }
}
