package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;
import static org.paymentroutes.support.SettlementFiles.line;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.NamedSql;
import org.paymentroutes.support.Payments;

/** What keeps a settlement file from being booked, what people can do about it, and what a complete period proves. */
class SettlementCheckTest extends OwnProviderTest {

    private static final String FEE = line("FEE", null, null, "f", -100, "");

    @ParameterizedTest
    @ValueSource(strings = {
        "{\"controls\": [{\"name\": \"rows\", \"currency\": null, \"declared\": 2, \"counted\": 1}]}",
        "{\"controls\": [{\"name\": \"gross\", \"currency\": \"EUR\", \"declared\": -101, \"counted\": -100}]}",
        "{\"entries\": {\"EUR\": -101}}", "{\"entries\": {\"EUR\": -100, \"USD\": 1}}",
        "{\"opening\": {\"EUR\": 1000}, \"closing\": {\"EUR\": 901}}"})
    void aCentThatIsNotExplainedKeepsTheWholeFileFromTheBooks(String declared) {
        long file = files.processed(declared, "page_no=1;last_page=true", List.of(FEE));
        assertThat(files.state(file)).isEqualTo("REVIEW");
        assertThat(files.results(file)).isEmpty();
        assertThat(files.postings(file)).isEmpty();
        assertThat(files.cases(file)).hasSize(1);
        assertThat(alert("CONTROL_TOTALS", "settlement-file:" + file)).isTrue();
    }

    @Test
    void whatIsRightIsBooked() {
        long file = files.processed("{\"controls\": [{\"name\": \"rows\", \"currency\": null, \"declared\": 1, \"counted\": 1}],"
                + " \"entries\": {\"EUR\": -100}, \"opening\": {\"EUR\": 1000}, \"closing\": {\"EUR\": 900}}", "page_no=1;last_page=true", List.of(FEE));
        assertThat(files.state(file)).isEqualTo("BOOKED");
        files.process(file);
        assertThat(files.postings(file)).hasSize(1);
        refused("PR001", () -> database.jdbc().update("update settlement_line set raw = 'x' where file_id = ?", file));
        refused("PR001", () -> database.jdbc().update("delete from settlement_line where file_id = ?", file));
        refused("PR001", () -> database.jdbc().update("delete from settlement_match where file_id = ?", file));
        refused("PR010", () -> database.jdbc().update("insert into settlement_line (file_id, line_no, kind, amount_minor, currency)"
                + " values (?, 9, 'FEE', 1, 'EUR')", file));
        refused("PR010", () -> database.jdbc().update("update settlement_file set state = 'STAGED' where file_id = ?", file));
        refused("PR010", () -> database.jdbc().update("update settlement_file set line_count = 7 where file_id = ?", file));
        refused("PR011", () -> database.jdbc().update("insert into settlement_match (file_id, line_no, provider, result, rule) values (?, 9, ?, 'FEE', 'KIND')",
                file, payments.provider()));
    }

    @Test
    void aLineMustBeItsAmountLessItsFee() {
        long file = files.processed("{}", "", List.of(line("PAYMENT", null, null, "n", 1000, "fee_minor=10;net_minor=991")));
        assertThat(files.state(file)).isEqualTo("REVIEW");
        assertThat((String) files.cases(file).get(0).get("reason")).contains("line 1", "991", "990");
    }

    @Test
    void aPayoutMustBeTheSumOfItsRows() {
        long file = files.processed("{}", "", List.of(line("ADJUSTMENT", null, null, "a", 1000, "batch_id=b"), line("PAYOUT", null, null, "b", -999, "batch_id=b")));
        assertThat(files.state(file)).isEqualTo("REVIEW");
        assertThat((String) files.cases(file).get(0).get("reason")).contains("payout b", "999", "1000");
    }

    @Test
    void aCurrencyThatDoesNotExistStopsTheFile() {
        assertThat(files.state(files.processed("{}", "", List.of(line("FEE", null, null, "c", -1, "currency=XQQ"))))).isEqualTo("REVIEW");
    }

