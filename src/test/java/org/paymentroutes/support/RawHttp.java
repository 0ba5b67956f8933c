package org.paymentroutes.support;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Sends bytes that an HTTP client would refuse to send. */
public final class RawHttp {

    private static final int TIMEOUT_MS = 20_000;

    private RawHttp() {
    }

    /** @return the whole answer to a POST of these bytes as JSON, as text */
    public static String post(int port, String path, String login, List<String> headers, byte[] body) throws IOException {
        return send(port, head(path, login, headers, "Content-Length: " + body.length), body);
    }

    /** @return as {@link #post}, in chunks and without a length */
    public static String postChunked(int port, String path, String login, List<String> headers, byte[] body) throws IOException {
        ByteArrayOutputStream chunks = new ByteArrayOutputStream();
        for (int at = 0; at < body.length; at += 8192) {
            int length = Math.min(8192, body.length - at);
            chunks.write((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
            chunks.write(body, at, length);
            chunks.write("\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        chunks.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return send(port, head(path, login, headers, "Transfer-Encoding: chunked"), chunks.toByteArray());
    }

    /** @return everything the server answers until it closes the connection */
    public static String send(int port, byte[]... parts) throws IOException {
        try (Socket socket = new Socket("localhost", port)) {
            socket.setSoTimeout(TIMEOUT_MS);
            OutputStream out = socket.getOutputStream();
            for (byte[] part : parts) {
                out.write(part);
            }
            out.flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static byte[] head(String path, String login, List<String> headers, String length) {
        StringBuilder head = new StringBuilder("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Type: application/json\r\nAuthorization: " + login + "\r\n" + length + "\r\n");
        headers.forEach(header -> head.append(header).append("\r\n"));
        return head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
