package org.paymentroutes.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every history of a payment that the model allows, see docs/model.md; and that each rule is needed. */
class ModelTest {

    private static final Path DOCUMENT = Path.of("docs/model.md");
    private static final Set<Rule> ALL = EnumSet.allOf(Rule.class);

    static Stream<Contract> contracts() {
        return Stream.of(Contract.NOTHING, Contract.KEY_WITHOUT_ERRORS, Contract.AT_LEAST_ONCE, Contract.QUERY, Contract.KEY,
                Contract.RETRY, Contract.LATER);
    }

    static Stream<Contract> deepContracts() {
        return Stream.of(Contract.KEY_THREE_TIMES, Contract.KEY_AND_QUERY, Contract.QUERY.longer(), Contract.KEY.longer(), Contract.RETRY.longer());
    }

    @ParameterizedTest
    @MethodSource("contracts")
    void noHistoryPaysTwiceForgetsOrMisreports(Contract contract) throws IOException {
        holds(contract);
    }

    @ParameterizedTest
    @MethodSource("deepContracts")
    @EnabledIfSystemProperty(named = "model.deep", matches = "true", disabledReason = "takes minutes; run it with -Dmodel.deep=true")
    void noLongerHistoryDoes(Contract contract) throws IOException {
        holds(contract);
    }

    private static void holds(Contract contract) throws IOException {
        Search.Result result = Search.of(contract, ALL);
        assertThat(result.violation()).as("%s: %s", contract, result).isNull();
        assertThat(Files.readString(DOCUMENT)).contains(String.format(Locale.ROOT, "| %s | %,d | %,d |", contract, result.states(), result.moves()));
    }

    @ParameterizedTest
    @EnumSource(Rule.class)
    void withoutAnyOneRuleAHistoryGoesWrong(Rule rule) throws IOException {
        Set<Rule> others = EnumSet.complementOf(EnumSet.of(rule));
        Search.Result result = Search.of(rule.contract(), others);
        assertThat(result.violation()).as("without %s, contract %s: %s", rule, rule.contract(), result).isNotNull();
        assertThat(Files.readString(DOCUMENT)).as("%s", result)
                .contains("| `%s` | %s | %s | %d |".formatted(rule, rule.contract(), result.violation(), result.history().size()));
    }

    @Test
    void duplicatesHappenOnlyWhereTheyAreAccepted() {
        assertThat(Search.of(Contract.AT_LEAST_ONCE, ALL).mostPaid()).isEqualTo(2);
        assertThat(Search.of(Contract.NOTHING, ALL).mostPaid()).isEqualTo(1);
    }
}
