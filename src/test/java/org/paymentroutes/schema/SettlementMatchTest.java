package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.SettlementFiles.line;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Payments;

/** What becomes of the lines of a settlement file: each result, its postings, its cases, and that nothing is booked twice. */
class SettlementMatchTest extends OwnProviderTest {

    @AfterEach
    void theEquationOfEachFileHolds() {
        assertThat(database.jdbc().queryForList("select file_id from settlement_file where state = 'BOOKED' and provider = ?", Long.class,
                payments.provider())).allMatch(files::equationHolds);
    }

    private UUID charge(String state, long amount) {
        UUID id = payments.accepted("CHARGE", amount, "EUR", UUID.randomUUID().toString());
        bring(id, state);
        return id;
    }

    private void bring(UUID id, String state) {
        payments.claimed(id);
        switch (state) {
            case "SUCCEEDED" -> payments.record(Payments.answer(id, 1, "SUCCEEDED"));
            case "FAILED" -> payments.record(Payments.answer(id, 1, "REJECTED"));
            default -> {
                payments.due(id);
                database.run("expire-leases", Map.of("node", "node"));
            }
        }
        assertThat(payments.state(id)).isEqualTo(state);
    }

    private static String key(UUID id) {
        return id.toString().replace("-", "");
    }

    @Test
    void aLineWithOurReferenceAmountAndCurrencyIsMatchedAndSettled() {
        UUID id = charge("SUCCEEDED", 10000);
        long file = files.processed("{}", "", List.of(
                line("PAYMENT", key(id).toUpperCase(java.util.Locale.ROOT), "ptx", "ptx", 10000, "fee_minor=60;net_minor=9940")));
        assertThat(files.results(file)).containsExactly("MATCHED");
        assertThat(files.postings(file)).containsExactly("1.1 SettlementBooked bank>provider_clearing 10000 EUR",
                "1.2 FeeCharged fees>bank 60 EUR");
        assertThat(files.cases(file)).isEmpty();
    }

    @Test
    void aPayoutOfTheProviderMovesWhatItCollectedToTheBank() {
        UUID id = charge("SUCCEEDED", 1000);
        long file = files.processed("{}", "", List.of(
                line("PAYMENT", key(id), "c1", "c1", 1000, "fee_minor=30;net_minor=970;batch_id=b"),
                line("FEE", null, null, "f1", -20, "batch_id=b"),
                line("PAYOUT", null, null, "po", -950, "batch_id=b")));
        assertThat(files.results(file)).containsExactly("MATCHED", "FEE", "PAYOUT");
        assertThat(files.postings(file)).containsExactly("1.2 FeeCharged fees>provider_clearing 30 EUR",
                "2.1 FeeCharged fees>provider_clearing 20 EUR", "3.1 SettlementBooked bank>provider_clearing 950 EUR");
    }

    @Test
    void moneyInAnotherCurrencyPassesThroughTheExchangeAccount() {
        UUID id = payments.accepted("CHARGE", 10000, "JPY", "jpy");
        bring(id, "SUCCEEDED");
        long file = files.processed("{}", "", List.of(
                line("PAYMENT", key(id), "c2", "c2", 10000, "currency=JPY;settle_currency=EUR;settle_amount_minor=6120;fee_minor=62;net_minor=6058")));
        assertThat(files.postings(file)).containsExactly("1.1 SettlementBooked bank>exchange 6120 EUR", "1.2 FeeCharged fees>bank 62 EUR",
                "1.3 SettlementBooked exchange>provider_clearing 10000 JPY");
    }

    @Test
    void aDiscountThatTheProviderKeptIsAnAdjustment() {
        UUID id = charge("SUCCEEDED", 5000);
        long file = files.processed("{}", "", List.of(
                line("PAYMENT", key(id), "c3", "c3", 5000, "settle_currency=EUR;settle_amount_minor=4500")));
        assertThat(files.results(file)).containsExactly("MATCHED");
        assertThat(files.postings(file)).containsExactly("1.1 SettlementBooked bank>provider_clearing 4500 EUR",
                "1.3 ReconciliationAdjusted adjustments>provider_clearing 500 EUR");
    }