    @Test
    void aPageWaitsForTheOthers() {
        long two = files.processed("{\"closing\": {\"EUR\": 800}}", "statement_id=S;page_no=2;last_page=true", List.of(line("FEE", null, null, "2", -100, "")));
        assertThat(files.state(two)).isEqualTo("WAITING");
        long one = files.processed("{\"opening\": {\"EUR\": 1000}}", "statement_id=S;page_no=1;last_page=false", List.of(line("FEE", null, null, "1", -100, "")));
        assertThat(files.state(one)).isEqualTo("BOOKED");
        assertThat(files.state(two)).isEqualTo("BOOKED");

        long first = files.processed("{\"opening\": {\"EUR\": 1000}}", "statement_id=T;page_no=1;last_page=false", List.of(line("FEE", null, null, "3", -100, "")));
        long last = files.processed("{\"closing\": {\"EUR\": 801}}", "statement_id=T;page_no=2;last_page=true", List.of(line("FEE", null, null, "4", -100, "")));
        assertThat(files.state(first)).isEqualTo("WAITING");
        assertThat(files.state(last)).isEqualTo("REVIEW");
    }

    @Test
    void twoPeopleBookAFileAnywayAndOneRejectsIt() {
        String declared = "{\"entries\": {\"EUR\": -101}}";
        long file = files.processed(declared, "", List.of(FEE));
        long decision = propose(file, "BOOK_ANYWAY", "{}");
        assertThat(files.state(file)).isEqualTo("REVIEW");
        refused("second_person_is_another", () -> approve(decision, "anna"));
        approve(decision, "berta");
        assertThat(files.state(file)).isEqualTo("STAGED");
        files.process(file);
        assertThat(files.state(file)).isEqualTo("BOOKED");
        assertThat(files.cases(file)).isEmpty();
        assertThat(alert("CONTROL_TOTALS", "settlement-file:" + file)).isFalse();

        long other = files.processed(declared, "", List.of(line("FEE", null, null, "g", -100, "")));
        propose(other, "REJECT_FILE", "{}");
        assertThat(files.state(other)).isEqualTo("REFUSED");
        assertThat(files.postings(other)).isEmpty();
        refused("PR010", () -> database.jdbc().update("update settlement_file set state = 'STAGING', refused_why = null where file_id = ?", other));
    }

    @Test
    void peopleSayWhoseALineIs() {
        UUID id = payments.accepted("CHARGE", 1000, "EUR", "whose");
        payments.claimed(id);
        payments.record(Payments.answer(id, 1, "SUCCEEDED"));
        long file = files.processed("{}", "", List.of(line("PAYMENT", "unreadable", null, "w", 990, "")));
        refused("PR023", () -> proposeLine(file, 1, "MATCH_LINE", "{\"paymentId\": \"" + UUID.randomUUID() + "\"}"));
        long decision = proposeLine(file, 1, "MATCH_LINE", "{\"paymentId\": \"" + id + "\"}");
        approve(decision, "berta");
        assertThat(database.jdbc().queryForList("select debit_account || '>' || credit_account || ' ' || amount_minor from ledger_posting"
                + " where fact = 'decision:' || ? order by line", String.class, decision))
                .containsExactly("suspense>provider_clearing 990", "adjustments>provider_clearing 10");
        assertThat(files.cases(file)).isEmpty();
        assertThat(balance("suspense")).isZero();
        assertThat(balance("provider_clearing")).isZero();
        long again = files.processed("{}", "", List.of(line("PAYMENT", "again", null, "w2", 1000, "")));
        refused("PR023", () -> proposeLine(again, 1, "MATCH_LINE", "{\"paymentId\": \"" + id + "\"}"));
        approve(proposeLine(again, 1, "WRITE_OFF_LINE", "{}"), "berta");
        assertThat(balance("suspense")).isZero();
    }

