package org.paymentroutes.settlement.format;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;

/** Divides delimited text into records, one in memory at a time, each with the line it begins in. */
final class DelimitedRecords {

    private static final int MAX_RECORD = 64 * 1024;
    private static final int MAX_CELLS = 1000;

    private final StrictDecoder source;
    private final TextFormat format;
    private final List<String> cells = new ArrayList<>();
    private final StringBuilder cell = new StringBuilder();
    private final StringBuilder raw = new StringBuilder();
    private long line;
    private long lineEnds;
    private boolean comment;
    private boolean closed;

    DelimitedRecords(InputStream in, TextFormat format) {
        this.source = new StrictDecoder(in, format.encoding());
        this.format = format;
    }

    /**
     * Moves to the next record that is not blank.
     *
     * @return false at the end of the file
     * @throws SettlementRefusedException at bytes, quotes or lengths that cannot be right
     */
    boolean next() throws IOException {
        do {
            if (!record()) {
                return false;
            }
        }
        while (raw.toString().isBlank());
        return true;
    }

    /** @return line in which the record begins, from 1 */
    long line() {
        return line;
    }

    /** @return whether it is a comment; then it has no cells */
    boolean comment() {
        return comment;
    }

    /** @return the record as it stands in the file, without its line end */
    CharSequence raw() {
        return raw;
    }

    /** @return the cells, cleaned; valid until the next record */
    List<String> cells() {
        return cells;
    }

    /** @return whether the record ended with a line end and not with the file */
    boolean closed() {
        return closed;
    }

    private boolean record() throws IOException {
        cells.clear();
        raw.setLength(0);
        cell.setLength(0);
        line = lineEnds + 1;
        int c = read();
        if (c == '\uFEFF' && line == 1) {
            c = read();
        }
        if (c < 0) {
            return false;
        }
        comment = format.comment() != 0 && c == format.comment();
        if (comment) {
            while (c >= 0 && c != '\n') {
                keep(c);
                c = read();
            }
            end(c);
            return true;
        }
        while (true) {
            c = format.quote() != 0 && c == format.quote() ? quoted(c) : unquoted(c);
            cells.add(format.clean(cell.toString()));
            cell.setLength(0);
            if (cells.size() > MAX_CELLS) {
                throw new SettlementRefusedException(line, null, "more than " + MAX_CELLS + " cells", "fewer");
            }
            if (c != format.delimiter() || c < 0) {
                end(c);
                return true;
            }
            keep(c);
            c = read();
        }
    }

    private int unquoted(int first) throws IOException {
        int c = first;
        while (c >= 0 && c != '\n' && c != format.delimiter()) {
            keep(c);
            if (format.escape() != 0 && c == format.escape()) {
                c = read();
                if (c < 0 || c == '\n') {
                    throw new SettlementRefusedException(line, column(), "an escape character at the end", "a character after it");
                }
                keep(c);
            }
            boolean carriage = c == '\r';
            cell.append((char) c);
            c = read();
            // Of a file with old line ends all rows would be one, and a header with them no rows at all.
            if (carriage && c >= 0 && c != '\n' && c != '\r') {
                throw new SettlementRefusedException(line, column(), "a carriage return within the line", "line ends of LF or CR LF");
            }
        }
        int last = cell.length() - 1;
        if (c != format.delimiter() && last >= 0 && cell.charAt(last) == '\r') {
            cell.setLength(last);
        }
        return c;
    }

    private int quoted(int first) throws IOException {
        keep(first);
        while (true) {
            int c = read();
            if (c < 0) {
                throw new SettlementRefusedException(line, column(), "the end of the file in a quoted cell", "a closing quote");
            }
            keep(c);
            if (c == format.quote()) {
                int after = read();
                if (after != format.quote()) {
                    return blanksAfterQuote(after);
                }
                keep(after);
            }
            else if (c == '\n') {
                lineEnds++;
            }
            cell.append((char) c);
        }
    }

    private int blanksAfterQuote(int first) throws IOException {
        int c = first;
        while (c == ' ' || c == '\t' && format.delimiter() != '\t' || c == '\r') {
            c = read();
        }
        if (c >= 0 && c != '\n' && c != format.delimiter()) {
            throw new SettlementRefusedException(line, column(), "text after a closing quote", "the delimiter or the line end");
        }
        return c;
    }

    private void end(int c) {
        closed = c == '\n';
        if (closed) {
            lineEnds++;
        }
        int last = raw.length() - 1;
        if (last >= 0 && raw.charAt(last) == '\r') {
            raw.setLength(last);
        }
    }

    private void keep(int c) {
        if (c == 0) {
            throw new SettlementRefusedException(lineEnds + 1, column(), "a NUL character", "text");
        }
        if (raw.length() >= MAX_RECORD) {
            throw new SettlementRefusedException(line, column(), "more than " + MAX_RECORD + " characters", "a shorter line");
        }
        raw.append((char) c);
    }

    private String column() {
        return String.valueOf(cells.size() + 1);
    }

    private int read() throws IOException {
        try {
            return source.read();
        }
        catch (CharacterCodingException e) {
            throw new SettlementRefusedException(lineEnds + 1, column(), "bytes that are no character of " + format.encoding(),
                    "text in " + format.encoding());
        }
    }
}
