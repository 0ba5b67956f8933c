package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;
import static org.paymentroutes.support.SettlementFiles.line;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Payments;

/** Statements that no route of ours contains, by which a wrong one would pay twice, forget, or decide alone. */
class ForgeryTest extends OwnProviderTest implements BooksHold {

    private static final String CONTROLS = "{\"controls\": [{\"name\": \"rows\", \"currency\": null, \"declared\": %d, \"counted\": 1}]}";

    private static int sql(String statement, Object... parameters) {
        return database.jdbc().update(statement, parameters);
    }

    private static Long number(String query, Object... parameters) {
        return database.jdbc().queryForObject(query, Long.class, parameters);
    }

    private static void review(UUID id) {
        sql("update payment set state = 'REVIEW', category = 'RECEIPT_MISSING', reason = 'late' where payment_id = ?", id);
    }

    private static Long lastEvidence(UUID id) {
        return number("select max(evidence_id) from evidence where payment_id = ?", id);
    }

    /** Two people allowed a second attempt, which was sent and left without an answer. */
    private UUID sentAgainByPeople() {
        UUID id = payments.in("REVIEW");
        decisions.leaseOver(id);
        decisions.decided(id, "ALLOW_RESEND", "{}");
        Long decided = lastEvidence(id);
        payments.claimed(id);
        payments.record(Payments.answer(id, 2, "AMBIGUOUS"));
        review(id);
        assertThat(number("select attempt_no from evidence where evidence_id = ?", decided)).isEqualTo(1);
        return id;
    }

    @Test
    void aResendThatTwoPeopleAllowedIsOneResend() {
        UUID id = sentAgainByPeople();
        Long old = number("select evidence_id from evidence where payment_id = ? and source = 'DECISION'", id);
        refused("PR005", () -> payments.permit(id, 3, "TWO_PEOPLE", old));
        refused("PR006", () -> payments.move(id, "PENDING", old));
    }

    @Test
    void aPermitOfTwoPeopleThatWasNotUsedIsNotTakenUpByAStatement() {
        UUID id = payments.in("REVIEW");
        decisions.leaseOver(id);
        decisions.decided(id, "ALLOW_RESEND", "{}");
        Long old = lastEvidence(id);
        payments.move(id, "REVIEW", null);
        refused("PR006", () -> payments.move(id, "PENDING", null));
        refused("PR006", () -> payments.move(id, "PENDING", old));
        decisions.decided(id, "ALLOW_RESEND", "{}");
        assertThat(payments.state(id)).isEqualTo("PENDING");
    }

