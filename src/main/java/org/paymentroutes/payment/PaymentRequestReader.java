package org.paymentroutes.payment;

import java.math.BigDecimal;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.paymentroutes.payment.StrictJson.Kind;
import org.paymentroutes.payment.StrictJson.Value;

/** Checks the fields of one request and collects everything that is wrong with them. */
final class PaymentRequestReader {

    private static final List<String> FIELDS = List.of("sourceReference", "operation", "provider", "amountMinor", "amount",
            "currency", "recipient", "description", "details");
    private static final List<String> REFUND_FIELDS = List.of("amountMinor", "amount", "reason", "sourceReference", "details");
    private static final Pattern DECIMAL = Pattern.compile("(0|[1-9][0-9]{0,18})(\\.[0-9]{1,4})?");
    private static final Pattern TOKEN = Pattern.compile("[!-~]{1,255}");
    private static final Pattern DETAIL_NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final int DETAILS_MAX = 20;
    // Default_Ignorable_Code_Point of Unicode, without the format characters, which no text of ours may hold.
    private static final Pattern INVISIBLE = Pattern.compile("[\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u3164\\uFE00-\\uFE0F"
            + "\\uFFA0\\x{E0100}-\\x{E01EF}]");

    private final Map<String, Value> fields;
    private final Map<String, Integer> currencies;
    private final Map<String, String> providers;
    private final List<FieldError> errors = new ArrayList<>();

    private PaymentRequestReader(Map<String, Value> fields, Map<String, Integer> currencies, Map<String, String> providers) {
        this.fields = fields;
        this.currencies = currencies;
        this.providers = providers;
    }

    /**
     * @param fields     the request
     * @param currencies exponent by ISO 4217 code
     * @param providers  our account by provider name
     * @return the checked request
     * @throws RefusedRequestException with every field that is wrong
     */
    static PaymentRequest read(Map<String, Value> fields, Map<String, Integer> currencies, Map<String, String> providers) {
        return new PaymentRequestReader(fields, currencies, providers).read();
    }

    /**
     * @param fields     the request
     * @param payment    what is refunded
     * @param currencies exponent by ISO 4217 code
     * @return the checked request
     * @throws RefusedRequestException with every field that is wrong
     */
    static PaymentRequest refund(Map<String, Value> fields, RefundedPayment payment, Map<String, Integer> currencies) {
        return new PaymentRequestReader(fields, currencies, Map.of()).refund(payment);
    }

    private PaymentRequest refund(RefundedPayment payment) {
        refuseOthers(REFUND_FIELDS);
        Integer exponent = currencies.get(payment.currency());
        Long amountMinor = amount(payment.currency(), exponent);
        String reason = text("reason", 500, true);
        String reference = reference(false);
        SortedMap<String, String> details = details();
        refuseWrong();
        return new PaymentRequest(reference == null ? payment.sourceReference() : reference, "REFUND", payment.provider(),
                payment.account(), amountMinor, payment.currency(), exponent, payment.recipient(), reason, details, payment.paymentId());
    }

    private void refuseOthers(List<String> allowed) {
        fields.keySet().stream().filter(name -> !allowed.contains(name)).forEach(name ->
                errors.add(new FieldError(name, "an unknown field", "one of " + String.join(", ", allowed))));
    }

    private void refuseWrong() {
        if (!errors.isEmpty()) {
            throw new RefusedRequestException(RefusedRequestException.Kind.INVALID,
                    errors.size() == 1 ? "One field is wrong." : errors.size() + " fields are wrong.", errors);
        }
    }

    private PaymentRequest read() {
        refuseOthers(FIELDS);
        String sourceReference = reference(true);
        String operation = operation();
        String provider = provider();
        String currency = currency();
        Integer exponent = currency == null ? null : currencies.get(currency);
        Long amountMinor = amount(currency, exponent);
        String recipient = recipient();
        String description = text("description", 500, false);
        SortedMap<String, String> details = details();
        refuseWrong();
        return new PaymentRequest(sourceReference, operation, provider, providers.get(provider), amountMinor, currency,
                exponent, recipient, description, details, null);
    }

    private String operation() {
        String value = string("operation", "CHARGE or PAYOUT");
        if (value == null || value.equals("CHARGE") || value.equals("PAYOUT")) {
            return value;
        }
        return wrong("operation", value, value.equals("REFUND")
                ? "CHARGE or PAYOUT; a REFUND is asked for at /api/payments/{paymentId}/refunds" : "CHARGE or PAYOUT");
    }

    private String provider() {
        String known = providers.isEmpty() ? "a provider; none is configured"
                : "one of " + String.join(", ", new TreeSet<>(providers.keySet()));
        String value = string("provider", known);
        return value == null || providers.containsKey(value) ? value : wrong("provider", value, known);
    }

    private String currency() {
        String allowed = "an active ISO 4217 code such as EUR";
        String value = string("currency", allowed);
        return value == null || currencies.containsKey(value) ? value : wrong("currency", value, allowed);
    }

