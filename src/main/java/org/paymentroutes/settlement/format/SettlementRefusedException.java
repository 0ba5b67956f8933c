package org.paymentroutes.settlement.format;

/** The content of a file is not what its contract describes; nothing of it may be booked. */
public final class SettlementRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private static final int FOUND_MAX = 60;

    private final long line;
    private final String column;
    private final String found;
    private final String allowed;

    /**
     * @param line    line of the text, from 1; 0 when the file as a whole is meant
     * @param column  name of the column, field or element; null when a whole line is meant
     * @param found   what stands there; cut to a few characters. Must be no personal data
     * @param allowed what the contract allows there
     */
    public SettlementRefusedException(long line, String column, String found, String allowed) {
        super(message(line, column, printable(found), allowed));
        this.line = line;
        this.column = column;
        this.found = printable(found);
        this.allowed = allowed;
    }

    /** @return line of the text, from 1; 0 when the file as a whole is meant */
    public long line() {
        return line;
    }

    /** @return name of the column, field or element; null when a whole line is meant */
    public String column() {
        return column;
    }

    /** @return what stands there, cut */
    public String found() {
        return found;
    }

    /** @return what the contract allows there */
    public String allowed() {
        return allowed;
    }

    private static String message(long line, String column, String found, String allowed) {
        String where = line > 0 ? "Line " + line + (column == null ? "" : ", column " + column)
                : column == null ? "The file" : "Column " + column;
        return where + ": found " + found + ", allowed " + allowed + ".";
    }

    private static String printable(String found) {
        String clean = found.replaceAll("\\p{Cntrl}", " ");
        return clean.length() <= FOUND_MAX ? clean : clean.substring(0, FOUND_MAX) + "...";
    }
}
