package org.paymentroutes.support;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;

/** Settlement files of one provider, staged by plain SQL and taken through the functions of the schema. */
public final class SettlementFiles {

    private final JdbcTemplate jdbc;
    private final String provider;

    public SettlementFiles(JdbcTemplate jdbc, String provider) {
        this.jdbc = jdbc;
        this.provider = provider;
    }

    /** @return the values of a line of {@code settlement_line}; what is not given is its default */
    public static String line(String kind, String reference, String paymentId, String lineId, long amount, String more) {
        return "(kind, reference, provider_payment_id, provider_line_id, amount_minor, currency" + names(more) + ") values ('" + kind + "', "
                + text(reference) + ", " + text(paymentId) + ", " + text(lineId) + ", " + amount + ", " + ((";" + more).contains(";currency=") ? "" : "'EUR'")
                + values(more) + ")";
    }

    private static String names(String more) {
        StringBuilder names = new StringBuilder();
        for (String one : more.isEmpty() ? new String[0] : more.split(";")) {
            String name = one.substring(0, one.indexOf('='));
            if (!name.equals("currency")) {
                names.append(", ").append(name);
            }
        }
        return names.toString();
    }

    private static String values(String more) {
        StringBuilder values = new StringBuilder();
        for (String one : more.isEmpty() ? new String[0] : more.split(";")) {
            String value = one.substring(one.indexOf('=') + 1);
            if (one.startsWith("currency=")) {
                values.insert(0, text(value));
            }
            else {
                values.append(", ").append(text(value));
            }
        }
        return values.toString();
    }

    private static String text(String value) {
        return value == null ? "null" : "'" + value.replace("'", "''") + "'";
    }

    /** @return the id of a new file in state STAGING */
    public long begun() {
        String hash = (UUID.randomUUID().toString() + UUID.randomUUID()).replace("-", "");
        return jdbc.queryForObject("insert into settlement_file (provider, format, name, content_hash, bytes)"
                + " values (?, 'test', 'file.csv', ?, 1) returning file_id", Long.class, provider, hash);
    }

    /** Adds lines, numbered from 1. */
    public void add(long file, List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            jdbc.update("insert into settlement_line " + line.replaceFirst("^\\(", "(file_id, line_no, ").replaceFirst("values \\(",
                    "values (" + file + ", " + (i + 1) + ", "));
        }
    }

    /** @return the id of a new file in state STAGED, with what it declares in JSON and further columns as {@code name=value;...} */
    public long staged(String declared, String more, List<String> lines) {
        long file = begun();
        add(file, lines);
        StringBuilder set = new StringBuilder();
        for (String one : more.isEmpty() ? new String[0] : more.split(";")) {
            set.append(", ").append(one.substring(0, one.indexOf('='))).append(" = ").append(text(one.substring(one.indexOf('=') + 1)));
        }
        jdbc.update("update settlement_file set state = 'STAGED', declared = ?::jsonb, line_count = ?" + set + " where file_id = ?",
                declared, lines.size(), file);
        return file;
    }

    /** @return the id of a new file that was checked and, if it may be, booked */
    public long processed(String declared, String more, List<String> lines) {
        long file = staged(declared, more, lines);
        process(file);
        return file;
    }

    /** Checks a file and books what can be booked then. */
    public void process(long file) {
        for (Long ready : jdbc.queryForList("select settlement_check(?)", Long.class, file)) {
            jdbc.queryForList("select * from settlement_book(?)", ready);
        }
    }

    /** @return the state of the file */
    public String state(long file) {
        return jdbc.queryForObject("select state from settlement_file where file_id = ?", String.class, file);
    }

    /** @return the result of each line, in order */
    public List<String> results(long file) {
        return jdbc.queryForList("select result from settlement_match where file_id = ? order by line_no", String.class, file);
    }

    /** @return the postings of the file as {@code line.part event debit>credit amount currency}, in order */
    public List<String> postings(long file) {
        return jdbc.queryForList("select split_part(fact, ':', 3) || '.' || line || ' ' || event || ' ' || debit_account || '>' || credit_account"
                + " || ' ' || amount_minor || ' ' || currency from ledger_posting where fact like 'settlement:' || ? || ':%'"
                + " order by split_part(fact, ':', 3)::integer, line", String.class, file);
    }

    /** @return the open cases of the file and its lines, by subject */
    public List<Map<String, Object>> cases(long file) {
        return jdbc.queryForList("select * from review_case where closed_at is null and (subject = 'settlement-file:' || ?"
                + " or subject in (select 'settlement-line:' || line_id from settlement_line where file_id = ?)) order by case_id", file, file);
    }

    /** @return whether the control equation holds in each currency */
    public boolean equationHolds(long file) {
        return Boolean.TRUE.equals(jdbc.queryForObject("select coalesce(bool_and(holds), true) from settlement_equation(?)", Boolean.class, file));
    }
}