    @Test
    void aPermitProvesItselfWhenItIsUsed() {
        payments.operation("PAYOUT", "retry_codes = '{NO_FUNDS}', retry_max = 2, retry_delay_ms = 0");
        UUID first = UUID.randomUUID();
        payments.accept(first, "shop", first.toString(), "PAYOUT", 500, "EUR", "invoice");
        payments.claimed(first);
        payments.record(Payments.with(Payments.answer(first, 1, "REJECTED"), "code", "NO_FUNDS"));
        payments.permit(first, 2, "RETRY_AFTER_REJECTION", lastEvidence(first));
        UUID anew = UUID.randomUUID();
        payments.accept(anew, "shop", anew.toString(), "PAYOUT", 500, "EUR", "invoice");
        payments.claimed(anew);
        payments.record(Payments.answer(anew, 1, "SUCCEEDED"));
        refused("PR006", () -> payments.move(first, "PENDING", lastEvidence(first)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"update provider_operation set same_key = true, key_lifetime_ms = 86400000, key_margin_ms = 0, resend_max = 100",
        "update provider_operation set resend_max = resend_max + 1", "delete from provider_operation",
        "insert into provider_operation (provider, operation, resend_max) select name, 'CHARGE', 9 from provider"})
    void whatMayBeSentAgainIsChangedByARegistrationOnly(String attack) {
        payments.noOperations();
        payments.operation("PAYOUT", "resend_max = 1");
        refused("PR024", () -> sql(attack));
        refused("PR001", () -> sql("truncate provider_operation"));
        assertThat(number("select resend_max from provider_operation where provider = ?", payments.provider())).isEqualTo(1);
        payments.noOperations();
    }

    @Test
    void everyContractThatWasComputedWithStaysOnRecord() {
        long before = number("select count(*) from contract_history");
        payments.operation("PAYOUT", "resend_max = 7");
        payments.operation("PAYOUT", "resend_max = 7");
        payments.operation("PAYOUT", "resend_max = 8");
        assertThat(number("select count(*) from contract_history")).isEqualTo(before + 2);
        assertThat(number("select (operations #>> '{0,resend_max}')::bigint from contract_history order by entry_no desc limit 1")).isEqualTo(8);
        refused("PR001", () -> sql("delete from contract_history"));
        refused("PR001", () -> sql("update contract_history set operations = '[]'"));
        payments.noOperations();
        refused("PR002", () -> sql("insert into contract_history (provider, contract, operations) select name, '{}', '[]' from provider"));
    }

    @Test
    void aConflictIsLeftByPeopleOnly() {
        UUID id = payments.in("UNKNOWN");
        payments.record(Payments.with(Payments.query(id, 1, "SUCCEEDED"), "mismatch", "amount"));
        assertThat(payments.state(id)).isEqualTo("REVIEW STATE_CONFLICT");
        refused("PR007", () -> payments.move(id, "UNKNOWN", null));
        refused("PR007", () -> payments.move(id, "FAILED", payments.evidence(id, 1, "QUERY", "REJECTED", null)));
        refused("PR007", () -> payments.move(id, "SUCCEEDED", payments.evidence(id, 1, "QUERY", "SUCCEEDED", null)));
    }

    @Test
    void aReviewIsHandedBackByAPersonOnly() {
        UUID id = payments.in("REVIEW");
        refused("PR007", () -> payments.move(id, "UNKNOWN", null));
        decisions.proposed(decisions.caseOf(id), "KEEP_WAITING", "{\"until\":\"%s\",\"handBack\":false}".formatted(java.time.Instant.now().plusSeconds(3600)));
        refused("PR007", () -> payments.move(id, "UNKNOWN", lastEvidence(id)));
        decisions.proposed(decisions.caseOf(id), "KEEP_WAITING", "{\"until\":\"%s\",\"handBack\":true}".formatted(java.time.Instant.now().plusSeconds(3600)));
        assertThat(payments.state(id)).isEqualTo("UNKNOWN");
    }

    @Test
    void theCaseOfAPaymentThatFailedAndMayBePaidIsClosedByTwoPeopleOnly() {
        UUID first = UUID.randomUUID();
        payments.accept(first, "shop", first.toString(), "PAYOUT", 500, "EUR", "bill");
        payments.claimed(first);
        payments.record(Payments.answer(first, 1, "REJECTED"));
        payments.record(Payments.query(first, 1, "SUCCEEDED"));
        assertThat(payments.state(first)).isEqualTo("FAILED");
        refused("PR002", () -> sql("update review_case set closed_at = now(), closed_by = 'route' where payment_id = ?", first));
        UUID anew = UUID.randomUUID();
        assertThat(payments.accept(anew, "shop", anew.toString(), "PAYOUT", 500, "EUR", "bill").get("result")).isEqualTo("OBLIGATION_OPEN");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "ANN", " ann "})
    void theSecondPersonHasANameOfTheirOwn(String name) {
        UUID id = payments.in("REVIEW");
        long decision = decisions.proposed(decisions.caseOf(id), "CONFIRM_FAILED", "{}");
        refused("second_person_is_another", () -> decisions.approved(decision, name));
        decisions.approved(decision, "bob");
    }

