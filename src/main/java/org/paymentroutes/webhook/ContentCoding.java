package org.paymentroutes.webhook;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Undoes the content encoding of a body, and stops as soon as it grows beyond its limit. */
final class ContentCoding {

    private ContentCoding() {
    }

    /**
     * @param encodings values of the Content-Encoding header
     * @param received  the bytes on the wire
     * @param maxBytes  most bytes after decompression
     * @return the decoded bytes; the same array for identity
     * @throws RefusedDelivery when the encoding is another than identity or one gzip, broken, or too large
     */
    static byte[] decoded(List<String> encodings, byte[] received, int maxBytes) throws RefusedDelivery {
        if (encodings.isEmpty() || encodings.size() == 1 && encodings.get(0).strip().equalsIgnoreCase("identity")) {
            return received;
        }
        if (encodings.size() > 1 || !encodings.get(0).strip().equalsIgnoreCase("gzip")) {
            throw new RefusedDelivery(Refusal.ENCODING);
        }
        try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(received))) {
            byte[] body = gzip.readNBytes(maxBytes + 1);
            if (body.length > maxBytes) {
                throw new RefusedDelivery(Refusal.SIZE);
            }
            return body;
        }
        catch (IOException e) {
            throw new RefusedDelivery(Refusal.ENCODING);
        }
    }
}
