package org.paymentroutes.settlement.format;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One column in the sum that makes an amount. */
record AmountRule(String column, boolean negative) {

    private static final Pattern TERM = Pattern.compile("(?:^| ([+-]) )(-?)(.+?)(?=$| [+-] )");

    /** @return the alternatives, each the terms of a sum */
    static List<List<AmountRule>> parse(String text) {
        List<List<AmountRule>> alternatives = new ArrayList<>();
        for (String alternative : text.split(" \\| ")) {
            List<AmountRule> terms = new ArrayList<>();
            Matcher matcher = TERM.matcher(alternative.strip());
            while (matcher.find()) {
                terms.add(new AmountRule(matcher.group(3).strip(), "-".equals(matcher.group(1)) != "-".equals(matcher.group(2))));
            }
            alternatives.add(terms);
        }
        return alternatives;
    }
}