    @Test
    void oneCentIsADifferenceUnlessItIsDeclaredAndThenItIsBooked() {
        UUID strict = charge("SUCCEEDED", 1000);
        long file = files.processed("{}", "", List.of(line("PAYMENT", key(strict), null, "l1", 999, "")));
        assertThat(files.results(file)).containsExactly("AMOUNT_DIFFERS");
        assertThat(files.postings(file)).containsExactly("1.1 SettlementBooked bank>suspense 999 EUR");
        assertThat(files.cases(file)).hasSize(1);

        database.jdbc().update("insert into settlement_contract (provider, tolerance) values (?, '{\"EUR\": 1}')", payments.provider());
        UUID lenient = charge("SUCCEEDED", 1000);
        file = files.processed("{}", "", List.of(line("PAYMENT", key(lenient), null, "l2", 999, "")));
        assertThat(files.results(file)).containsExactly("TOLERATED");
        assertThat(files.postings(file)).containsExactly("1.1 SettlementBooked bank>provider_clearing 999 EUR",
                "1.4 ReconciliationAdjusted adjustments>provider_clearing 1 EUR");
    }

    @Test
    void whatIsNotSucceededWithUsIsToldOfItsLine() {
        UUID unknown = charge("UNKNOWN", 500);
        UUID failed = charge("FAILED", 600);
        long file = files.processed("{}", "", List.of(line("PAYMENT", key(unknown), "x1", "x1", 500, ""),
                line("PAYMENT", key(failed), "x2", "x2", 600, "")));
        assertThat(files.results(file)).containsExactly("RESOLVES", "SETTLED_BUT_FAILED");
        assertThat(files.postings(file)).containsExactly("1.1 SettlementBooked bank>provider_clearing 500 EUR",
                "2.1 SettlementBooked bank>suspense 600 EUR");
        tell();
        assertThat(payments.state(unknown)).isEqualTo("SUCCEEDED");
        assertThat(payments.state(failed)).isEqualTo("FAILED");
        assertThat(database.jdbc().queryForObject("select category from review_case where payment_id = ? and subject = 'payment' and closed_at is null",
                String.class, failed)).isEqualTo("STATE_CONFLICT");
        assertThat(database.run("settlement-tell", Map.of())).isEmpty();
    }

    @SuppressWarnings("unchecked")
    private void tell() {
        List<Map<String, Object>> rows = database.run("settlement-tell", Map.of());
        payments.record(rows.toArray(Map[]::new));
        database.jdbc().update(org.paymentroutes.support.NamedSql.load("settlement-told"));
    }

    @Test
    void twoLinesForOnePaymentAreADoublePayAndNoneIsPicked() {
        UUID id = charge("UNKNOWN", 10000);
        long file = files.processed("{}", "", List.of(line("PAYMENT", key(id), "ptx_1", "ptx_1", 10000, ""),
                line("PAYMENT", key(id), "ptx_1b", "ptx_1b", 10000, "")));
        assertThat(files.results(file)).containsExactly("DOUBLE_PAY", "DOUBLE_PAY");
        assertThat(files.postings(file)).allMatch(posting -> posting.contains("bank>suspense 10000"));
        assertThat(files.cases(file)).hasSize(2);
        assertThat(alerts("DOUBLE_PAY", id.toString())).isEqualTo(1);
        tell();
        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
    }

    @Test
    void aSecondLineInALaterFileIsADoublePay() {
        UUID id = charge("SUCCEEDED", 700);
        files.processed("{}", "", List.of(line("PAYMENT", key(id), "a", "a", 700, "")));
        long later = files.processed("{}", "", List.of(line("PAYMENT", key(id), "b", "b", 700, "")));
        assertThat(files.results(later)).containsExactly("DOUBLE_PAY");
        assertThat(alerts("DOUBLE_PAY", id.toString())).isEqualTo(1);
    }

