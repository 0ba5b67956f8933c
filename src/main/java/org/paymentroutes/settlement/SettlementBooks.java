package org.paymentroutes.settlement;

import java.util.List;
import java.util.Map;
import org.apache.camel.Exchange;
import org.paymentroutes.support.NamedSql;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.stereotype.Component;

/** The steps of settlement files that may take minutes: each is one statement of the folder {@code sql}, and one transaction. */
@Component("settlementBooks")
public class SettlementBooks {

    private static final Logger LOG = LoggerFactory.getLogger(SettlementBooks.class);
    private static final String FILE = "settlementFile";

    private final SettlementDatabase database;

    SettlementBooks(SettlementDatabase database) {
        this.database = database;
    }

    /** Sets the body to the ids of the files that can be booked now that the one of the variable {@code settlementFile} is checked. */
    public void check(Exchange exchange) {
        exchange.getMessage().setBody(run("settlement-check", exchange.getVariable(FILE, Long.class)).stream()
                .map(row -> (Long) row.get("file_id")).toList());
    }

    /** Books the file whose id is the body: all of its lines, or nothing. */
    public void book(Exchange exchange) {
        long file = exchange.getMessage().getBody(Long.class);
        List<Map<String, Object>> results = run("settlement-book", file);
        LOG.info("Settlement file {} is booked: {}", file, results);
    }

    /** Sets the body to the report of what booking the file of the variable {@code settlementFile} would do; null when it cannot be tried. */
    public void dryRun(Exchange exchange) {
        List<Map<String, Object>> rows = run("settlement-dry-run", exchange.getVariable(FILE, Long.class));
        exchange.getMessage().setBody(rows.isEmpty() ? null : rows.get(0).get("document"));
    }

    /** Sets the variables {@code settlementState} and {@code settlementWhy} to what the file of the variable {@code settlementFile} came to. */
    public void state(Exchange exchange) {
        Map<String, Object> row = run("settlement-state", exchange.getVariable(FILE, Long.class)).get(0);
        exchange.setVariable("settlementState", row.get("state"));
        exchange.setVariable("settlementWhy", row.get("why"));
    }

    private List<Map<String, Object>> run(String statement, Long file) {
        return new NamedParameterJdbcTemplate(database.jdbc()).queryForList(NamedSql.load(statement), Map.of("file", file));
    }
}
