package org.paymentroutes.sandbox;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** A client that sees every byte: no retry, no redirect, no repair. One connection per request. */
final class Wire {

    static final String TOKEN = "sandbox-token";

    private final URI base;

    Wire(String url) {
        this.base = URI.create(url);
    }

    /**
     * Everything that came back.
     *
     * @param bytes head and body as sent
     */
    record Reply(byte[] bytes) {

        String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        int status() {
            return Integer.parseInt(text().substring(9, 12));
        }

        String head() {
            return text().substring(0, text().indexOf("\r\n\r\n"));
        }

        String body() {
            return text().substring(text().indexOf("\r\n\r\n") + 4);
        }

        byte[] bodyBytes() {
            int start = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n") + 4;
            return java.util.Arrays.copyOfRange(bytes, start, bytes.length);
        }
    }

    static String order(String reference, long amount, String behaviour) {
        return "{\"reference\":\"" + reference + "\",\"operation\":\"CHARGE\",\"amount\":" + amount
                + ",\"currency\":\"EUR\",\"recipient\":\"r\"" + (behaviour == null ? "" : ",\"behaviour\":\"" + behaviour + "\"") + "}";
    }

    Reply pay(String reference, String behaviour) throws IOException {
        return pay(reference, reference, 1234, behaviour);
    }

    Reply pay(String reference, String key, long amount, String behaviour) throws IOException {
        return send("POST", "/payments", "Authorization: Bearer " + TOKEN + "\r\nIdempotency-Key: " + key + "\r\n",
                order(reference, amount, behaviour));
    }

    Reply get(String path) throws IOException {
        return send("GET", path, "Authorization: Bearer " + TOKEN + "\r\n", "");
    }

    String money(String reference) throws IOException {
        return get("/_money/" + reference).body();
    }

    Reply send(String method, String path, String headers, String body) throws IOException {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        try (Socket socket = new Socket(base.getHost(), base.getPort())) {
            socket.setSoTimeout(20_000);
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            request.writeBytes((method + " " + path + " HTTP/1.1\r\nHost: sandbox\r\nConnection: close\r\n" + headers
                    + "Content-Length: " + content.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            request.writeBytes(content);
            socket.getOutputStream().write(request.toByteArray());
            InputStream in = socket.getInputStream();
            return new Reply(in.readAllBytes());
        }
    }
}
