package org.paymentroutes.sandbox;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;

/** Puts an answer on the wire, byte by byte as its {@link Delivery} says. */
final class AnswerWriter {

    private static final int HUGE_BYTES = 50 * 1024 * 1024;

    private final Socket socket;
    private final OutputStream out;
    private final long trickleMs;

    AnswerWriter(Socket socket, OutputStream out, long trickleMs) {
        this.socket = socket;
        this.out = out;
        this.trickleMs = trickleMs;
    }

    /**
     * Sends the answer.
     *
     * @return true when the connection may carry another request
     * @throws InterruptedException when the server is stopping
     */
    boolean write(Answer answer, boolean keepAlive) throws IOException, InterruptedException {
        if (answer.delayMs() > 0) {
            TimeUnit.MILLISECONDS.sleep(answer.delayMs());
        }
        byte[] body = answer.body();
        int half = body.length / 2;
        switch (answer.delivery()) {
            case WHOLE -> send(head(answer, keepAlive, length(answer, body.length)), body);
            case CLOSED -> {
                return false;
            }
            case RESET -> {
                // A close with linger 0 sends RST in place of FIN.
                socket.setSoLinger(true, 0);
                return false;
            }
            case TRUNCATED_LENGTH -> send(head(answer, true, length(answer, body.length)), Arrays.copyOf(body, half));
            case TRUNCATED_CHUNK -> send(head(answer, true, "Transfer-Encoding: chunked\r\n"), join(
                    ascii(Integer.toHexString(body.length) + "\r\n"), Arrays.copyOf(body, half)));
            case TRUNCATED_CLOSE -> send(head(answer, false, ""), Arrays.copyOf(body, half));
            case TRUNCATED_GZIP -> {
                byte[] zip = gzip(body);
                byte[] cut = Arrays.copyOf(zip, zip.length / 2);
                send(head(answer, keepAlive, "Content-Encoding: gzip\r\n" + length(answer, cut.length)), cut);
                return keepAlive;
            }
            case TRICKLE -> {
                send(head(answer, keepAlive, length(answer, body.length)), new byte[0]);
                trickle(body);
                return keepAlive;
            }
            case HUGE -> {
                huge(answer, keepAlive);
                return keepAlive;
            }
            case NO_CONTENT_GZIP -> {
                byte[] zip = gzip(new byte[0]);
                send(head(answer, false, "Content-Encoding: gzip\r\n" + length(answer, zip.length)), zip);
            }
        }
        return answer.delivery() == Delivery.WHOLE && keepAlive;
    }

    private static String length(Answer answer, int bytes) {
        return answer.status() == 204 && bytes == 0 ? "" : "Content-Length: " + bytes + "\r\n";
    }

    private static byte[] head(Answer answer, boolean keepAlive, String framing) {
        StringBuilder head = new StringBuilder(200).append("HTTP/1.1 ").append(answer.status()).append(' ')
                .append(reason(answer.status())).append("\r\n");
        if (answer.contentType() != null) {
            head.append("Content-Type: ").append(answer.contentType()).append("\r\n");
        }
        answer.headers().forEach(line -> head.append(line).append("\r\n"));
        head.append(framing);
        if (!keepAlive) {
            head.append("Connection: close\r\n");
        }
        return ascii(head.append("\r\n").toString());
    }

    private static String reason(int status) {
        return switch (status / 100) {
            case 2 -> "OK";
            case 3 -> "Elsewhere";
            case 4 -> "Refused";
            default -> "Error";
        };
    }

    private void send(byte[] head, byte[] body) throws IOException {
        out.write(join(head, body));
        out.flush();
    }

    private void trickle(byte[] body) throws IOException, InterruptedException {
        for (byte b : body) {
            TimeUnit.MILLISECONDS.sleep(trickleMs);
            out.write(b);
            out.flush();
        }
    }

    /** The JSON of the answer with so much white space before its last brace that it is still valid. */
    private void huge(Answer answer, boolean keepAlive) throws IOException {
        byte[] body = answer.body();
        send(head(answer, keepAlive, length(answer, HUGE_BYTES)), Arrays.copyOf(body, body.length - 1));
        byte[] blank = new byte[64 * 1024];
        Arrays.fill(blank, (byte) ' ');
        int left = HUGE_BYTES - body.length;
        while (left > 0) {
            int step = Math.min(left, blank.length);
            out.write(blank, 0, step);
            left -= step;
        }
        out.write('}');
        out.flush();
    }

    private static byte[] gzip(byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(body);
        }
        return bytes.toByteArray();
    }

    private static byte[] join(byte[] a, byte[] b) {
        byte[] whole = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, whole, a.length, b.length);
        return whole;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
