package org.paymentroutes.provider;

/** How a provider takes our key: 32 hexadecimal characters, and {@code -<n>} after a proven rejection. */
public final class KeyPolicy {

    private String header = "Idempotency-Key";
    private int maxLength = 255;
    private String characters = "A-Za-z0-9-";

    public String getHeader() {
        return header;
    }

    /** @param header the request header that carries the key; empty when the request's body does, as {@code $key} */
    public void setHeader(String header) {
        this.header = header.strip();
    }

    public int getMaxLength() {
        return maxLength;
    }

    /** @param maxLength longest key that the provider takes */
    public void setMaxLength(int maxLength) {
        this.maxLength = maxLength;
    }

    public String getCharacters() {
        return characters;
    }

    /** @param characters which characters the provider takes, as in a regular expression between brackets */
    public void setCharacters(String characters) {
        this.characters = characters;
    }

    /** @return whether the provider takes a key of this many generations */
    boolean takes(int generations) {
        String key = "0123456789abcdef0123456789abcdef" + (generations == 0 ? "" : "-" + generations);
        return key.length() <= maxLength && key.matches("[" + characters + "]+");
    }
}
