package org.paymentroutes.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Tables as CSV (RFC 4180) that a spreadsheet does not run: what would begin a formula there gets an apostrophe before it. */
final class SpreadsheetText {

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?");
    private static final String STARTS = "=+-@\t\r\n|%";

    private SpreadsheetText() {
    }

    static String csv(List<String> columns, List<Map<String, Object>> rows) {
        StringBuilder text = new StringBuilder(String.join(",", columns)).append("\r\n");
        for (Map<String, Object> row : rows) {
            for (int i = 0; i < columns.size(); i++) {
                text.append(i == 0 ? "" : ",").append(cell(row.get(columns.get(i))));
            }
            text.append("\r\n");
        }
        return text.toString();
    }

    private static String cell(Object value) {
        if (value == null) {
            return "";
        }
        String text = value.toString();
        if (!text.isEmpty() && STARTS.indexOf(text.charAt(0)) >= 0 && !NUMBER.matcher(text).matches()) {
            text = "'" + text;
        }
        return text.matches("(?s).*[\",\r\n;'].*") ? "\"" + text.replace("\"", "\"\"") + "\"" : text;
    }

    /**
     * @param text CSV with comma or semicolon, as spreadsheets write it
     * @return its rows as lists of cells; the apostrophe of a kept formula stays
     * @throws IllegalArgumentException when a quote does not end
     */
    static List<List<String>> rows(String text) {
        String clean = text.startsWith("\uFEFF") ? text.substring(1) : text;
        int line = clean.indexOf('\n');
        String head = line < 0 ? clean : clean.substring(0, line);
        char separator = head.indexOf(';') >= 0 && head.indexOf(',') < 0 ? ';' : ',';
        List<List<String>> rows = new ArrayList<>();
        List<String> row = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < clean.length(); i++) {
            char c = clean.charAt(i);
            if (quoted) {
                if (c == '"' && i + 1 < clean.length() && clean.charAt(i + 1) == '"') {
                    cell.append('"');
                    i++;
                }
                else if (c == '"') {
                    quoted = false;
                }
                else {
                    cell.append(c);
                }
            }
            else if (c == '"') {
                quoted = true;
            }
            else if (c == separator || c == '\n') {
                row.add(cell.toString());
                cell.setLength(0);
                if (c == '\n') {
                    rows.add(row);
                    row = new ArrayList<>();
                }
            }
            else if (c != '\r') {
                cell.append(c);
            }
        }
        if (quoted) {
            throw new IllegalArgumentException("a quote does not end");
        }
        if (cell.length() > 0 || !row.isEmpty()) {
            row.add(cell.toString());
            rows.add(row);
        }
        return rows;
    }
}
