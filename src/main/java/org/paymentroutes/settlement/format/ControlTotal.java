package org.paymentroutes.settlement.format;

/**
 * A number that the file declares about itself, and the same number counted from the lines that were read. A file where
 * the two differ must not be booked.
 *
 * @param name     what is counted, for example {@code rows} or {@code refunds}
 * @param currency ISO 4217 code for money in minor units; null for a plain count
 * @param declared the file's own word
 * @param counted  the same from the lines
 */
public record ControlTotal(String name, String currency, long declared, long counted) {

    /** @return whether the file is right about itself */
    public boolean holds() {
        return declared == counted;
    }
}