    @Test
    void aPeriodIsCompleteOnlyWithItsBookedFile() {
        long file = files.staged(CONTROLS.formatted(1), "period_from=2026-01-01;period_to=2026-01-02", List.of(line("FEE", null, null, "f", -1, "")));
        String forged = "insert into settlement_period (provider, period_from, period_to, file_id) values (?, ?::timestamptz, ?::timestamptz, ?)";
        refused("PR010", () -> sql(forged, payments.provider(), "2026-01-01", "2026-01-02", file));
        files.process(file);
        long whole = files.processed("{}", "", List.of(line("FEE", null, null, "g", -1, "")));
        refused("PR010", () -> sql(forged, payments.provider(), "2020-01-01", "2030-01-01", whole));
        assertThat(number("select count(*) from settlement_period where provider = ?", payments.provider())).isEqualTo(1);
    }

    @Test
    void aFileIsBookedAsAWholeAndWithItsTotalsOrNotAtAll() {
        List<String> lines = List.of(line("FEE", null, null, "f", -1, ""));
        long unbooked = files.staged("{}", "", lines);
        refused("PR010", () -> sql("update settlement_file set state = 'BOOKED', booked_at = now() where file_id = ?", unbooked));
        long wrong = files.staged(CONTROLS.formatted(2), "period_from=2026-01-01;period_to=2026-01-02", lines);
        refused("PR010", () -> database.jdbc().queryForList("select * from settlement_book(?)", wrong));
        files.process(wrong);
        assertThat(files.state(wrong)).isEqualTo("REVIEW");
        UUID other = payments.in("REVIEW");
        Long unrelated = decisions.proposed(decisions.caseOf(other), "CONFIRM_FAILED", "{}");
        refused("PR010", () -> sql("update settlement_file set state = 'STAGED', override_id = ? where file_id = ?", unrelated, wrong));
        refused("PR010", () -> database.transaction().executeWithoutResult(status -> {
            sql("update settlement_file set state = 'STAGED' where file_id = ?", wrong);
            database.jdbc().queryForList("select * from settlement_book(?)", wrong);
        }));
        assertThat(number("select count(*) from ledger_posting where fact like 'settlement:' || ? || ':%'", wrong)).isZero();
    }

    @Test
    void aLineIsGivenToAPaymentByItsOwnDecisionOnly() {
        UUID id = payments.succeeded("CHARGE", 1000, "EUR");
        long file = files.processed("{}", "", List.of(line("PAYMENT", null, null, "x", 777, "")));
        UUID other = payments.in("REVIEW");
        Long unrelated = decisions.proposed(decisions.caseOf(other), "CONFIRM_FAILED", "{}");
        refused("PR011", () -> sql("update settlement_match set payment_id = ?, part = 'MOVE', decision_id = ? where file_id = ?", id, unrelated, file));
    }

    @Test
    void noLineIsDecidedAfterItsFileIsBooked() {
        UUID id = payments.succeeded("CHARGE", 1000, "EUR");
        long file = files.processed("{}", "", List.of(line("IGNORED", null, null, "i", 1, "")));
        refused("PR011", () -> sql("insert into settlement_match (file_id, line_no, provider, result, rule, payment_id, part)"
                + " values (?, 1, ?, 'MATCHED', 'NONE', ?, 'MOVE')", file, payments.provider(), id));
    }

    @Test
    void whatStandsInSuspenseMayStillBeThePaymentThatIsMissing() {
        UUID id = payments.accepted("CHARGE", 1000, "EUR", "lost");
        payments.claimed(id);
        payments.record(Payments.answer(id, 1, "AMBIGUOUS"));
        database.withoutRules(jdbc -> {
            jdbc.update("update payment set first_sent_at = first_sent_at - interval '3 hours' where payment_id = ?", id);
            jdbc.update("update attempt set started_at = started_at - interval '3 hours' where payment_id = ?", id);
        });
        String period = "period_from=%s;period_to=%s".formatted(java.time.Instant.now().minusSeconds(86400), java.time.Instant.now());
        long file = files.processed(CONTROLS.formatted(1), period, List.of(line("PAYMENT", "somebody", null, "s", 1000, "")));
        assertThat(files.state(file)).isEqualTo("BOOKED");
        assertThat(database.jdbc().queryForObject("select absent_from_settlement(?)", Boolean.class, id)).isFalse();
        decisions.approved(decisions.proposed((Long) files.cases(file).get(0).get("case_id"), "BOOK_LINE_TO_SUSPENSE", "{}"), "bob");
        assertThat(database.jdbc().queryForObject("select absent_from_settlement(?)", Boolean.class, id)).isFalse();
    }