    private Long amount(String currency, Integer exponent) {
        Value minor = fields.get("amountMinor");
        Value decimal = fields.get("amount");
        if ((minor == null) == (decimal == null)) {
            wrong("amountMinor", minor == null ? null : "amountMinor and amount", "either amountMinor or amount");
            return null;
        }
        return minor != null ? amountMinor(minor) : amountDecimal(decimal, currency, exponent);
    }

    private Long amountMinor(Value value) {
        if (value.kind() == Kind.INTEGER && value.text().matches("[1-9][0-9]{0,18}")) {
            BigDecimal number = new BigDecimal(value.text());
            if (number.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0) {
                return number.longValueExact();
            }
        }
        wrong("amountMinor", value.text(), "a JSON integer from 1 to " + Long.MAX_VALUE + ", in minor units, digits only");
        return null;
    }

    private Long amountDecimal(Value value, String currency, Integer exponent) {
        String allowed = exponent == null ? "a decimal in a JSON string, such as \"12.34\""
                : "a decimal in a JSON string with " + exponent + " decimals for " + currency + ", such as \""
                        + BigDecimal.valueOf(1234, exponent).toPlainString() + "\", above 0 and at most "
                        + BigDecimal.valueOf(Long.MAX_VALUE, exponent).toPlainString();
        if (value.kind() == Kind.STRING && DECIMAL.matcher(value.text()).matches()) {
            if (exponent == null) {
                return null;
            }
            BigDecimal number = new BigDecimal(value.text());
            if (number.scale() == exponent && number.signum() > 0
                    && number.compareTo(BigDecimal.valueOf(Long.MAX_VALUE, exponent)) <= 0) {
                return number.unscaledValue().longValueExact();
            }
        }
        wrong("amount", value.kind() == Kind.STRING ? value.text() : value.text() + " (not a string)", allowed);
        return null;
    }

    private String recipient() {
        String allowed = "the provider's token for the recipient: 1 to 255 visible ASCII characters, not a card number";
        Value value = fields.get("recipient");
        if (value == null) {
            return wrong("recipient", null, allowed);
        }
        if (value.kind() == Kind.STRING && TOKEN.matcher(value.text()).matches() && !CardNumbers.isIn(value.text())) {
            return value.text();
        }
        errors.add(FieldError.hidden("recipient", allowed));
        return null;
    }

    private SortedMap<String, String> details() {
        SortedMap<String, String> details = new TreeMap<>();
        Value value = fields.get("details");
        if (value == null) {
            return details;
        }
        if (value.kind() != Kind.OBJECT) {
            wrong("details", value.text(), "an object of strings");
            return details;
        }
        if (value.fields().size() > DETAILS_MAX) {
            wrong("details", value.fields().size() + " fields", "at most " + DETAILS_MAX + " fields");
            return details;
        }
        value.fields().forEach((name, detail) -> {
            String path = "details." + name;
            if (!DETAIL_NAME.matcher(name).matches() || CardNumbers.isIn(name)) {
                wrong(path, "this name", "names of 1 to 64 letters, digits, '_', '.' and '-', not a card number");
            }
            else if (detail.kind() != Kind.STRING) {
                wrong(path, detail.text() + " (not a string)", "a string");
            }
            else if (!isText(detail.text(), 500)) {
                errors.add(FieldError.hidden(path, textRule(500)));
            }
            else {
                details.put(name, detail.text());
            }
        });
        return details;
    }

    // It names the obligation, of which there is one open payment: two spellings that look alike would be two payments.
    private String reference(boolean required) {
        String value = text("sourceReference", 200, required);
        if (value == null || Normalizer.isNormalized(value, Normalizer.Form.NFC) && !INVISIBLE.matcher(value).find()
                && value.codePoints().noneMatch(c -> c != ' ' && Character.isSpaceChar(c))) {
            return value;
        }
        return wrong("sourceReference", value, textRule(200) + ", in Unicode form NFC, no invisible characters, no space but U+0020");
    }

    private String text(String field, int lengthMax, boolean required) {
        if (!required && fields.get(field) == null) {
            return null;
        }
        String value = string(field, textRule(lengthMax));
        if (value == null || isText(value, lengthMax)) {
            return value;
        }
        return wrong(field, value, textRule(lengthMax));
    }

    private String string(String field, String allowed) {
        Value value = fields.get(field);
        if (value == null) {
            return wrong(field, null, allowed);
        }
        return value.kind() == Kind.STRING ? value.text() : wrong(field, value.text() + " (not a string)", allowed);
    }

    // Neither control characters nor half of a surrogate pair: PostgreSQL and providers store neither.
    private static boolean isText(String value, int lengthMax) {
        return !value.isBlank() && value.strip().length() == value.length() && value.length() <= lengthMax
                && value.codePoints().noneMatch(c -> Character.isISOControl(c)
                        || Character.getType(c) == Character.SURROGATE || Character.getType(c) == Character.FORMAT)
                && !CardNumbers.isIn(value);
    }

    private static String textRule(int lengthMax) {
        return "1 to " + lengthMax + " characters, no control characters, no space around it, no card number";
    }

    private String wrong(String field, String found, String allowed) {
        errors.add(new FieldError(field, found, allowed));
        return null;
    }
}
