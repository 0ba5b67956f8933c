package org.paymentroutes.webhook;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads an event that is a form, {@code application/x-www-form-urlencoded}, which must have one meaning only: each
 * parameter once, every escape complete, every byte a character of the charset. It is then an object of texts, and the
 * pointer {@code /trade_no} names the parameter {@code trade_no}.
 */
final class EventForm {

    private static final Pattern CHARSET = Pattern.compile("(?i);\\s*charset\\s*=\\s*\"?([A-Za-z0-9_.:+-]{1,40})\"?\\s*(;|$)");

    private EventForm() {
    }

    /**
     * @param body        the bytes as they came
     * @param charset     the contract's; empty for the one that the content type names
     * @param contentType as it was sent; null for none
     * @return the parameters by name; null when it is no such form
     */
    static ObjectNode parse(byte[] body, String charset, String contentType) {
        ObjectNode form = JsonNodeFactory.instance.objectNode();
        try {
            Charset encoding = charset(charset, contentType);
            for (int from = 0, to; from < body.length; from = to + 1) {
                to = indexOf('&', body, from, body.length);
                int equals = indexOf('=', body, from, to);
                if (from < to) {
                    String name = decoded(body, from, equals, encoding);
                    if (name.isEmpty() || form.has(name)) {
                        return null;
                    }
                    form.put(name, decoded(body, Math.min(equals + 1, to), to, encoding));
                }
            }
        }
        catch (CharacterCodingException | IllegalArgumentException e) {
            return null;
        }
        return form.isEmpty() ? null : form;
    }

    /**
     * @param charset     the contract's; empty for the one that the content type names
     * @param contentType as it was sent; null for none
     * @return what the bytes of a form are characters of; UTF-8 where nobody says
     * @throws IllegalArgumentException when it is none that this Java knows
     */
    static Charset charset(String charset, String contentType) {
        Matcher named = CHARSET.matcher(contentType == null ? "" : contentType);
        return Charset.forName(!charset.isEmpty() ? charset : named.find() ? named.group(1) : "UTF-8");
    }

    private static int indexOf(char sign, byte[] body, int from, int to) {
        int at = from;
        while (at < to && body[at] != sign) {
            at++;
        }
        return at;
    }

    private static String decoded(byte[] body, int from, int to, Charset charset) throws CharacterCodingException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(to - from);
        for (int i = from; i < to; i++) {
            if (body[i] == '%') {
                if (i + 2 >= to) {
                    throw new IllegalArgumentException("an escape is cut");
                }
                bytes.write(hex(body[i + 1]) << 4 | hex(body[i + 2]));
                i += 2;
            }
            else {
                bytes.write(body[i] == '+' ? ' ' : body[i]);
            }
        }
        return charset.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
    }

    private static int hex(byte digit) {
        int value = digit < 0 ? -1 : Character.digit(digit, 16);
        if (value < 0) {
            throw new IllegalArgumentException("no hex digit");
        }
        return value;
    }
}
