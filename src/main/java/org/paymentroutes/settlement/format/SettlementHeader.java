package org.paymentroutes.settlement.format;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What a settlement file says about itself as a whole, known when its last byte was read.
 *
 * @param statementId the file's own id of the statement or batch; null when it has none. Not unique for ever: banks repeat
 *                    them in other years
 * @param pageNo      1 when the format has no pages
 * @param lastPage    whether the statement ends with this file
 * @param periodFrom  start of the period that the file covers completely, inclusive; null when it does not say, and then the
 *                    absence of a payment proves nothing
 * @param periodTo    end of that period, exclusive; null with {@code periodFrom}
 * @param lineCount   lines handed to the consumer, ignored ones too
 * @param controls    declared totals with their counted values. Empty: the file could have been cut between two rows, and nothing
 *                    in it would tell
 * @param opening     opening balances in minor units by currency; empty when the file has none
 * @param closing     closing balances in minor units by currency; empty when the file has none
 * @param entries     sum of what is booked, net, in minor units by settlement currency
 */
public record SettlementHeader(
        String statementId,
        int pageNo,
        boolean lastPage,
        Instant periodFrom,
        Instant periodTo,
        long lineCount,
        List<ControlTotal> controls,
        Map<String, Long> opening,
        Map<String, Long> closing,
        Map<String, Long> entries) {

    /**
     * @return the totals for {@code settlement_file.declared}: {@code controls} as a list of objects with {@code name},
     *         {@code currency}, {@code declared} and {@code counted}; {@code opening}, {@code closing} and {@code entries} as
     *         objects of minor units by currency, left out when empty
     */
    public String declaredJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        for (ControlTotal control : controls) {
            json.withArray("/controls").addObject().put("name", control.name()).put("currency", control.currency())
                    .put("declared", control.declared()).put("counted", control.counted());
        }
        put(json, "opening", opening);
        put(json, "closing", closing);
        put(json, "entries", entries);
        return json.toString();
    }

    private static void put(ObjectNode json, String name, Map<String, Long> amounts) {
        amounts.forEach((currency, minor) -> json.withObject("/" + name).put(currency, minor));
    }
}
