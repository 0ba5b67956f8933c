package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.wire.WireProvider.answer;
import static org.paymentroutes.wire.WireProvider.closed;
import static org.paymentroutes.wire.WireProvider.notFound;
import static org.paymentroutes.wire.WireProvider.paid;
import static org.paymentroutes.wire.WireProvider.status;
import static org.paymentroutes.wire.WireProvider.throttled;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.paymentroutes.support.Api;
import org.paymentroutes.wire.WireProvider;
import org.paymentroutes.wire.WireProvider.Script;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;

/** The books after each path that a payment can take, as event, debit and credit. */
@FlowTest
class LedgerIT {

    private final WireProvider patient = FlowProviders.wire(FlowProviders.PATIENT);

    @Autowired
    Flow flow;
    @Autowired
    Api api;
    @Autowired
    JdbcTemplate jdbc;

    static Stream<Arguments> paths() {
        return Stream.of(
                Arguments.of("CHARGE", "success", new Script().post(paid()), "SUCCEEDED", List.of(
                        "PaymentRequested receivable requested", "PaymentConfirmed provider_clearing receivable")),
                Arguments.of("PAYOUT", "success", new Script().post(paid()), "SUCCEEDED", List.of(
                        "PaymentRequested requested payable", "PaymentConfirmed payable provider_clearing")),
                Arguments.of("REFUND", "success", new Script().post(paid()), "SUCCEEDED", List.of(
                        "RefundRequested requested payable", "RefundConfirmed payable provider_clearing")),
                Arguments.of("CHARGE", "refusal", new Script().post(status("DECLINED")), "FAILED", List.of(
                        "PaymentRequested receivable requested", "PaymentFailed requested receivable")),
                Arguments.of("PAYOUT", "refusal", new Script().post(status("DECLINED")), "FAILED", List.of(
                        "PaymentRequested requested payable", "PaymentFailed payable requested")),
                Arguments.of("CHARGE", "doubt, then success", new Script().post(closed()), "SUCCEEDED", List.of(
                        "PaymentRequested receivable requested", "PaymentInDoubt in_doubt_in receivable",
                        "PaymentConfirmed provider_clearing in_doubt_in")),
                Arguments.of("PAYOUT", "doubt, then success", new Script().post(closed()), "SUCCEEDED", List.of(
                        "PaymentRequested requested payable", "PaymentInDoubt payable in_doubt_out",
                        "PaymentConfirmed in_doubt_out provider_clearing")),
                Arguments.of("PAYOUT", "doubt, then refusal", new Script().post(closed()).thenQuery(status("DECLINED")), "FAILED", List.of(
                        "PaymentRequested requested payable", "PaymentInDoubt payable in_doubt_out",
                        "PaymentFailed in_doubt_out requested")),
                Arguments.of("PAYOUT", "doubt, then in progress, then success",
                        new Script().post(closed()).query(status("PENDING")), "SUCCEEDED", List.of(
                        "PaymentRequested requested payable", "PaymentInDoubt payable in_doubt_out",
                        "PaymentDoubtLifted in_doubt_out payable", "PaymentConfirmed payable provider_clearing")),
                Arguments.of("CHARGE", "doubt without end", new Script().post(closed()).thenQuery(notFound()), "REVIEW", List.of(
                        "PaymentRequested receivable requested", "PaymentInDoubt in_doubt_in receivable")),
                Arguments.of("PAYOUT", "resend", new Script().post(throttled(), paid()), "SUCCEEDED", List.of(
                        "PaymentRequested requested payable", "PaymentConfirmed payable provider_clearing")),
                Arguments.of("PAYOUT", "another payment's answer", new Script().post(answer(200,
                        "{\"id\":\"x\",\"reference\":\"other\",\"status\":\"SUCCEEDED\",\"amount\":777,\"currency\":\"EUR\"}")), "REVIEW", List.of(
                        "PaymentRequested requested payable", "PaymentInDoubt payable in_doubt_out")));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("paths")
    void postsEachPathOnce(String operation, String name, Script script, String state, List<String> postings) {
        String tag = Flow.tag();
        patient.script(tag, script);
        String id = operation.equals("REFUND") ? refund(tag) : flow.pay(FlowProviders.PATIENT, operation, 777, "tag", tag);
        JsonNode payment = flow.await(id, state);

        List<String> posted = new ArrayList<>();
        for (JsonNode posting : payment.path("ledger")) {
            posted.add(posting.path("event").asText() + " " + posting.path("debitAccount").asText() + " "
                    + posting.path("creditAccount").asText());
            assertThat(posting.path("amountMinor").asLong()).isEqualTo(777);
            assertThat(posting.path("currency").asText()).isEqualTo("EUR");
        }
        assertThat(posted).isEqualTo(postings);
    }

    @Test
    void balancesOverTheApiAreTheSumsOfTheEntries() {
        JsonNode balances = Flow.json(api.get("viewer", "/api/ledger/balances?provider=blind").body()).path("balances");
        String id = flow.pay(FlowProviders.BLIND, "PAYOUT", 4321, "behaviour", "ok");
        flow.await(id, "SUCCEEDED");
        JsonNode after = Flow.json(api.get("viewer", "/api/ledger/balances?provider=blind").body()).path("balances");

        assertThat(balance(after, "provider_clearing") - balance(balances, "provider_clearing")).isEqualTo(-4321);
        assertThat(balance(after, "requested") - balance(balances, "requested")).isEqualTo(4321);
        assertThat(balance(after, "payable") - balance(balances, "payable")).isZero();
        for (JsonNode balance : after) {
            BigDecimal sum = jdbc.queryForObject("select sum(case when debit_account = ? then amount_minor else 0 end)"
                    + " - sum(case when credit_account = ? then amount_minor else 0 end) from ledger_posting where provider = 'blind'"
                    + " and currency = ?", BigDecimal.class, balance.path("account").asText(), balance.path("account").asText(),
                    balance.path("currency").asText());
            assertThat(balance.path("balanceMinor").decimalValue()).as(balance.toString()).isEqualByComparingTo(sum);
        }
    }

    @Test
    void moneyInDoubtIsExactlyWhatIsUnknown() {
        // Both are read in one statement, so that payments under way do not matter.
        for (Map<String, Object> row : jdbc.queryForList("""
                select p.provider,
                       sum(case when position = 'IN_DOUBT' then amount_minor else 0 end) as payments,
                       coalesce((select sum(-balance_minor) from ledger_balance b where b.account = 'in_doubt_out' and b.provider = p.provider), 0)
                     + coalesce((select sum(balance_minor) from ledger_balance b where b.account = 'in_doubt_in' and b.provider = p.provider), 0) as books
                  from payment p group by p.provider""")) {
            assertThat((BigDecimal) row.get("books")).as(row.toString()).isEqualByComparingTo((BigDecimal) row.get("payments"));
        }
    }

    private String refund(String tag) {
        String paid = flow.pay(FlowProviders.PATIENT, "CHARGE", 777, "tag", "");
        flow.await(paid, "SUCCEEDED");
        return Flow.json(flow.refund(paid, Api.key(), "{\"amountMinor\":777,\"reason\":\"returned\",\"details\":{\"tag\":\"" + tag + "\"}}")
                .body()).path("paymentId").asText();
    }

    private static long balance(JsonNode balances, String account) {
        for (JsonNode balance : balances) {
            if (balance.path("account").asText().equals(account)) {
                return balance.path("balanceMinor").asLong();
            }
        }
        return 0;
    }
}
