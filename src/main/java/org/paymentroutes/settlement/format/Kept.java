package org.paymentroutes.settlement.format;

import java.util.regex.Pattern;

/** Makes the copy of a text that may be kept. */
final class Kept {

    private static final Pattern IBAN = Pattern.compile("(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])");
    private static final Pattern MAIL = Pattern.compile("[^\\s@,;]{1,64}@[^\\s@,;]{1,255}");
    private static final Pattern CARD = Pattern.compile("(?<![A-Za-z0-9])[0-9](?:[ -]?[0-9]){12,18}(?![A-Za-z0-9])");

    private Kept() {
    }

    /** @return the text without control characters, at most {@code max} long */
    static String text(CharSequence text, int max) {
        StringBuilder kept = new StringBuilder(Math.min(text.length(), max));
        for (int i = 0; i < text.length() && kept.length() < max; i++) {
            char c = text.charAt(i);
            kept.append(Character.isISOControl(c) ? ' ' : c);
        }
        // Half a surrogate pair is no text for the database.
        int last = kept.length() - 1;
        if (last >= 0 && Character.isHighSurrogate(kept.charAt(last))) {
            kept.setLength(last);
        }
        return kept.toString();
    }

    /** @return free text written by people, without account numbers, card numbers and mail addresses */
    static String freeText(String text, int max) {
        String masked = CARD.matcher(MAIL.matcher(IBAN.matcher(text(text, 2 * max)).replaceAll("***")).replaceAll("***")).replaceAll("***");
        return text(masked, max);
    }
}
