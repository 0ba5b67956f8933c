package org.paymentroutes.provider;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.paymentroutes.support.NamedSql;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Reads the kept answers of a provider again by the lists of its contract that hold now, page by page, and keeps what is
 * read differently as a proposal. Calls nobody and changes no payment.
 */
@Component
public class Reclassifier {

    /** So many differences are one proposal; more are a reason to look at the lists again, or at a shorter time. */
    static final int DIFFERENCES_MAX = 10_000;

    private final NamedParameterJdbcTemplate database;
    private final TransactionTemplate transaction;
    private final Answers answers;

    Reclassifier(DataSource source, NamedParameterJdbcTemplate database, Answers answers) {
        this.database = database;
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(source));
        this.answers = answers;
    }

    /** More answers would be read differently than one proposal holds. */
    public static final class TooManyDifferencesException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        TooManyDifferencesException() {
            super("more than " + DIFFERENCES_MAX + " answers would be read differently");
        }
    }

    /**
     * @param provider name of a provider of this application
     * @param from     answers received at or after this time, RFC 3339
     * @param to       and before this time
     * @param reason   why, for the second person
     * @param actor    who proposes it
     * @return id of the proposal
     * @throws TooManyDifferencesException when it is too much for one
     * @throws IllegalArgumentException    when there is no such provider
     */
    public long propose(String provider, String from, String to, String reason, String actor) {
        MapSqlParameterSource period = new MapSqlParameterSource().addValue("provider", provider).addValue("from", from).addValue("to", to);
        Long last = database.queryForObject("select coalesce(max(evidence_id), 0) from evidence", period, Long.class);
        List<Map<String, Object>> differences = new ArrayList<>();
        long read = 0;
        long unreadable = 0;
        long after = 0;
        List<Map<String, Object>> page;
        do {
            page = database.queryForList(NamedSql.load("stored-answers"), period.addValue("after", after).addValue("last", last));
            for (Map<String, Object> answer : page) {
                after = ((Number) answer.get("evidence_id")).longValue();
                Optional<Map<String, Object>> now = again(provider, answer);
                read++;
                if (now.isEmpty()) {
                    unreadable++;
                }
                else if (!Objects.equals(now.get().get("verdict"), answer.get("verdict"))
                        || !Objects.equals(now.get().get("mismatch"), answer.get("mismatch"))) {
                    differences.add(difference(answer, now.get()));
                    if (differences.size() > DIFFERENCES_MAX) {
                        throw new TooManyDifferencesException();
                    }
                }
            }
        }
        while (!page.isEmpty());
        period.addValue("reason", reason).addValue("answers", read).addValue("unreadable", unreadable)
                .addValue("differences", differences.size()).addValue("actor", actor);
        return transaction.execute(status -> keep(period, differences));
    }

    private Long keep(MapSqlParameterSource proposal, List<Map<String, Object>> differences) {
        Long id = database.queryForObject(NamedSql.load("propose-reclassification"), proposal, Long.class);
        database.batchUpdate(NamedSql.load("propose-reclassification-item"), differences.stream()
                .map(difference -> new MapSqlParameterSource(difference).addValue("reclassificationId", id))
                .toArray(SqlParameterSource[]::new));
        return id;
    }

    /**
     * @param provider its name
     * @return answers on no list of its contract, by what they said, the most frequent first, each with an example; what a
     *         list has taken up since is left out
     * @throws IllegalArgumentException when there is no such provider
     */
    public List<Map<String, Object>> unlisted(String provider) {
        List<Map<String, Object>> rows = database.queryForList(
                NamedSql.load("unlisted-words"), Map.of("provider", provider));
        return rows.stream().filter(row -> again(provider, row).map(now -> Verdict.AMBIGUOUS.name().equals(now.get("verdict"))
                || Verdict.UNREACHABLE.name().equals(now.get("verdict"))).orElse(true)).toList();
    }

    private Optional<Map<String, Object>> again(String provider, Map<String, Object> answer) {
        return answers.again(provider, "QUERY".equals(answer.get("source")), ((Number) answer.get("http_status")).intValue(),
                (String) answer.get("answer"), answer);
    }

    private static Map<String, Object> difference(Map<String, Object> answer, Map<String, Object> now) {
        Map<String, Object> difference = new HashMap<>();
        difference.put("evidenceId", answer.get("evidence_id"));
        difference.put("oldVerdict", answer.get("verdict"));
        difference.put("verdict", now.get("verdict"));
        difference.put("mismatch", now.get("mismatch"));
        difference.put("providerPaymentId", now.get("provider_payment_id"));
        difference.put("amountMinor", now.get("amount_minor"));
        difference.put("code", now.get("code"));
        difference.put("reason", now.get("reason"));
        return difference;
    }
}