    @Test
    void noStatementMovesMoneyInTheBooks() {
        String post = "insert into ledger_posting (event, fact, debit_account, credit_account, amount_minor, currency, reason, actor)"
                + " values ('ReconciliationAdjusted', ?, 'bank', 'suspense', 5, 'EUR', 'r', 'r')";
        long file = files.processed("{}", "", List.of(line("FEE", null, null, "f", -1, "")));
        for (String fact : List.of("decision:1", "reversal:1", "anything", "settlement:" + file + ":1", "settlement:" + file + ":2")) {
            refused("PR002", () -> database.jdbc().update(post.replace("reason, actor", "reason, actor, line").replace("'r', 'r')", "'r', 'r', 3)"), fact));
        }
    }

    @Test
    void aReversalIsNotMadeKnownBeforeItIsTold() {
        UUID id = payments.succeeded("CHARGE", 1000, "EUR");
        sql("insert into reversal (payment_id, kind, amount_minor, currency, fact, source, reason, actor)"
                + " values (?, 'RETURN', 100, 'EUR', ?, 'WEBHOOK', 'r', 'r')", id, "first " + id);
        refused("PR002", () -> sql("insert into reversal_fact (fact, reversal_id, source)"
                + " select ?, max(reversal_id), 'SETTLEMENT' from reversal", "second " + id));
    }

    @Test
    void theWorkOnAWebhookStaysItsOwnAndIsNotPutOffForEver() {
        String event = "insert into webhook_event (provider, event_id, digest, body, headers, scheme, received_by)"
                + " values (?, ?, repeat('a', 64), 'x', '{}', 'NONE', 'node')";
        sql(event, payments.provider(), "one");
        sql(event, payments.provider(), "two");
        Long two = number("select webhook_id from webhook_event where provider = ? and event_id = 'two'", payments.provider());
        refused("PR003", () -> sql("update webhook_work set due_at = 'infinity' where webhook_id = ?", two));
        sql("insert into webhook_effect (webhook_id, effect, reason, decided_by) values (?, 'NOTHING', 'r', 'r')", two);
        refused("PR003", () -> sql("update webhook_work set webhook_id = ? where provider = ?", two, payments.provider()));
        refused("PR003", () -> sql("update webhook_work set provider = 'nobody' where provider = ?", payments.provider()));
    }

    @Test
    void aRefundIsTriedAgainOnlyWhileItsAmountIsLeftAndHoldsUpNoOther() {
        payments.operation("REFUND", "retry_codes = '{LATER}', retry_max = 2, retry_delay_ms = 0");
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        UUID refund = payments.refund(paid, 700, "EUR", "one " + paid);
        payments.claimed(refund);
        payments.record(Payments.with(Payments.answer(refund, 1, "REJECTED"), "code", "LATER"));
        payments.refund(paid, 600, "EUR", "two " + paid);
        UUID other = payments.accepted("REFUND", 400, "EUR", "three " + paid);
        payments.claimed(other);
        payments.record(Payments.with(Payments.answer(other, 1, "REJECTED"), "code", "LATER"));
        assertThat(database.run("resend", Map.of("node", "node"))).extracting(row -> row.get("payment_id")).contains(other.toString());
        assertThat(payments.state(refund)).isEqualTo("FAILED");
        assertThat(payments.state(other)).isEqualTo("PENDING");
    }

    @Test
    void refundsThatTogetherAreTooMuchAreNotTriedAgainTogether() {
        payments.operation("REFUND", "retry_codes = '{LATER}', retry_max = 2, retry_delay_ms = 0");
        UUID paid = payments.succeeded("CHARGE", 1000, "EUR");
        for (String reference : List.of("one", "two")) {
            UUID refund = payments.refund(paid, 700, "EUR", reference + paid);
            payments.claimed(refund);
            payments.record(Payments.with(Payments.answer(refund, 1, "REJECTED"), "code", "LATER"));
        }
        assertThat(database.run("resend", Map.of("node", "node"))).hasSize(1);
    }

