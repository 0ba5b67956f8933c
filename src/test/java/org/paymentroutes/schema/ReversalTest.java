package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.support.AtOnce;
import org.paymentroutes.support.Payments;
import org.paymentroutes.support.Refused;
import org.springframework.dao.DataAccessException;

/** What went back after a payment was final: booked once, never more than the payment, never lost. */
class ReversalTest extends OneProviderTest implements BooksHold {

    private static Map<String, Object> told(UUID payment, String kind, long amount, String providerReversalId) {
        Map<String, Object> row = new HashMap<>();
        row.put("payment_id", payment.toString());
        row.put("kind", kind);
        row.put("amount_minor", amount);
        row.put("currency", "EUR");
        row.put("provider_reversal_id", providerReversalId);
        row.put("source", "WEBHOOK");
        row.put("reason", "the provider says so");
        row.put("actor", "test");
        return row;
    }

    private static String record(Map<String, Object> row) {
        try {
            return (String) database.run("record-reversal", Map.of("body", new ObjectMapper().writeValueAsString(List.of(row))))
                    .get(0).get("result");
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> postings(UUID payment) {
        return database.jdbc().queryForList("select concat_ws(' ', event, debit_account, credit_account, amount_minor) from ledger_posting"
                + " where payment_id = ? and fact like 'reversal:%' order by posting_id", String.class, payment);
    }

    private static List<String> cases(UUID payment) {
        return database.jdbc().queryForList("select category || ' ' || reason from review_case where payment_id = ? and closed_at is null",
                String.class, payment);
    }

    private static int alerts(UUID payment) {
        return database.jdbc().queryForObject("select count(*) from alert where kind = 'REVERSAL_CONFLICT' and subject = ?"
                + " and cleared_at is null", Integer.class, payment.toString());
    }

    @ParameterizedTest
    @CsvSource({"CHARGE, CHARGEBACK, PaymentReversed reversed provider_clearing 400",
        "CHARGE, RETURN, PaymentReversed reversed provider_clearing 400",
        "PAYOUT, RETURN, PaymentReversed provider_clearing reversed 400"})
    void isBookedAndTakesOfThePayment(String operation, String kind, String posting) {
        UUID paid = payments.succeeded(operation, 1000, "EUR");
        assertThat(record(told(paid, kind, 400, "rev-" + paid))).isEqualTo("RECORDED");
        assertThat(postings(paid)).containsExactly(posting);
        assertThat(payments.givenBack(paid)).isEqualTo(400);
        assertThat(payments.state(paid)).isEqualTo("SUCCEEDED");
        refused("PR010", () -> payments.refund(paid, 601, "EUR", "more than is left"));
        assertThat(cases(paid)).isEmpty();
        assertThat(database.jdbc().queryForObject("select count(*) from event_outbox join reversal using (reversal_id) where payment_id = ?",
                Integer.class, paid)).isEqualTo(1);
    }

    @Test
    void isOneHoweverOftenAndByWhichWayItIsTold() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        Map<String, Object> row = told(paid, "CHARGEBACK", 400, "cb-1");
        assertThat(record(row)).isEqualTo("RECORDED");
        assertThat(record(row)).isEqualTo("KNOWN");
        row.put("source", "SETTLEMENT");
        row.put("fact", "line 17 of some file");
        assertThat(record(row)).isEqualTo("KNOWN");
        assertThat(payments.givenBack(paid)).isEqualTo(400);
        row.put("amount_minor", 401);
        assertThat(record(row)).isEqualTo("OTHER_CONTENT");
        assertThat(alerts(paid)).isEqualTo(1);
        assertThat(postings(paid)).hasSize(1);
    }

    @Test
    void whatWebhookAndSettlementTellUnderIdsOfTheirOwnIsOneReversalEach() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        assertThat(record(told(paid, "CHARGEBACK", 100, "dispute-1"))).isEqualTo("RECORDED");
        assertThat(record(line(paid, 100, "line-1"))).isEqualTo("KNOWN");
        assertThat(payments.givenBack(paid)).isEqualTo(100);
        // A second one that looks alike, told by the file first.
        assertThat(record(line(paid, 100, "line-2"))).isEqualTo("RECORDED");
        assertThat(record(told(paid, "CHARGEBACK", 100, "dispute-2"))).isEqualTo("KNOWN");
        assertThat(payments.givenBack(paid)).isEqualTo(200);
        for (String again : List.of("line-1", "line-2")) {
            assertThat(record(line(paid, 100, again))).isEqualTo("KNOWN");
        }
        assertThat(record(told(paid, "CHARGEBACK", 100, "dispute-1"))).isEqualTo("KNOWN");
        assertThat(record(told(paid, "CHARGEBACK", 100, "dispute-3"))).isEqualTo("RECORDED");
        assertThat(record(line(paid, 99, "line-3"))).isEqualTo("RECORDED");
        assertThat(payments.givenBack(paid)).isEqualTo(399);
        assertThat(postings(paid)).hasSize(4);
    }

