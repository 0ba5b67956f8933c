package org.paymentroutes.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;

/** The last act of the demo: the provider's own file of what it moved, taken in, matched and booked. */
final class DemoSettlement {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final JdbcTemplate database;

    DemoSettlement(JdbcTemplate database) {
        this.database = database;
    }

    /**
     * Waits until the file is booked, or is with people, and its payments know of it.
     *
     * @param name    the file as it was delivered
     * @param seconds how long
     * @return the report as a line
     * @throws IllegalStateException when it is not booked in that time
     */
    String report(String name, int seconds) throws IOException, InterruptedException {
        long until = System.nanoTime() + seconds * 1_000_000_000L;
        while (System.nanoTime() < until) {
            List<String> reports = database.queryForList("select settlement_report(file_id)::text from settlement_file where name = ?"
                    + " and provider = 'sandbox' and (state = 'BOOKED' and all_told or state in ('REVIEW', 'REFUSED'))", String.class, name);
            if (!reports.isEmpty()) {
                return line(JSON.readTree(reports.get(0)));
            }
            Thread.sleep(500);
        }
        throw new IllegalStateException("the settlement file " + name + " is not booked after " + seconds + " s");
    }

    private static String line(JsonNode report) {
        Map<String, Long> results = new TreeMap<>();
        report.path("results").forEach(result -> results.merge(result.path("result").asText(), result.path("lines").asLong(), Long::sum));
        boolean holds = true;
        for (JsonNode equation : report.path("equation")) {
            holds &= equation.path("holds").asBoolean();
        }
        return "demo: settlement file " + report.path("name").asText() + " is " + report.path("state").asText() + ": "
                + report.path("lineCount").asLong() + " lines, "
                + results.entrySet().stream().map(result -> result.getKey() + " " + result.getValue()).collect(Collectors.joining(", "))
                + ", missing " + report.path("missingPayments").asLong() + ", control equation " + (holds ? "holds" : "DOES NOT HOLD");
    }
}
