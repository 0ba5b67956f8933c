package org.paymentroutes.payment;

/**
 * What is wrong with one field of a request. Safe to show: never longer than it must be, never a card number.
 *
 * @param field   name or path of the field, header or parameter
 * @param found   what was there, cut to 40 characters
 * @param allowed what may be there
 */
public record FieldError(String field, String found, String allowed) {

    private static final int FOUND_MAX = 40;

    /** Hides card numbers and control characters, and cuts what is long. */
    public FieldError {
        field = shown(field);
        found = found == null ? "nothing" : shown(found);
    }

    /** @return an error whose value is nobody's business, for example a recipient */
    static FieldError hidden(String field, String allowed) {
        return new FieldError(field, "(not shown)", allowed);
    }

    private static String shown(String text) {
        if (CardNumbers.isIn(text)) {
            return "(hidden: looks like a card number)";
        }
        String printable = text.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
        return printable.length() <= FOUND_MAX ? printable
                : printable.substring(0, printable.offsetByCodePoints(0, Math.min(FOUND_MAX - 1,
                        printable.codePointCount(0, printable.length())))) + "…";
    }
}