    private static Map<String, Object> line(UUID payment, long amount, String fact) {
        Map<String, Object> row = told(payment, "CHARGEBACK", amount, null);
        row.put("source", "SETTLEMENT");
        row.put("fact", fact + " of " + payment);
        return row;
    }

    @Test
    void aChargebackThatIsReversedGivesBackNoMoreThanItTook() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        record(told(paid, "CHARGEBACK", 700, "cb-2"));
        record(told(paid, "CHARGEBACK_REVERSED", 700, "cb-2"));
        assertThat(postings(paid)).last().isEqualTo("ChargebackReversed provider_clearing reversed 700");
        assertThat(payments.givenBack(paid)).isZero();
        record(told(paid, "CHARGEBACK_REVERSED", 1, "cb-2-again"));
        assertThat(cases(paid)).singleElement().asString().startsWith("STATE_CONFLICT CHARGEBACK_REVERSED of 1 EUR is not booked");
        assertThat(postings(paid)).hasSize(2);
    }

    @Test
    void aRefundThatDidNotArriveCanBeMadeAgain() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        UUID refund = payments.refund(paid, 1000, "EUR", "first");
        payments.claimed(refund);
        payments.record(Payments.answer(refund, 1, "SUCCEEDED"));
        record(told(refund, "REFUND_FAILED", 1000, "rf-1"));
        assertThat(postings(refund)).containsExactly("RefundReversed provider_clearing reversed 1000");
        assertThat(payments.givenBack(refund)).isEqualTo(1000);
        assertThat(payments.givenBack(paid)).isZero();
        payments.refund(paid, 1000, "EUR", "second");
        assertThat(payments.givenBack(paid)).isEqualTo(1000);
    }

    @Test
    void moreThanThePaymentIsKeptAndNotBooked() {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        payments.refund(paid, 800, "EUR", "r-" + paid);
        assertThat(record(told(paid, "CHARGEBACK", 1000, "cb-3"))).isEqualTo("RECORDED");
        assertThat(postings(paid)).isEmpty();
        assertThat(payments.givenBack(paid)).isEqualTo(800);
        assertThat(cases(paid)).singleElement().asString().contains("only 200 is left of the payment");
        assertThat(alerts(paid)).isEqualTo(1);
        assertThat(database.jdbc().queryForObject("select count(*) from reversal where payment_id = ?", Integer.class, paid)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"PAYOUT, CHARGEBACK, EUR", "CHARGE, REFUND_FAILED, EUR", "CHARGE, CHARGEBACK, USD"})
    void whatCannotBeIsKeptAndShownToPeople(String operation, String kind, String currency) {
        UUID paid = payments.succeeded(operation, 1000, "EUR");
        Map<String, Object> row = told(paid, kind, 10, "x-" + paid);
        row.put("currency", currency);
        assertThat(record(row)).isEqualTo("RECORDED");
        assertThat(postings(paid)).isEmpty();
        assertThat(cases(paid)).hasSize(1);
        assertThat(alerts(paid)).isEqualTo(1);
    }

    @Test
    void oneThatComesBeforeTheSuccessIsBookedWithIt() {
        UUID id = payments.in("UNKNOWN");
        record(told(id, "RETURN", 200, "ret-1"));
        record(told(id, "RETURN", 100, "ret-2"));
        assertThat(cases(id)).singleElement().asString().contains("the payment is UNKNOWN");
        assertThat(payments.state(id)).isEqualTo("UNKNOWN");
        payments.record(Payments.query(id, 1, "SUCCEEDED"));
        assertThat(postings(id)).hasSize(2);
        assertThat(payments.givenBack(id)).isEqualTo(300);
        assertThat(cases(id)).isEmpty();
        assertThat(alerts(id)).isZero();
        assertThat(database.jdbc().queryForList("select coalesce((select to_state from transition t where t.transition_id = e.transition_id),"
                + " 'reversal') from event_outbox e where transition_id in (select transition_id from transition where payment_id = ?)"
                + " or reversal_id in (select reversal_id from reversal where payment_id = ?) order by event_no", String.class, id, id))
                .containsExactly("PENDING", "SUBMITTING", "UNKNOWN", "SUCCEEDED", "reversal", "reversal");
    }

    @ParameterizedTest
    @CsvSource({"PENDING", "SUBMITTING", "PROCESSING", "UNKNOWN", "FAILED", "REVIEW"})
    void ofAPaymentThatIsNotProvenItIsNeverLost(String state) {
        UUID id = payments.in(state);
        record(told(id, "RETURN", 100, "early-" + id));
        assertThat(postings(id)).isEmpty();
        assertThat(cases(id)).hasSize(1);
        assertThat(alerts(id)).isEqualTo(1);
        assertThat(payments.state(id)).startsWith(state);
    }

    @Test
    void noStatementBooksOrChangesOne() {
        UUID id = payments.in("UNKNOWN");
        record(told(id, "RETURN", 100, "by-hand"));
        long reversal = database.jdbc().queryForObject("select reversal_id from reversal where payment_id = ?", Long.class, id);
        refused("PR001", () -> database.jdbc().update("update reversal set amount_minor = 1"));
        refused("PR001", () -> database.jdbc().update("delete from reversal"));
        refused("PR001", () -> database.jdbc().update("insert into reversal_kind values ('RETURN', 'NONE', 'e', 'bank', 'fees', 1, 'm')"));
        UUID paid = payments.succeeded("PAYOUT", 500, "EUR");
        refused("PR002", () -> database.jdbc().update("insert into ledger_posting (event, fact, payment_id, provider, debit_account,"
                + " credit_account, amount_minor, currency, reason, actor) values ('PaymentReversed', 'reversal:" + reversal
                + "', ?, 'acme', 'provider_clearing', 'reversed', 100, 'EUR', 'r', 'r')", paid));
    }

    @Test
    void reversalsAndRefundsAtATimeAreNeverMoreThanThePayment() throws Exception {
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        List<Callable<Object>> work = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String id = UUID.randomUUID().toString();
            work.add(() -> record(told(paid, "CHARGEBACK", 300, id)));
            work.add(() -> {
                try {
                    return payments.refund(paid, 300, "EUR", id);
                }
                catch (DataAccessException e) {
                    assertThat(Refused.refusal(e).getSQLState()).isEqualTo("PR010");
                    return "refused";
                }
            });
        }
        AtOnce.all(10, work);
        assertThat(payments.givenBack(paid)).isEqualTo(900);
        assertThat(database.jdbc().queryForObject("select count(*) from reversal where payment_id = ?", Integer.class, paid)).isEqualTo(10);
    }
}
