package org.paymentroutes.sandbox;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What the server is to send.
 *
 * @param status HTTP status
 * @param contentType media type of the body; null sends no such header
 * @param headers further header lines, each {@code Name: value}
 * @param body the whole body, before {@code delivery} spoils it
 * @param delivery how the bytes travel
 * @param delayMs milliseconds to wait before the first byte
 */
public record Answer(int status, String contentType, List<String> headers, byte[] body, Delivery delivery, long delayMs) {

    /** A complete JSON answer. */
    public static Answer json(int status, String json) {
        return new Answer(status, "application/json", List.of(), json.getBytes(StandardCharsets.UTF_8), Delivery.WHOLE, 0);
    }

    /** A complete HTML page, as proxies and maintenance sites send it. */
    public static Answer html(int status, String html) {
        return new Answer(status, "text/html; charset=utf-8", List.of(), html.getBytes(StandardCharsets.UTF_8), Delivery.WHOLE, 0);
    }

    /** An answer without a body. */
    public static Answer empty(int status) {
        return new Answer(status, null, List.of(), new byte[0], Delivery.WHOLE, 0);
    }

    /** The same answer with one more header line. */
    public Answer withHeader(String line) {
        List<String> more = new ArrayList<>(headers);
        more.add(line);
        return new Answer(status, contentType, List.copyOf(more), body, delivery, delayMs);
    }

    /** The same answer, sent in another way. */
    public Answer delivered(Delivery other) {
        return new Answer(status, contentType, headers, body, other, delayMs);
    }

    /** The same answer, later by so many milliseconds. */
    public Answer delayedBy(long ms) {
        return new Answer(status, contentType, headers, body, delivery, delayMs + ms);
    }
}
