package org.paymentroutes.config;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.component.sql.DefaultSqlPrepareStatementStrategy;
import org.apache.camel.support.LRUCacheFactory;

/**
 * Finds the parameters of a statement once and not at each use. Camel's own strategy, whose answers these are, reads the
 * whole statement with four regular expressions each time and looks for a converter of the body to a map for each
 * parameter; for the statement that records answers that took longer than the database.
 *
 * <p>A parameter {@code :?name} is the value of a body that is a map, of a header or of a variable, in this order;
 * {@code :?${...}} is an expression. Statements with lists ({@code :?in:name}) or expressions in expressions are left to
 * Camel.
 */
class SqlParameters extends DefaultSqlPrepareStatementStrategy {

    private static final Pattern PARAMETER = Pattern.compile(":\\?(\\w+|\\$\\{[^${}]+})");
    private static final int STATEMENTS = 1000;

    private final Map<String, Statement> statements = LRUCacheFactory.newLRUCache(STATEMENTS);
    private final Map<String, Expression> expressions = LRUCacheFactory.newLRUCache(STATEMENTS);

    @Override
    public String prepareQuery(String query, boolean named, Exchange exchange) throws SQLException {
        Statement statement = statement(query);
        return named && statement.ours ? statement.prepared : super.prepareQuery(query, named, exchange);
    }

    @Override
    public Iterator<?> createPopulateIterator(String query, String prepared, int expected, Exchange exchange, Object body)
            throws SQLException {
        Statement statement = statement(query);
        if (!statement.ours || statement.parameters.isEmpty()) {
            return super.createPopulateIterator(query, prepared, expected, exchange, body);
        }
        List<Object> values = new ArrayList<>(statement.parameters.size());
        for (String parameter : statement.parameters) {
            if (parameter.startsWith("$")) {
                values.add(expression(parameter, exchange).evaluate(exchange, Object.class));
            }
            else if (body instanceof Map<?, ?> map && map.containsKey(parameter)) {
                values.add(map.get(parameter));
            }
            else if (exchange.getIn().getHeaders().containsKey(parameter)) {
                values.add(exchange.getIn().getHeader(parameter));
            }
            else if (exchange.getVariables().containsKey(parameter)) {
                values.add(exchange.getVariable(parameter));
            }
            else {
                return super.createPopulateIterator(query, prepared, expected, exchange, body);
            }
        }
        return values.iterator();
    }

    private Statement statement(String query) throws SQLException {
        Statement statement = statements.get(query);
        if (statement == null) {
            List<String> parameters = new ArrayList<>();
            Matcher matcher = PARAMETER.matcher(query);
            while (matcher.find()) {
                parameters.add(matcher.group(1));
            }
            String prepared = matcher.replaceAll("?");
            boolean same = !query.contains(":?in:") && prepared.equals(super.prepareQuery(query, true, null));
            statement = new Statement(prepared, parameters, same);
            statements.put(query, statement);
        }
        return statement;
    }

    private Expression expression(String text, Exchange exchange) {
        return expressions.computeIfAbsent(text, t -> exchange.getContext().resolveLanguage("simple").createExpression(t));
    }

    /**
     * @param prepared   the statement with a question mark for each parameter
     * @param parameters their names or expressions, in order
     * @param ours       whether Camel prepares it as we do
     */
    private record Statement(String prepared, List<String> parameters, boolean ours) {
    }
}