    @Test
    void knownLinesAreSkippedAndNewOnesBooked() {
        UUID one = charge("SUCCEEDED", 100);
        UUID two = charge("SUCCEEDED", 200);
        files.processed("{}", "", List.of(line("PAYMENT", key(one), "k1", "k1", 100, "")));
        long file = files.processed("{}", "", List.of(line("PAYMENT", key(one), "k1", "k1", 100, ""), line("PAYMENT", key(two), "k2", "k2", 200, "")));
        assertThat(files.results(file)).containsExactly("KNOWN_LINE", "MATCHED");
        assertThat(files.postings(file)).containsExactly("2.1 SettlementBooked bank>provider_clearing 200 EUR");
        long changed = files.processed("{}", "", List.of(line("PAYMENT", key(one), "k1", "k1", 101, "")));
        assertThat(files.results(changed)).containsExactly("KNOWN_LINE_DIFFERS");
        assertThat(files.postings(changed)).isEmpty();
    }

    @Test
    void theSameLineTwiceInOneFileIsBookedOnce() {
        UUID id = charge("SUCCEEDED", 100);
        String once = line("PAYMENT", key(id), "d1", "d1", 100, "");
        long file = files.processed("{}", "", List.of(once, once));
        assertThat(files.results(file)).containsExactly("MATCHED", "DUPLICATE_LINE");
        assertThat(files.postings(file)).hasSize(1);
        long other = files.processed("{}", "", List.of(line("FEE", null, null, "d2", -5, ""), line("FEE", null, null, "d2", -6, "")));
        assertThat(files.results(other)).containsExactly("DUPLICATE_DIFFERS", "DUPLICATE_DIFFERS");
        assertThat(files.postings(other)).isEmpty();
    }

    @Test
    void linesWithoutAnIdThatLookAlikeWaitForPeople() {
        String fee = line("FEE", null, null, null, -5, "at=2026-10-01T00:00:00Z");
        long file = files.processed("{}", "", List.of(fee, line("FEE", null, null, null, -7, "at=2026-10-01T00:00:00Z"), fee));
        assertThat(files.results(file)).containsExactly("NO_IDENTITY", "FEE", "NO_IDENTITY");
        assertThat(files.cases(file)).hasSize(2);
    }

    @Test
    void whatNobodyKnowsStandsInSuspense() {
        long file = files.processed("{}", "", List.of(line("PAYMENT", "somebody else's", "u1", "u1", 100, ""), line("ADJUSTMENT", null, null, "u2", -5, "")));
        assertThat(files.results(file)).containsExactly("UNKNOWN_TO_US", "ADJUSTMENT");
        assertThat(files.postings(file)).containsExactly("1.1 SettlementBooked bank>suspense 100 EUR", "2.1 SettlementBooked suspense>bank 5 EUR");
        assertThat(files.cases(file)).hasSize(2);
    }

    @Test
    void anAmountAloneMatchesOnlyWhatIsUniqueOnBothSides() {
        database.jdbc().update("insert into settlement_contract (provider, window_ms) values (?, 3600000)", payments.provider());
        UUID lone = charge("SUCCEEDED", 4242);
        charge("SUCCEEDED", 5555);
        charge("SUCCEEDED", 5555);
        UUID cut = charge("SUCCEEDED", 777);
        charge("SUCCEEDED", 777);
        UUID doubt = charge("UNKNOWN", 888);
        String now = "at=" + java.time.Instant.now();
        long file = files.processed("{}", "", List.of(line("PAYMENT", null, null, "w1", 4242, now), line("PAYMENT", null, null, "w2", 5555, now),
                line("PAYMENT", key(cut).substring(0, 16), null, "w3", 777, now + ";reference_truncated=true"),
                line("PAYMENT", null, null, "w4", 4242, "at=2020-01-01T00:00:00Z"), line("PAYMENT", null, null, "w5", 888, now),
                line("PAYMENT", "a full reference of others", null, "w6", 5555, now)));
        assertThat(files.results(file)).containsExactly("MATCHED", "AMBIGUOUS", "MATCHED", "UNKNOWN_TO_US", "CANDIDATE", "UNKNOWN_TO_US");
        assertThat(claim(file, 1)).isEqualTo(lone);
        assertThat(claim(file, 3)).isEqualTo(cut);
        assertThat(payments.state(doubt)).isEqualTo("UNKNOWN");
    }

