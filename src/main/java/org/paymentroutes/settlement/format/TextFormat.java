package org.paymentroutes.settlement.format;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.regex.Pattern;

/** How the lines of a delimited text file are written. */
public final class TextFormat {

    private Charset encoding = StandardCharsets.UTF_8;
    private char delimiter = ',';
    private char quote = '"';
    private char escape;
    private char comment;
    private String cellPrefix = "";
    private boolean trim = true;
    private int headerWithin = 1;
    private Pattern end;
    private Pattern ignore;
    private boolean finalLineEnd;

    /** @param name a character set such as UTF-8, GB18030 or ISO-8859-1; bytes that are none of its characters are refused */
    public void setEncoding(String name) {
        try {
            this.encoding = Charset.forName(name);
        }
        catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            throw Options.wrong("text.encoding", name, "a character set such as UTF-8 or GB18030");
        }
    }

    /** @param text the character between cells, or TAB */
    public void setDelimiter(String text) {
        this.delimiter = Options.character("text.delimiter", text);
    }

    /** @param text the character around cells that contain a delimiter, or NONE */
    public void setQuote(String text) {
        this.quote = Options.character("text.quote", text);
    }

    /** @param text the character that makes the next one part of the cell, or NONE */
    public void setEscape(String text) {
        this.escape = Options.character("text.escape", text);
    }

    /** @param text the first character of comment lines, for example HASH; or NONE */
    public void setComment(String text) {
        this.comment = Options.character("text.comment", text);
    }

    /** @param cellPrefix what stands before the content of each cell, for example a back-tick */
    public void setCellPrefix(String cellPrefix) {
        this.cellPrefix = cellPrefix;
    }

    /** @param trim whether spaces and tabs around a cell belong to it (false) */
    public void setTrim(boolean trim) {
        this.trim = trim;
    }

    /** @param lines within how many lines that are no comments the header is looked for */
    public void setHeaderWithin(int lines) {
        this.headerWithin = lines;
    }

    /** @param pattern the line that must end the file: what comes before it is complete. Only comments may follow */
    public void setEnd(String pattern) {
        this.end = Options.pattern("text.end", pattern);
    }

    /** @param pattern whole lines that say nothing */
    public void setIgnore(String pattern) {
        this.ignore = Options.pattern("text.ignore", pattern);
    }

    /** @param required whether the last line must have a line end */
    public void setFinalLineEnd(boolean required) {
        this.finalLineEnd = required;
    }

    Charset encoding() {
        return encoding;
    }

    char delimiter() {
        return delimiter;
    }

    char quote() {
        return quote;
    }

    char escape() {
        return escape;
    }

    char comment() {
        return comment;
    }

    int headerWithin() {
        return headerWithin;
    }

    Pattern end() {
        return end;
    }

    Pattern ignore() {
        return ignore;
    }

    boolean finalLineEnd() {
        return finalLineEnd;
    }

    /** @return the cell without what does not belong to it */
    String clean(String cell) {
        String text = trim ? cell.strip() : cell;
        if (!cellPrefix.isEmpty() && text.startsWith(cellPrefix)) {
            text = text.substring(cellPrefix.length());
            return trim ? text.strip() : text;
        }
        return text;
    }

    void check() {
        if (delimiter == 0 || delimiter == quote || delimiter == escape || delimiter == comment) {
            throw Options.wrong("text.delimiter", delimiter, "a character with no other meaning");
        }
    }
}
