package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.util.RawValue;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.FieldError;
import org.springframework.stereotype.Component;
import org.springframework.web.util.UriComponentsBuilder;

/** Reads of review cases: checks parameters for the statements, and words the answers. */
@Component("reviewReads")
public class ReviewReads {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern ID = Pattern.compile("[1-9][0-9]{0,17}");
    private static final String LIMIT_DEFAULT = "50";

    /** What a parameter may be, in a pattern and in words. */
    private record Rule(Pattern pattern, String words) {

        static Rule of(String pattern, String words) {
            return new Rule(Pattern.compile(pattern), words);
        }
    }

    private static final Map<String, Rule> RULES = Map.of(
            "state", Rule.of("open|closed|all", "one of open, closed, all"),
            "category", Rule.of("NOT_EXECUTED|RECEIPT_MISSING|STATE_CONFLICT|DIFFERENCE",
                    "one of DIFFERENCE, NOT_EXECUTED, RECEIPT_MISSING, STATE_CONFLICT"),
            "provider", Rule.of("[a-z][a-z0-9-]{0,39}", "the name of a provider"),
            "subject", Rule.of("payment|settlement-file|settlement-line|settlement-payout|webhook",
                    "one of payment, settlement-file, settlement-line, settlement-payout, webhook"),
            "minAge", Rule.of("[1-9][0-9]{0,4}[smhd]", "a number and s, m, h or d, such as 30m"),
            "minAmount", Rule.of("[0-9]{1,15}(\\.[0-9]{1,4})?", "a decimal amount, such as 12.34"),
            "order", Rule.of("risk|age|amount", "one of risk, age, amount"),
            "limit", Rule.of("[1-9][0-9]?|1[0-9][0-9]|200", "an integer from 1 to 200"),
            "offset", Rule.of("[0-9]{1,6}", "an integer from 0 to 999999"));
    private static final Set<String> NAMES = new TreeSet<>(RULES.keySet());

    /** Sets the body to the parameters of {@code sql/review-list.sql}, and the variable {@code query}. */
    public void list(Exchange exchange) {
        Map<String, String> query = HttpRequests.parameters(HttpRequests.of(exchange), NAMES);
        List<FieldError> errors = new ArrayList<>();
        query.forEach((name, value) -> {
            if (!RULES.get(name).pattern().matcher(value).matches()) {
                errors.add(new FieldError(name, value, RULES.get(name).words()));
            }
        });
        HttpRequests.refuse(errors);
        Map<String, Object> parameters = new HashMap<>();
        NAMES.forEach(name -> parameters.put(name, query.getOrDefault(name, "")));
        parameters.put("state", query.getOrDefault("state", "open").replace("all", ""));
        parameters.put("order", query.getOrDefault("order", "risk"));
        parameters.put("limit", query.getOrDefault("limit", LIMIT_DEFAULT));
        parameters.put("offset", query.getOrDefault("offset", "0"));
        exchange.setVariable("query", query);
        exchange.getMessage().setBody(parameters);
    }

    /** Answers with the page of the row, how many cases there are in all, and the link to the next page. */
    public void page(Exchange exchange) {
        Map<?, ?> row = exchange.getMessage().getBody(Map.class);
        Map<?, ?> query = exchange.getVariable("query", Map.class);
        long total = ((Number) row.get("total")).longValue();
        int limit = Integer.parseInt(query.containsKey("limit") ? (String) query.get("limit") : LIMIT_DEFAULT);
        int end = (query.containsKey("offset") ? Integer.parseInt((String) query.get("offset")) : 0) + limit;
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("items", new RawValue((String) row.get("items")));
        page.put("total", total);
        if (end < total) {
            UriComponentsBuilder next = UriComponentsBuilder.fromPath("/api/review/cases");
            query.forEach((name, value) -> {
                if (!"offset".equals(name)) {
                    next.queryParam((String) name, value);
                }
            });
            page.put("next", next.queryParam("offset", end).encode().toUriString());
        }
        try {
            HttpAnswer.set(exchange, 200, HttpAnswer.JSON, JSON.writeValueAsString(page), Map.of());
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException("the database made this JSON", e);
        }
    }

    /** Sets the body to the parameter of {@code sql/review-case.sql}. */
    public void one(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        exchange.getMessage().setBody(Map.of("caseId", id(http, 1)));
    }

    /**
     * @param http    the request
     * @param fromEnd which part of the path it is, 1 for the last one
     * @return the number there
     * @throws ProblemException 404 when it is none
     */
    static String id(HttpServletRequest http, int fromEnd) {
        String[] path = http.getRequestURI().split("/");
        String id = path[path.length - fromEnd];
        if (!ID.matcher(id).matches()) {
            throw new ProblemException(PaymentReads.notFound());
        }
        return id;
    }
}