    @Test
    void aCutReferenceWithoutADeclaredWindowIsACandidateOnly() {
        UUID id = charge("SUCCEEDED", 900);
        long file = files.processed("{}", "", List.of(
                line("PAYMENT", key(id).substring(0, 16), null, "t1", 900, "reference_truncated=true;at=" + java.time.Instant.now())));
        assertThat(files.results(file)).containsExactly("CANDIDATE");
    }

    @Test
    void aLineIsFoundByTheIdOfTheProviderToo() {
        UUID id = payments.accepted("CHARGE", 300, "EUR", "by id");
        payments.claimed(id);
        payments.record(Payments.with(Payments.answer(id, 1, "SUCCEEDED"), "provider_payment_id", "PSP-1"));
        long file = files.processed("{}", "", List.of(line("PAYMENT", "their own word", "PSP-1", "m1", 300, "")));
        assertThat(files.results(file)).containsExactly("MATCHED");
        assertThat(claim(file, 1)).isEqualTo(id);
    }

    @Test
    void anotherIdThanThePaymentHasIsADoublePay() {
        UUID id = payments.accepted("CHARGE", 300, "EUR", "two ids");
        payments.claimed(id);
        payments.record(Payments.with(Payments.answer(id, 1, "SUCCEEDED"), "provider_payment_id", "PSP-2"));
        long file = files.processed("{}", "", List.of(line("PAYMENT", key(id), "PSP-3", "PSP-3", 300, "")));
        assertThat(files.results(file)).containsExactly("DOUBLE_PAY");
    }

    @Test
    void whatComesBackIsARecordOfItsOwn() {
        UUID id = charge("SUCCEEDED", 2000);
        files.processed("{}", "", List.of(line("PAYMENT", key(id), "r0", "r0", 2000, "")));
        long file = files.processed("{}", "", List.of(line("CHARGEBACK", key(id), "r0", "r1", -2000, "fee_minor=1500")));
        assertThat(files.results(file)).containsExactly("MATCHED");
        assertThat(database.jdbc().queryForObject("select kind || ' ' || amount_minor from reversal where payment_id = ?", String.class, id))
                .isEqualTo("CHARGEBACK 2000");
        assertThat(files.postings(file)).containsExactly("1.1 SettlementBooked provider_clearing>bank 2000 EUR", "1.2 FeeCharged fees>bank 1500 EUR");
        assertThat(payments.state(id)).isEqualTo("SUCCEEDED");
    }

    @Test
    void aSourceReferenceMatchesByContractOnly() {
        String reference = "PAY-" + UUID.randomUUID();
        UUID id = payments.accepted("CHARGE", 100, "EUR", reference);
        bring(id, "SUCCEEDED");
        assertThat(files.results(files.processed("{}", "", List.of(line("PAYMENT", reference, "s1", "s1", 100, ""))))).containsExactly("UNKNOWN_TO_US");
        database.jdbc().update("insert into settlement_contract (provider, reference) values (?, 'SOURCE_REFERENCE')", payments.provider());
        assertThat(files.results(files.processed("{}", "", List.of(line("PAYMENT", reference, "s2", "s2", 100, ""))))).containsExactly("MATCHED");
    }

    private UUID claim(long file, int line) {
        return database.jdbc().queryForObject("select payment_id from settlement_match where (file_id, line_no) = (?, ?)", UUID.class, file, line);
    }

    private int alerts(String kind, String subject) {
        return database.jdbc().queryForObject("select count(*) from alert where (kind, subject) = (?, ?)", Integer.class, kind, subject);
    }
}
