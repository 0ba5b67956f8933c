package org.paymentroutes.api;

import java.util.List;
import java.util.Map;
import org.springframework.web.util.HtmlUtils;

/** The report of a settlement file as a page for people: one table for each section, without scripts or anything from elsewhere. */
final class SettlementPage {

    private static final Map<String, String> TITLES = Map.of("RESULT", "What became of the lines", "EQUATION", "The control equation",
            "CLEARING", "What stands in the clearing account", "DIFFERENCE", "Differences", "MISSING", "Missing at the provider",
            "IN_TRANSIT", "Payouts in transit to a bank");
    private static final Map<String, List<String>> COLUMNS = Map.of(
            "RESULT", List.of("result", "kind", "currency", "lines", "amount", "difference"),
            "EQUATION", List.of("result", "currency", "amount"),
            "CLEARING", List.of("result", "currency", "lines", "amount"),
            "DIFFERENCE", List.of("line", "result", "rule", "kind", "amount", "currency", "difference", "reference", "providerPaymentId",
                    "providerLineId", "paymentId", "caseId"),
            "MISSING", List.of("paymentId", "reference", "kind", "amount", "currency"),
            "IN_TRANSIT", List.of("result", "reference", "providerLineId", "amount", "currency", "lineId", "caseId"));

    private SettlementPage() {
    }

    static String html(String file, List<Map<String, Object>> rows) {
        StringBuilder page = new StringBuilder("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Settlement file ")
                .append(HtmlUtils.htmlEscape(file)).append("</title></head><body><h1>Settlement file ").append(HtmlUtils.htmlEscape(file)).append("</h1>");
        String section = null;
        for (Map<String, Object> row : rows) {
            String next = (String) row.get("section");
            if (!next.equals(section)) {
                if (section != null) {
                    page.append("</tbody></table>");
                }
                section = next;
                page.append("<table border=\"1\"><caption>").append(TITLES.get(section)).append("</caption><thead><tr>");
                COLUMNS.get(section).forEach(column -> page.append("<th scope=\"col\">").append(column.equals("result") ? "what" : column).append("</th>"));
                page.append("</tr></thead><tbody>");
            }
            page.append("<tr>");
            for (String column : COLUMNS.get(section)) {
                boolean number = column.equals("amount") || column.equals("lines") || column.equals("difference");
                page.append(number ? "<td align=\"right\">" : "<td>").append(row.get(column) == null ? ""
                        : HtmlUtils.htmlEscape(row.get(column).toString())).append("</td>");
            }
            page.append("</tr>");
        }
        page.append(section == null ? "<p>No line of this file is decided yet.</p>" : "</tbody></table>");
        return page.append("</body></html>").toString();
    }
}