    @Test
    void aLineOfAPaymentThatMovedInPartWaitsForWhatBecomesOfTheRest() {
        UUID id = payments.accepted("CHARGE", 1000, "EUR", "part");
        payments.claimed(id);
        payments.record(Payments.with(Payments.answer(id, 1, "SUCCEEDED"), "amount_minor", 400));
        assertThat(payments.value(id, "confirmed_minor", Long.class)).isEqualTo(400);
        long file = files.processed("{}", "", List.of(line("PAYMENT", "cut off", null, "part", 400, "")));
        long decision = proposeLine(file, 1, "MATCH_LINE", "{\"paymentId\": \"" + id + "\"}");
        refused("PR022", () -> approve(decision, "berta"));
        decisions.decided(id, "CONFIRM_SUCCEEDED", "{\"providerPaymentId\": \"P-part\"}");
        approve(decision, "berta");
        assertThat(balance("suspense")).isZero();
        assertThat(balance("provider_clearing")).isZero();
    }

    @Test
    void aLineWithoutAnIdIsBookedWhenPeopleSaySo() {
        String fee = line("FEE", null, null, null, -5, "");
        long file = files.processed("{}", "", List.of(fee, fee));
        assertThat(files.postings(file)).isEmpty();
        approve(proposeLine(file, 1, "BOOK_LINE_TO_SUSPENSE", "{}"), "berta");
        approve(proposeLine(file, 2, "WRITE_OFF_LINE", "{}"), "berta");
        assertThat(files.postings(file)).containsExactly("1.1 FeeCharged suspense>bank 5 EUR", "2.1 FeeCharged adjustments>bank 5 EUR");
        assertThat(files.equationHolds(file)).isTrue();
    }

    @Test
    void whatACompletePeriodDoesNotContainIsMissing() {
        UUID gone = payments.accepted("CHARGE", 1000, "EUR", "gone");
        payments.claimed(gone);
        payments.record(Payments.answer(gone, 1, "SUCCEEDED"));
        UUID doubt = payments.accepted("CHARGE", 1001, "EUR", "doubt");
        payments.claimed(doubt);
        payments.due(doubt);
        database.run("expire-leases", Map.of("node", "node"));
        assertThat(absent(doubt)).isFalse();

        String period = "page_no=1;last_page=true;period_from=" + Instant.now().minusSeconds(3600) + ";period_to="
                + Instant.now().plusSeconds(3600);
        files.processed("{}", period, List.of());
        assertThat(absent(doubt)).as("nothing says that the file is complete").isFalse();
        long file = files.processed("{\"controls\": [{\"name\": \"rows\", \"currency\": null, \"declared\": 0, \"counted\": 0}]}", period, List.of());
        assertThat(database.jdbc().queryForList("select payment_id from settlement_missing where file_id = ?", UUID.class, file)).containsExactly(gone);
        assertThat(alert("MISSING_AT_PROVIDER", "settlement-file:" + file)).isTrue();
        assertThat(payments.state(gone)).isEqualTo("SUCCEEDED");
        assertThat(absent(doubt)).isTrue();
        assertThat(absent(gone)).isTrue();
        // A line that nobody can place and that has its amount may be it.
        files.processed("{}", "", List.of(line("PAYMENT", "who?", null, "z", 1001, "at=" + Instant.now())));
        assertThat(absent(doubt)).isFalse();
    }

    @Test
    void aPaymentIsExpectedOnlyAfterTheLag() {
        database.jdbc().update("insert into settlement_contract (provider, lag_ms) values (?, 86400000)", payments.provider());
        UUID young = payments.in("SUCCEEDED");
        UUID doubt = payments.in("UNKNOWN");
        long file = files.processed("{\"controls\": [{\"name\": \"rows\", \"currency\": null, \"declared\": 0, \"counted\": 0}]}",
                "page_no=1;last_page=true;period_from=" + Instant.now().minusSeconds(3600) + ";period_to=" + Instant.now().plusSeconds(3600), List.of());
        assertThat(database.jdbc().queryForList("select payment_id from settlement_missing where file_id = ?", UUID.class, file)).isEmpty();
        assertThat(absent(young)).isFalse();
        assertThat(absent(doubt)).isFalse();
    }

