package org.paymentroutes.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.RuntimeExchangeException;
import org.apache.camel.component.sql.DefaultSqlPrepareStatementStrategy;
import org.apache.camel.component.sql.SqlHelper;
import org.apache.camel.component.sql.SqlPrepareStatementStrategy;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.CompositeIterator;

/** The values and the prepared statement are those of Camel's own strategy. */
class SqlParametersTest {

    private static final DefaultCamelContext CONTEXT = new DefaultCamelContext();

    private final SqlPrepareStatementStrategy ours = new SqlParameters();
    private final SqlPrepareStatementStrategy camels = new DefaultSqlPrepareStatementStrategy();

    @BeforeAll
    static void start() {
        CONTEXT.start();
    }

    @AfterAll
    static void stop() {
        CONTEXT.stop();
    }

    static Stream<Path> statements() throws IOException {
        return Files.list(Path.of("src/main/resources/sql")).sorted();
    }

    @ParameterizedTest
    @MethodSource("statements")
    void eachStatementOfOursIsPreparedAsCamelDoes(Path file) throws IOException, SQLException {
        String query = SqlHelper.resolvePlaceholders(Files.readString(file), null);
        Exchange exchange = exchange("body");
        assertThat(ours.prepareQuery(query, true, exchange)).isEqualTo(camels.prepareQuery(query, true, exchange));
        assertThat(ours.prepareQuery(query, true, exchange)).as("at its second use").isEqualTo(camels.prepareQuery(query, true, exchange));
        assertThat(ours.prepareQuery(query, false, exchange)).isEqualTo(query);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "select :?inBody, :?inHeader, :?inVariable, :?everywhere, :?nothing, 'a :? b', c::text",
        "select :?INHEADER, :?${body[inBody]}, :?${variable.inVariable}, :?${header.inHeader}",
        "select 1 where x in (:?in:list) and y = :?inHeader",
        "select :?${body[${variable.key}]}, :?inVariable",
        "select :?$simple{variable.inVariable}",
        "select 1"})
    void valuesAreThoseOfCamel(String query) throws SQLException {
        for (int use = 1; use <= 2; use++) {
            Exchange exchange = exchange(new HashMap<>(Map.of("inBody", 1, "everywhere", "body")));
            exchange.getMessage().getBody(Map.class).put("nothing", null);
            String prepared = camels.prepareQuery(query, true, exchange);
            assertThat(ours.prepareQuery(query, true, exchange)).isEqualTo(prepared);
            assertThat(values(ours, query, prepared, exchange)).isEqualTo(values(camels, query, prepared, exchange));
        }
    }

    @Test
    void eachUseHasTheValuesOfItsOwnExchange() throws SQLException {
        String query = "select :?${body}, :?inVariable";
        Exchange first = exchange("one");
        Exchange second = exchange("two");
        second.setVariable("inVariable", 2);
        assertThat(values(ours, query, "select ?, ?", first)).containsExactly("one", "variable");
        assertThat(values(ours, query, "select ?, ?", second)).containsExactly("two", 2);
    }

    @Test
    void aParameterThatIsNowhereIsNamed() {
        Exchange exchange = exchange("body");
        assertThatThrownBy(() -> values(ours, "select :?inHeader, :?unknown", "select ?, ?", exchange))
                .isInstanceOf(RuntimeExchangeException.class).hasMessageContaining("Cannot find key [unknown]");
    }

    private static Exchange exchange(Object body) {
        Exchange exchange = new DefaultExchange(CONTEXT);
        exchange.getMessage().setBody(body);
        exchange.getMessage().setHeader("inHeader", "header");
        exchange.getMessage().setHeader("everywhere", "header");
        exchange.getMessage().setHeader("list", List.of("a", "b"));
        exchange.setVariable("inVariable", "variable");
        exchange.setVariable("everywhere", "variable");
        exchange.setVariable("key", "inBody");
        return exchange;
    }

    private static List<Object> values(SqlPrepareStatementStrategy strategy, String query, String prepared, Exchange exchange) throws SQLException {
        List<Object> values = new ArrayList<>();
        int expected = (int) prepared.chars().filter(c -> c == '?').count();
        if (!query.contains(":?")) {
            return values;
        }
        Iterator<?> iterator = strategy.createPopulateIterator(query, prepared, expected, exchange, exchange.getMessage().getBody());
        iterator.forEachRemaining(value -> values.add(value instanceof CompositeIterator<?> list ? flat(list) : value));
        return values;
    }

    private static List<Object> flat(Iterator<?> iterator) {
        List<Object> all = new ArrayList<>();
        iterator.forEachRemaining(all::add);
        return all;
    }
}
