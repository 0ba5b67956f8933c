package org.paymentroutes.settlement.format;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The information field :86: of an entry, as banks write it: subfields {@code ?20} to {@code ?63} with SEPA keywords such as
 * {@code EREF+}, or {@code /EREF/...} between slashes. A reference may be cut in two by the end of a line or a subfield.
 */
final class SwiftText {

    private static final Pattern SUBFIELD = Pattern.compile("\\?([0-9]{2})");
    private static final Pattern KEYWORD = Pattern.compile("([A-Z]{3,4})\\+(.*)");
    private static final Pattern SLASHES = Pattern.compile("(?:^|.*/)EREF/([^/]{1,255})(?:/.*|$)");

    private final String code;
    private final StringBuilder reference = new StringBuilder();
    private final StringBuilder text = new StringBuilder();

    SwiftText(String value) {
        String joined = value.replace("\n", "");
        code = joined.matches("[0-9]{3}(\\?.*|$)") ? joined.substring(0, 3) : null;
        if (joined.indexOf('?') >= 0) {
            subfields(joined);
            return;
        }
        Matcher slashes = SLASHES.matcher(joined);
        if (slashes.matches()) {
            reference.append(slashes.group(1));
        }
        text.append(joined);
    }

    private void subfields(String joined) {
        Matcher matcher = SUBFIELD.matcher(joined);
        String keyword = "";
        int from = -1;
        int number = 0;
        boolean found = true;
        while (found) {
            found = matcher.find();
            if (from >= 0 && (number >= 20 && number <= 29 || number >= 60 && number <= 63)) {
                String part = joined.substring(from, found ? matcher.start() : joined.length());
                Matcher start = KEYWORD.matcher(part);
                boolean begins = start.matches();
                keyword = begins ? start.group(1) : keyword;
                String content = begins ? start.group(2) : part;
                (keyword.equals("EREF") ? reference : text).append(content);
            }
            if (found) {
                from = matcher.end();
                number = Integer.parseInt(matcher.group(1));
            }
        }
    }

    /** @return the bank's business code of three digits; null when there is none */
    String code() {
        return code;
    }

    /** @return the end-to-end reference, whole; null when there is none */
    String reference() {
        String clean = reference.toString().strip();
        return clean.isEmpty() || clean.equals("NOTPROVIDED") ? null : Kept.text(clean, 255);
    }

    /** @return what else the payer or the bank wrote; null when nothing */
    String text() {
        return text.isEmpty() ? null : text.toString();
    }
}
