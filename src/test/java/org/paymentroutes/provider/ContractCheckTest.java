package org.paymentroutes.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Which contracts are refused, and that each refusal says where, what was found and what is allowed. */
class ContractCheckTest {

    private static final CamelContext CAMEL = new DefaultCamelContext();
    private static final String SAFE = """
            account: main
            submitAnswers.succeeded: 200 PAID
            submitAnswers.rejected: 402 DECLINED
            queryAnswers.succeeded: 200 PAID
            queryAnswers.notFound: 404 none
            """;
    private static final String SAME_KEY = """
            resend.sameKey: true
            resend.serverErrorsReplayed: true
            resend.keyLifetimeMs: 86400000
            """;
    private static final String ABSENCE = """
            resend.notFoundFinal: true
            resend.visibleAfterMs: 60000
            resend.arrivalLimitMs: 300000
            """;
    private static final String SENDS_THE_KEY = """
            - route:
                id: acme-submit
                from:
                  uri: direct:acme-submit
                  steps:
                    - setHeader:
                        name: Idempotency-Key
                        simple: "${variable.payment[provider_key]}"
            """;

    @AfterAll
    static void close() throws Exception {
        CAMEL.close();
    }

    private static ProviderContract read(String options, String rest) {
        String properties = options.lines().collect(Collectors.toMap(line -> line.split(":")[0], line -> line, (a, b) -> b))
                .values().stream().map(line -> "        " + line + "\n").sorted().collect(Collectors.joining());
        String file = "- beans:\n    - name: acme\n      type: org.paymentroutes.provider.ProviderContract\n      properties:\n" + properties + rest;
        UnaryOperator<String> resolver = text -> {
            if (text.contains("unset")) {
                throw new IllegalArgumentException("Could not resolve placeholder 'unset' in value \"" + text + "\"");
            }
            return text.replace("{{workers}}", "7");
        };
        return ProviderFile.parse("file:routes/acme.camel.yaml", file).contract(CAMEL, "acme", resolver);
    }

    private static void refused(String options, String... texts) {
        assertThatThrownBy(() -> read(options, SENDS_THE_KEY)).isInstanceOf(ContractRefusedException.class)
                .hasMessageStartingWith("File routes/acme.camel.yaml, provider acme: ").hasMessageContainingAll(texts);
    }

    @Test
    void aSafeContractIsRead() {
        ProviderContract contract = read(SAFE + SAME_KEY + "send.workers: \"{{workers}}\"\nrefund.resend.sameKey: false\n"
                + "query.delaysMs: 1000,2000\nresend.retryCodes: limit, busy\n", SENDS_THE_KEY);
        assertThat(contract.getSend().getWorkers()).isEqualTo(7);
        assertThat(contract.rules(Operation.CHARGE).sameKey()).isTrue();
        assertThat(contract.rules(Operation.CHARGE).keyTrustedMs()).isEqualTo(77_760_000);
        assertThat(contract.rules(Operation.REFUND).sameKey()).isFalse();
        assertThat(contract.rules(Operation.PAYOUT).retryCodes()).containsExactly("limit", "busy");
        assertThat(contract.rules(Operation.PAYOUT).retryMax()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"'','',NEVER,0", "resend.sameKey,charge,ALWAYS,3", "resend.notFoundFinal,charge,CONDITIONALLY,3", "both,charge,ALWAYS,3",
            "none,charge,NEVER,0"})
    void theClassOfAnOperationFollowsFromItsContract(String option, String operation, ResendRules.Idempotency expected, int max) {
        String options = switch (option == null ? "" : option) {
            case "resend.sameKey" -> SAME_KEY;
            case "resend.notFoundFinal" -> ABSENCE;
            case "both" -> SAME_KEY + ABSENCE;
            case "none" -> SAME_KEY + "resend.max: 0\n";
            default -> "";
        };
        ResendRules rules = read(SAFE + options, SENDS_THE_KEY).rules(Operation.CHARGE);
        assertThat(rules.idempotency()).isEqualTo(expected);
        assertThat(rules.max()).isEqualTo(max);
    }

