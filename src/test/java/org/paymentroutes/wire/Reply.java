package org.paymentroutes.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;

/** What {@link CountingServer} does with one request. */
@FunctionalInterface
public interface Reply {

    /**
     * Plays this reply.
     *
     * @param request the request, whose body has not been read yet
     * @param in      where the body comes from
     * @param socket  the connection
     * @return true to wait for another request on the same connection
     */
    boolean play(RawRequest request, InputStream in, Socket socket) throws IOException;

    /** A complete answer with a Content-Length; header lines such as "Retry-After: 25". */
    static Reply of(int status, String body, String... headers) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String[] all = Arrays.copyOf(headers, headers.length + 1);
        all[headers.length] = "Content-Length: " + bytes.length;
        return keepOpen(bytes(head(status, all), bytes));
    }

    /** A status line with headers and nothing else, on a connection that stays open. */
    static Reply headOnly(int status, String... headers) {
        return keepOpen(head(status, headers));
    }

    /** The given bytes, on a connection that stays open. */
    static Reply keepOpen(byte[] answer) {
        return (request, in, socket) -> {
            request.readBody(in);
            socket.getOutputStream().write(answer);
            return true;
        };
    }

    /** The given bytes, then the connection is closed. No bytes: closed without an answer. */
    static Reply thenClose(byte[] answer) {
        return (request, in, socket) -> {
            request.readBody(in);
            socket.getOutputStream().write(answer);
            return false;
        };
    }

    /** Reads the whole request, then resets the connection. */
    static Reply reset() {
        return (request, in, socket) -> {
            request.readBody(in);
            socket.setSoLinger(true, 0);
            return false;
        };
    }

    /** Resets the connection after some bytes of the body. */
    static Reply resetWhileReading(int bytes) {
        return (request, in, socket) -> {
            in.readNBytes(bytes);
            socket.setSoLinger(true, 0);
            return false;
        };
    }

    /** A complete answer, slowly: one byte of the body in each interval. */
    static Reply trickle(int status, String body, long intervalMs) {
        return (request, in, socket) -> {
            request.readBody(in);
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            OutputStream out = socket.getOutputStream();
            out.write(head(status, "Content-Length: " + bytes.length));
            for (byte one : bytes) {
                pause(intervalMs);
                out.write(one);
            }
            return true;
        };
    }

    /** Reads the request and never answers, for as long as the client stays. */
    static Reply silence() {
        return (request, in, socket) -> {
            request.readBody(in);
            in.read();
            return false;
        };
    }

    /** Does not even read the body, for the given time. */
    static Reply stall(long ms) {
        return (request, in, socket) -> {
            pause(ms);
            return false;
        };
    }

    /** A body of the given size, made while it is written; the client may hang up. */
    static Reply large(long size) {
        return (request, in, socket) -> {
            request.readBody(in);
            OutputStream out = socket.getOutputStream();
            out.write(head(200, "Transfer-Encoding: chunked"));
            byte[] block = new byte[65536];
            Arrays.fill(block, (byte) 'x');
            byte[] chunk = bytes("10000\r\n".getBytes(StandardCharsets.US_ASCII), block, new byte[] {'\r', '\n'});
            for (long sent = 0; sent < size; sent += block.length) {
                out.write(chunk);
            }
            out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return true;
        };
    }

    /** @return a status line and header lines as bytes */
    static byte[] head(int status, String... headers) {
        StringBuilder text = new StringBuilder("HTTP/1.1 " + status + " Scripted\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** @return all parts, one after the other */
    static byte[] bytes(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** @return the bytes in gzip format */
    static byte[] gzip(byte[] content) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(all)) {
            out.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all.toByteArray();
    }

    private static void pause(long ms) throws IOException {
        try {
            if (new CountDownLatch(1).await(ms, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("a latch nobody counts down was open");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("server stopped", e);
        }
    }
}