    @Test
    void aGapAndAFileThatDoesNotArriveAreNoticed() {
        files.processed("{}", "page_no=1;last_page=true;period_from=2026-10-01T00:00:00Z;period_to=2026-10-02T00:00:00Z", List.of());
        files.processed("{}", "page_no=1;last_page=true;period_from=2026-10-03T00:00:00Z;period_to=2026-10-04T00:00:00Z", List.of());
        assertThat(alert("SETTLEMENT_GAP", payments.provider())).isTrue();
        database.jdbc().update("insert into settlement_contract (provider, every_ms, late_ms) values (?, 86400000, 3600000)", payments.provider());
        database.jdbc().queryForList(NamedSql.load("settlement-expected"));
        assertThat(alert("SETTLEMENT_FILE_MISSING", payments.provider())).isTrue();
        files.processed("{}", "page_no=1;last_page=true;period_from=2026-10-04T00:00:00Z;period_to=" + Instant.now(), List.of());
        database.jdbc().queryForList(NamedSql.load("settlement-expected"));
        assertThat(alert("SETTLEMENT_FILE_MISSING", payments.provider())).isFalse();
    }

    @Test
    void aDryRunShowsEverythingAndBooksNothing() throws Exception {
        long file = files.staged("{}", "", List.of(FEE, line("PAYMENT", "who", null, "p", 5, "")));
        String report = database.jdbc().queryForObject("select settlement_dry_run(?)::text", String.class, file);
        JsonNode json = new ObjectMapper().readTree(report);
        assertThat(json.path("dryRun").asBoolean()).isTrue();
        assertThat(json.path("state").asText()).isEqualTo("BOOKED");
        assertThat(json.at("/differences/0/result").asText()).isEqualTo("UNKNOWN_TO_US");
        assertThat(json.at("/equation/0/holds").asBoolean()).isTrue();
        assertThat(files.state(file)).isEqualTo("STAGED");
        assertThat(files.results(file)).isEmpty();
        assertThat(files.postings(file)).isEmpty();
        files.process(file);
        assertThat(files.results(file)).hasSize(2);
        assertThat(database.jdbc().queryForObject("select settlement_day(current_date)::text", String.class)).contains("\"equation\"");
    }

    private boolean absent(UUID id) {
        return Boolean.TRUE.equals(database.jdbc().queryForObject("select absent_from_settlement(?)", Boolean.class, id));
    }

    private long balance(String account) {
        return database.jdbc().queryForObject("select coalesce(sum(balance_minor), 0) from ledger_balance where account = ? and provider = ?",
                Long.class, account, payments.provider());
    }

    private boolean alert(String kind, String subject) {
        return Boolean.TRUE.equals(database.jdbc().queryForObject("select exists (select from alert where (kind, subject) = (?, ?) and cleared_at is null)",
                Boolean.class, kind, subject));
    }

    private long propose(long file, String kind, String details) {
        return proposeFor("settlement-file:" + file, kind, details);
    }

    private long proposeLine(long file, int line, String kind, String details) {
        return proposeFor("settlement-line:" + (file * 100_000_000 + line), kind, details);
    }

    private long proposeFor(String subject, String kind, String details) {
        return database.jdbc().queryForObject("insert into decision (case_id, kind, details, reason, proposed_by)"
                + " select case_id, ?, ?::jsonb, 'looked at it', 'anna' from review_case where subject = ? and closed_at is null returning decision_id",
                Long.class, kind, details, subject);
    }

    private void approve(long decision, String who) {
        database.jdbc().update("update decision set approved_by = ? where decision_id = ?", who, decision);
    }
}