    @Test
    void aSecondPersonApprovesTheReadingsThatWereProposedAndNoOthers() {
        UUID id = payments.in("UNKNOWN");
        Long answer = payments.evidence(id, 1, "QUERY", "AMBIGUOUS", null);
        Long reading = number("insert into reclassification (provider, contract_digest, received_from, received_to, reason, answers, unreadable,"
                + " differences, proposed_by) select name, contract_digest, now() - interval '1 day', now(), 'new words', 1, 0, 1, 'ann'"
                + " from provider where name = ? returning reclassification_id", payments.provider());
        String approve = "update reclassification set approved_by = 'bob' where reclassification_id = ?";
        refused("PR012", () -> sql(approve, reading));
        String item = "insert into reclassification_item (reclassification_id, evidence_id, payment_id, old_verdict, verdict, code, reason,"
                + " payment_state, would_follow) values (?, ?, ?, 'AMBIGUOUS', 'REJECTED', 'DECLINED', 'r', 'UNKNOWN', 'x')";
        sql(item, reading, answer, id);
        refused("reclassified_by_another", () -> sql(approve.replace("'bob'", "' Ann'"), reading));
        sql(approve, reading);
        String evidence = "insert into evidence (payment_id, attempt_no, source, verdict, fact, code, reason, recorded_by)"
                + " values (?, 1, 'RECLASSIFICATION', 'REJECTED', ?, ?, 'r', 'r')";
        String fact = "reclassified:" + answer + ":" + reading;
        refused("PR012", () -> sql(evidence, id, fact, "RETRY_ME"));
        sql(evidence, id, fact, "DECLINED");
    }

    @Test
    void aPageIsNotBookedWithoutTheOthers() {
        String page = "statement_id=st-%s;page_no=%d;last_page=%s";
        long first = files.processed("{}", page.formatted(payments.provider(), 1, false), List.of(line("FEE", null, null, "f", -1, "")));
        assertThat(files.state(first)).isEqualTo("WAITING");
        refused("PR010", () -> database.transaction().executeWithoutResult(status -> {
            sql("update settlement_file set state = 'STAGED' where file_id = ?", first);
            database.jdbc().queryForList("select * from settlement_book(?)", first);
        }));
        files.processed("{}", page.formatted(payments.provider(), 2, true), List.of(line("FEE", null, null, "g", -1, "")));
        assertThat(files.state(first)).isEqualTo("BOOKED");
    }

    @Test
    void theLinesOfAFileAreToldBeforeItIsDone() {
        UUID id = payments.accepted("CHARGE", 1000, "EUR", "told");
        payments.claimed(id);
        payments.record(Payments.answer(id, 1, "AMBIGUOUS"));
        long file = files.processed("{}", "", List.of(line("PAYMENT", id.toString().replace("-", ""), "t" + id, null, 1000, "")));
        assertThat(files.results(file)).containsExactly("RESOLVES");
        refused("PR010", () -> sql("update settlement_file set all_told = true where file_id = ?", file));
    }

    @Test
    void aChargebackThatWasTakenBackBeforeItWasToldComesToTheSame() {
        UUID id = payments.succeeded("CHARGE", 1000, "EUR");
        String told = "insert into reversal (payment_id, kind, amount_minor, currency, fact, source, reason, actor)"
                + " values (?, ?, 1000, 'EUR', ?, 'WEBHOOK', 'r', 'r')";
        sql(told, id, "CHARGEBACK_REVERSED", "back " + id);
        sql(told, id, "CHARGEBACK", "charged " + id);
        assertThat(payments.value(id, "given_back_minor", Long.class)).isZero();
        assertThat(number("select count(*) from review_case where payment_id = ? and closed_at is null", id)).isZero();
        assertThat(number("select count(*) from ledger_posting where payment_id = ? and event like '%Reversed'", id)).isEqualTo(2);
    }
}
