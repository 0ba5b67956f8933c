package org.paymentroutes.webhook;

import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The part of Structured Fields (RFC 8941) that signatures need: dictionaries of inner lists with parameters, and of
 * byte sequences. Strict: what is not exactly in the form is refused.
 */
final class SignatureInput {

    /**
     * One covered component.
     *
     * @param name       lower-case header name, or a derived one such as {@code @method}
     * @param parameters by name; true for a flag
     * @param text       as it stands in the signature base
     */
    record Component(String name, Map<String, Object> parameters, String text) {
    }

    /**
     * One member of Signature-Input.
     *
     * @param components covered, in order
     * @param parameters created, keyid and so on: Long, String or Boolean
     * @param text       the member's value as it was sent, which is signed
     */
    record Member(List<Component> components, Map<String, Object> parameters, String text) {
    }

    private static final int COMPONENTS_MAX = 40;

    private final String text;
    private int at;

    private SignatureInput(String text) {
        this.text = text;
    }

    /** @return the member with this label, of a Signature-Input header */
    static Member member(String header, String label) throws RefusedDelivery {
        SignatureInput input = new SignatureInput(header);
        Member found = null;
        while (input.at < input.text.length()) {
            String key = input.key();
            input.expect('=');
            Member member = input.innerList();
            if (key.equals(label)) {
                // The last one of a name counts in a dictionary; here two of a name are an attack.
                if (found != null) {
                    throw malformed();
                }
                found = member;
            }
            input.separator();
        }
        if (found == null) {
            throw malformed();
        }
        return found;
    }

    /** @return the bytes with this label, of a Signature or Content-Digest header; null when there are none */
    static byte[] bytes(String header, String label) throws RefusedDelivery {
        SignatureInput input = new SignatureInput(header);
        byte[] found = null;
        while (input.at < input.text.length()) {
            String key = input.key();
            input.expect('=');
            byte[] value = input.byteSequence();
            if (key.equals(label)) {
                if (found != null) {
                    throw malformed();
                }
                found = value;
            }
            input.separator();
        }
        return found;
    }

    private Member innerList() throws RefusedDelivery {
        int start = at;
        expect('(');
        List<Component> components = new ArrayList<>();
        while (true) {
            skipSpaces();
            if (peek() == ')') {
                at++;
                break;
            }
            int from = at;
            String name = string();
            Map<String, Object> parameters = parameters();
            components.add(new Component(name, parameters, text.substring(from, at)));
            if (components.size() > COMPONENTS_MAX || peek() != ' ' && peek() != ')') {
                throw malformed();
            }
        }
        Map<String, Object> parameters = parameters();
        return new Member(components, parameters, text.substring(start, at));
    }

    private Map<String, Object> parameters() throws RefusedDelivery {
        Map<String, Object> parameters = new LinkedHashMap<>();
        while (peek() == ';') {
            at++;
            skipSpaces();
            String name = key();
            Object value = Boolean.TRUE;
            if (peek() == '=') {
                at++;
                value = peek() == '"' ? string() : peek() == '?' ? flag() : number();
            }
            if (parameters.put(name, value) != null) {
                throw malformed();
            }
        }
        return parameters;
    }

    private String key() throws RefusedDelivery {
        int start = at;
        while ((peek() >= 'a' && peek() <= 'z') || (at > start && (peek() >= '0' && peek() <= '9' || "_-.*".indexOf(peek()) >= 0))
                || (at == start && peek() == '*')) {
            at++;
        }
        if (at == start) {
            throw malformed();
        }
        return text.substring(start, at);
    }

    private String string() throws RefusedDelivery {
        expect('"');
        StringBuilder value = new StringBuilder();
        while (true) {
            char next = next();
            if (next == '"') {
                return value.toString();
            }
            if (next == '\\') {
                next = next();
                if (next != '"' && next != '\\') {
                    throw malformed();
                }
            }
            else if (next < 0x20 || next > 0x7e) {
                throw malformed();
            }
            value.append(next);
        }
    }

    private Boolean flag() throws RefusedDelivery {
        expect('?');
        char value = next();
        if (value != '0' && value != '1') {
            throw malformed();
        }
        return value == '1';
    }

    private Long number() throws RefusedDelivery {
        int start = at;
        while (peek() >= '0' && peek() <= '9' || at == start && peek() == '-') {
            at++;
        }
        if (!text.substring(start, at).matches("-?[0-9]{1,15}")) {
            throw malformed();
        }
        return Long.valueOf(text.substring(start, at));
    }

    private byte[] byteSequence() throws RefusedDelivery {
        expect(':');
        int end = text.indexOf(':', at);
        if (end < 0) {
            throw malformed();
        }
        try {
            byte[] value = Base64.getDecoder().decode(text.substring(at, end));
            at = end + 1;
            return value;
        }
        catch (IllegalArgumentException e) {
            throw malformed();
        }
    }

    private void separator() throws RefusedDelivery {
        skipSpaces();
        if (at == text.length()) {
            return;
        }
        expect(',');
        skipSpaces();
        if (at == text.length()) {
            throw malformed();
        }
    }

    private void skipSpaces() {
        while (peek() == ' ' || peek() == '\t') {
            at++;
        }
    }

    private void expect(char expected) throws RefusedDelivery {
        if (next() != expected) {
            throw malformed();
        }
    }

    private char next() throws RefusedDelivery {
        if (at >= text.length()) {
            throw malformed();
        }
        return text.charAt(at++);
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private static RefusedDelivery malformed() {
        return new RefusedDelivery(Refusal.HEADER);
    }
}
