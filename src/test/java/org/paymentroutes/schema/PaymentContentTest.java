package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;

import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Payments;

/** What was asked for, once, and never changed. */
class PaymentContentTest extends OneProviderTest implements BooksHold {

    @BeforeAll
    static void makeAnotherProviderKnown() {
        new Payments(database, "other");
    }

    @ParameterizedTest
    @ValueSource(strings = {"payment_id = gen_random_uuid()", "caller = 'x'", "request_key = 'x'", "fingerprint = 'x'",
            "source_reference = 'x'", "operation = 'CHARGE'", "provider = 'other'", "account = 'x'", "amount_minor = 1",
            "currency = 'USD'", "instruction = '{\"to\": \"me\"}'", "accepted_at = now()", "attempts = attempts - 1",
            "attempts = attempts + 1", "attempts = 0", "generation = 1", "version = 1", "state_since = now()", "reason = 'x'",
            "actor = 'x'", "evidence_id = 1", "queries = -1", "inconclusive = -1", "due_at = 'infinity'"})
    void whatAnUpdateMayNotChange(String change) {
        for (String state : new String[] {"UNKNOWN", "FAILED", "SUBMITTING"}) {
            UUID id = payments.in(state);
            refused("PR003", () -> database.jdbc().update("update payment set " + change + " where payment_id = ?", id));
        }
    }

    @Test
    void theKeyOfTheProviderIsComputedAndNotWritten() {
        UUID id = payments.accepted();
        refused("428C9", () -> database.jdbc().update("update payment set provider_key = 'x' where payment_id = ?", id));
        refused("428C9", () -> database.jdbc().update("update payment set position = 'RELEASED' where payment_id = ?", id));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "state|'SUBMITTING'|transition_is_legal", "state|'SUCCEEDED'|transition_is_legal", "state|'FAILED'|transition_is_legal",
        "state|'UNKNOWN'|transition_is_legal", "state|'PROCESSING'|transition_is_legal", "state|'REVIEW'|review_has_category",
        "attempts|1|payment_has_its_attempt", "version|2|PR003", "generation|1|PR003", "first_sent_at|now()|PR003", "queries|-5|PR003",
        "inconclusive|-5|PR003", "provider_payment_id|'P'|PR003", "evidence_id|1|PR003", "accepted_at|now() + interval '1 hour'|PR003",
        "accepted_at|'-infinity'|PR003", "due_at|'infinity'|PR003", "amount_minor|0|payment_amount_minor_check",
        "amount_minor|-1|payment_amount_minor_check", "currency|'XXX'|payment_currency_fkey", "provider|'nobody'|payment_provider_fkey"})
    void aPaymentBeginsUnsentAndWithoutAHistory(String column, String value, String refusal) {
        refused(refusal, () -> database.jdbc().update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation,"
                + " account" + (column.equals("provider") ? "" : ", provider") + (column.equals("amount_minor") ? "" : ", amount_minor")
                + (column.equals("currency") ? "" : ", currency") + ", " + column + ") values (gen_random_uuid(), 'c', gen_random_uuid()::text,"
                + " 'f', gen_random_uuid()::text, 'PAYOUT', 'main'" + (column.equals("provider") ? "" : ", 'acme'")
                + (column.equals("amount_minor") ? "" : ", 5") + (column.equals("currency") ? "" : ", 'EUR'") + ", " + value + ")"));
    }

    @Test
    void theSameRequestIsTheSamePayment() {
        UUID id = UUID.randomUUID();
        assertThat(payments.accept(id, "c", "key-1", "PAYOUT", 5, "EUR", "ref-1")).containsEntry("result", "CREATED");
        assertThat(payments.accept(UUID.randomUUID(), "c", "key-1", "PAYOUT", 5, "EUR", "ref-1"))
                .containsEntry("result", "REPLAYED").containsEntry("payment_id", id.toString());
        assertThat(payments.accept(UUID.randomUUID(), "c", "key-1", "PAYOUT", 6, "EUR", "ref-1")).containsEntry("result", "OTHER_CONTENT");
        assertThat(payments.accept(UUID.randomUUID(), "c", "key-2", "PAYOUT", 5, "EUR", "ref-1"))
                .containsEntry("result", "OBLIGATION_OPEN").containsEntry("payment_id", id.toString());
        refused("payment_request_is_unique", () -> byHand("key-1", "elsewhere"));
        refused("payment_obligation_is_open_once", () -> byHand("key-3", "ref-1"));
    }

    @Test
    void anObligationIsOpenAgainAfterARefusalAndNotWhilePeopleReviewIt() {
        UUID id = payments.accepted("PAYOUT", 5, "EUR", "ref-2");
        payments.claimed(id);
        payments.record(Payments.answer(id, 1, "REJECTED"));
        UUID second = payments.accepted("PAYOUT", 5, "EUR", "ref-2");
        payments.move(second, "FAILED", null);
        payments.record(Payments.query(id, 1, "SUCCEEDED"));
        assertThat(payments.accept(UUID.randomUUID(), "caller", "key-9", "PAYOUT", 5, "EUR", "ref-2"))
                .containsEntry("result", "OBLIGATION_OPEN").containsEntry("payment_id", id.toString());
        refused("PR008", () -> database.jdbc().update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation,"
                + " provider, account, amount_minor, currency) values (gen_random_uuid(), 'caller', 'key-10', 'f', 'ref-2', 'PAYOUT', 'acme',"
                + " 'main', 5, 'EUR')"));
    }

    private static void byHand(String key, String reference) {
        database.jdbc().update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,"
                + " amount_minor, currency) values (gen_random_uuid(), 'c', ?, 'f', ?, 'PAYOUT', 'acme', 'main', 5, 'EUR')", key, reference);
    }
}
