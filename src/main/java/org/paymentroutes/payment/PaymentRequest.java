package org.paymentroutes.payment;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;

/**
 * What a caller asks for, checked.
 *
 * @param sourceReference the obligation that is paid: an invoice, an order, a payout line
 * @param operation       CHARGE, PAYOUT or REFUND
 * @param provider        name of the provider
 * @param account         our account at the provider
 * @param amountMinor     minor units, above 0
 * @param currency        ISO 4217 code
 * @param exponent        number of decimal digits of the currency
 * @param recipient       the provider's token for the other side; never a card number
 * @param description     free text; null when absent
 * @param details         further fields for the provider, sorted; may be empty
 * @param refundOf        id of the payment that a REFUND gives money back of; null for other operations
 */
public record PaymentRequest(String sourceReference, String operation, String provider, String account,
        long amountMinor, String currency, int exponent, String recipient, String description,
        SortedMap<String, String> details, String refundOf) {

    /** @return the amount as an exact decimal with all digits of the currency, for example {@code 12.30} */
    public String amount() {
        return BigDecimal.valueOf(amountMinor, exponent).toPlainString();
    }

    /** @return what is kept for the provider, ready to become JSON */
    Map<String, Object> instruction() {
        Map<String, Object> instruction = new LinkedHashMap<>();
        instruction.put("recipient", recipient);
        if (description != null) {
            instruction.put("description", description);
        }
        if (!details.isEmpty()) {
            instruction.put("details", details);
        }
        return instruction;
    }

    /**
     * The content without its form: the same for reordered JSON, and for an amount written either way. Each part is
     * preceded by its length, so that no two contents have the same text.
     */
    String canonical() {
        StringBuilder text = new StringBuilder();
        for (String part : new String[] {"v1", operation, provider, sourceReference, Long.toString(amountMinor), currency,
                recipient, description == null ? "-" : "+" + description}) {
            append(text, part);
        }
        details.forEach((name, value) -> {
            append(text, name);
            append(text, value);
        });
        if (refundOf != null) {
            // No detail has this name: names have no space.
            append(text, "refund of");
            append(text, refundOf);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, String part) {
        text.append(part.length()).append(':').append(part);
    }

    /** Names no content: what is asked for stays out of logs. */
    @Override
    public String toString() {
        return "PaymentRequest[" + operation + " by " + provider + "]";
    }
}