    static Stream<Arguments> unsafe() {
        return Map.ofEntries(
                Map.entry("resend.max: 2", "option resend.max: found 2, allowed is 0, or one of"),
                Map.entry("send.leaseMs: 5000", "option send.leaseMs: found 5000, allowed is at least send.deadlineMs (10000) + 1000"),
                Map.entry("send.workers: 0", "option send.workers: found 0, allowed is 1 to 2000"),
                Map.entry("send.workers: many", "option send.workers: found 'many', "),
                Map.entry("send.workers: \"{{unset}}\"", "option send.workers: property unset is not set"),
                Map.entry("acount: x", "option acount: found in the file, but no contract has such an option"),
                Map.entry("resend.sameKay: true", "option resend.sameKay: found in the file, but no contract has such an option"),
                Map.entry("query.by: NUMBER", "option query.by: found 'NUMBER'"),
                Map.entry("resend.atLeastOnceUpTo: EUR=5.00", "option resend.atLeastOnceAcceptance: found nothing, allowed is who accepts"),
                Map.entry("resend.atLeastOnceUpTo: EUR=5.00\nresend.atLeastOnceAcceptance: yes we do", "in 20 characters or more"),
                Map.entry("resend.atLeastOnceUpTo: five", "option resend.atLeastOnceUpTo: found 'five', allowed is a currency and an amount"),
                Map.entry("query.retentionMs: 60000", "option query.retentionMs: found 60000, allowed is 0 (not told), or more than query.timeLimitMs (1800000)"),
                Map.entry("key.maxLength: 31", "what takes our key, 32 characters of 0-9 and a-f"),
                Map.entry("key.characters: 0-9", "what takes our key, 32 characters of 0-9 and a-f"),
                Map.entry("key.maxLength: 32\nresend.retryCodes: limit", "option resend.retryMax: found 1, allowed is 0, or key.maxLength (32)"),
                Map.entry("key.characters: a-z0-9\nresend.retryCodes: limit", "that take a key with -1 at its end"),
                Map.entry("resend.retryMax: 2", "more than 0 exactly when resend.retryCodes lists codes"),
                Map.entry("resend.retryCodes: already_paid", "found 'already_paid', allowed is a code"),
                Map.entry("submitAnswers.rejected: 409 already_captured", "option submitAnswers.rejected: found '409 already_captured', allowed is such a word in hints"),
                Map.entry("submitAnswers.rejected: 409 request_in_progress", "such a word in hints"),
                Map.entry("submitAnswers.rejected: 422 duplicate_request", "such a word in hints"),
                Map.entry("queryAnswers.rejected: 409 idempotency_key_in_use", "option queryAnswers.rejected"),
                Map.entry("submitAnswers.notExecuted: 409 concurrent_call", "option submitAnswers.notExecuted: found '409 concurrent_call'"),
                Map.entry("submitAnswers.notExecuted: 503", "option submitAnswers.notExecuted: found '503', allowed is a 3xx or 4xx, or a 5xx with a word"),
                Map.entry("submitAnswers.notExecuted: 200 NONE", "option submitAnswers.notExecuted: found '200 NONE'"),
                Map.entry("submitAnswers.rejected: 500 error", "an error of a server refuses nothing for good"),
                Map.entry("submitAnswers.succeeded: 409 already_paid", "option submitAnswers.succeeded: found '409 already_paid', allowed is 2xx only"),
                Map.entry("submitAnswers.rejected: 402", "option submitAnswers.rejected: found '402', allowed is '<HTTP status> <word>'"),
                Map.entry("submitAnswers.rejected: 200 PAID", "is also listed as"),
                Map.entry("fields.reference: \"\"", "option fields.reference: found nothing"))
                .entrySet().stream().map(entry -> Arguments.of(entry.getKey(), entry.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unsafe")
    void anUnsafeContractIsRefusedByOptionFoundAndAllowed(String options, String text) {
        refused(SAFE + options + "\n", text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "resend.serverErrorsReplayed: false | where a 5xx is executed again under the same key, the same key pays twice",
            "resend.keyLifetimeMs: 1000000 | option resend.keyLifetimeMs: found 1000000, allowed is at least resend.keyMarginMs (100000) + query.timeLimitMs (1800000)",
            "resend.keyMarginMs: 86400000 | option resend.keyMarginMs: found 86400000, allowed is 0 or more, and less than resend.keyLifetimeMs (86400000)",
            "key.header: X-Key | option resend.sameKey: found true, but this file sends no key",
            "key.header: '' | option resend.sameKey: found true, but this file sends no key"})
    void anUnsafeSameKeyIsRefused(String option, String text) {
        refused(SAFE + SAME_KEY + option + "\n", text);
    }

    @Test
    void aKeyWithoutItsLifetimeIsRefused() {
        refused(SAFE + "resend.sameKey: true\n", "option resend.serverErrorsReplayed: found false", "option resend.keyLifetimeMs: found nothing");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "query.by: PROVIDER_ID | option resend.notFoundFinal: found true with query.by PROVIDER_ID, allowed is query.by REFERENCE",
            "query.by: NONE | found true with query.by NONE",
            "resend.notFoundMin: 1 | option resend.notFoundMin: found 1, allowed is 2 or more",
            "resend.arrivalLimitMs: 5000 | option resend.arrivalLimitMs: found 5000, allowed is at least send.deadlineMs (10000)",
            "resend.visibleAfterMs: 1800000 | found 2100000, allowed is less than query.timeLimitMs (1800000)"})
    void anUnsafeAbsenceIsRefused(String option, String text) {
        refused(SAFE + ABSENCE + option + "\n", text);
    }

    @Test
    void whatOneOperationGetsWrongIsNamedByIt() {
        refused(SAFE + "refund.resend.sameKey: true\nrefund.resend.keyLifetimeMs: 86400000\n", "option refund.resend.serverErrorsReplayed: found false");
    }

    @Test
    void allThatIsWrongIsSaidAtOnceAndEachOnce() {
        assertThatThrownBy(() -> read(SAFE + "send.workers: 0\nresend.max: 2\n", SENDS_THE_KEY))
                .hasMessageContainingAll("send.workers", "resend.max").satisfies(failure ->
                        assertThat(failure.getMessage().split("nothing sends again without", -1)).hasSize(2));
    }

    @Test
    void aTemplateThatOutlivesTheDeadlineOfTheContractIsRefused() {
        assertThatThrownBy(() -> read(SAFE, """
                - templatedRoute:
                    routeTemplateRef: provider-http
                    routeId: acme-post
                    parameters:
                      - name: provider
                        value: acme
                      - name: deadlineMs
                        value: "20000"
                """)).hasMessageContaining("option send.deadlineMs: found 10000, allowed is at least the deadlineMs of template acme-post (20000)");
    }

    @Test
    void aKeyThatTheHttpTemplateDropsIsNotSent() {
        assertThatThrownBy(() -> read(SAFE + SAME_KEY, SENDS_THE_KEY + """
                - templatedRoute:
                    routeTemplateRef: provider-http
                    routeId: acme-post
                    parameters:
                      - name: provider
                        value: acme
                      - name: headers
                        value: X-Other
                """)).hasMessageContaining("this file sends no key");
    }

    @Test
    void anEmptyHeaderMeansAKeyInTheBody() {
        assertThat(read(SAFE + SAME_KEY + "key.header: ''\n", """
                - beans:
                    - name: acme-request
                      type: org.paymentroutes.provider.RequestTemplate
                      properties:
                        template: '{"number": "$key"}'
                """).getKey().getHeader()).isEmpty();
    }
}
