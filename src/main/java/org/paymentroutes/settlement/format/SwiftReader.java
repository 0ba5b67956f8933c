package org.paymentroutes.settlement.format;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads SWIFT MT940 statements and MT942 reports, one field in memory at a time. */
final class SwiftReader implements SettlementReader {

    private static final Pattern TAG = Pattern.compile(":([0-9]{2}[A-Z]?):(.*)");
    // An envelope of SWIFT around the message; what it says is not needed.
    private static final Pattern ENVELOPE_START = Pattern.compile("\\{1:[^{}]*}(\\{[235]:.*})?\\{4:");
    private static final Pattern ENVELOPE_END = Pattern.compile("-}(\\{5:.*})?");
    private static final int MAX_LINE = 2000;
    private static final int MAX_FIELD = 8000;

    private final SettlementContract contract;
    private final Map<String, Integer> exponents;

    SwiftReader(SettlementContract contract, Map<String, Integer> exponents) {
        this.contract = contract;
        this.exponents = exponents;
    }

    @Override
    public SettlementHeader read(InputStream in, String name, Consumer<SettlementLine> lines) throws IOException {
        Lines text = new Lines(new StrictDecoder(in, contract.getText().encoding()), contract);
        SwiftStatement statement = new SwiftStatement(contract, exponents, lines);
        String tag = null;
        long tagLine = 0;
        StringBuilder value = new StringBuilder();
        String line;
        while ((line = text.next()) != null) {
            Matcher start = TAG.matcher(line);
            boolean end = line.equals("-") || ENVELOPE_END.matcher(line).matches();
            if (tag != null && (start.matches() || end)) {
                statement.field(tag, value.toString(), tagLine);
                tag = null;
            }
            if (end) {
                statement.end(text.number());
            }
            else if (start.matches()) {
                tag = start.group(1);
                tagLine = text.number();
                value.setLength(0);
                value.append(start.group(2));
            }
            else if (tag != null) {
                if (value.length() + line.length() > MAX_FIELD) {
                    throw new SettlementRefusedException(text.number(), tag, "more than " + MAX_FIELD + " characters", "a shorter field");
                }
                value.append('\n').append(line);
            }
            else if (!line.isBlank() && !ENVELOPE_START.matcher(line).matches()) {
                throw new SettlementRefusedException(text.number(), null, "text outside of a message", "a field such as :20:");
            }
        }
        if (tag != null || statement.open()) {
            throw new SettlementRefusedException(Math.max(text.number(), 1), tag, "the end of the file in a message",
                    "a message that ends with a line '-'");
        }
        return statement.header();
    }

    /** Lines of a text, counted. */
    private static final class Lines {

        private final StrictDecoder source;
        private final SettlementContract contract;
        private long number;

        Lines(StrictDecoder source, SettlementContract contract) {
            this.source = source;
            this.contract = contract;
        }

        long number() {
            return number;
        }

        String next() throws IOException {
            StringBuilder line = new StringBuilder();
            number++;
            try {
                int c = source.read();
                if (c == '\uFEFF' && number == 1) {
                    c = source.read();
                }
                if (c < 0) {
                    number--;
                    return null;
                }
                while (c >= 0 && c != '\n') {
                    if (c == 0 || line.length() >= MAX_LINE) {
                        throw new SettlementRefusedException(number, null, c == 0 ? "a NUL character" : "more than " + MAX_LINE + " characters",
                                "lines of text");
                    }
                    line.append((char) c);
                    c = source.read();
                }
            }
            catch (CharacterCodingException e) {
                throw new SettlementRefusedException(number, null, "bytes that are no character of " + contract.getText().encoding(),
                        "text in " + contract.getText().encoding());
            }
            int last = line.length() - 1;
            if (last >= 0 && line.charAt(last) == '\r') {
                line.setLength(last);
            }
            return line.toString();
        }
    }
}
