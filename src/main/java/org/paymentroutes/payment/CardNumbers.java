package org.paymentroutes.payment;

import java.text.Normalizer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds card numbers, so that none is ever stored or shown. */
public final class CardNumbers {

    // 13 to 19 digits, alone or in groups divided by one space or dash, not part of a longer word or number.
    private static final Pattern DIGITS = Pattern.compile("(?<!\\p{Alnum})[0-9](?:[ -]?[0-9]){12,18}(?![\\p{Alnum}])");
    // Number ranges of the card schemes. Without them one in ten long order numbers would be refused.
    private static final Pattern ISSUER = Pattern.compile(
            "4.*|5[0-9].*|6[0-9].*|3[0-9].*|2(2(2[1-9]|[3-9])|[3-6]|7([01]|20)).*|81.*|220[0-4].*");

    private CardNumbers() {
    }

    /**
     * @param text anything; full-width and other compatibility digits count as digits
     * @return whether it contains a number with the range, length and check digit of a payment card
     */
    public static boolean isIn(String text) {
        if (text.length() < 13) {
            return false;
        }
        Matcher matcher = DIGITS.matcher(Normalizer.normalize(text, Normalizer.Form.NFKC));
        while (matcher.find()) {
            String digits = matcher.group().replaceAll("[ -]", "");
            if (ISSUER.matcher(digits).matches() && luhn(digits)) {
                return true;
            }
        }
        return false;
    }

    private static boolean luhn(String digits) {
        int sum = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(digits.length() - 1 - i) - '0';
            int doubled = i % 2 == 1 ? digit * 2 : digit;
            sum += doubled > 9 ? doubled - 9 : doubled;
        }
        return sum % 10 == 0;
    }
}
