package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.paymentroutes.support.Refused.refused;
import static org.paymentroutes.support.SettlementFiles.line;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.Payments;
import org.paymentroutes.support.SettlementFiles;

/** Payouts in two hops: the provider says that it paid out, the bank that it arrived; the money is at the bank once. */
class PayoutInTransitTest {

    private static final String DAY = "at=" + Instant.now().truncatedTo(ChronoUnit.DAYS);

    private static final int ROUNDS = 5;

    private static Database database;

    private String provider;
    private String bank;
    private Payments atBank;
    private SettlementFiles provided;
    private SettlementFiles stated;

    @BeforeAll
    static void start() {
        database = Database.create();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void providerAndBank() {
        String suffix = UUID.randomUUID().toString().substring(0, 8);
        provider = new Payments(database, "psp-" + suffix).provider();
        atBank = new Payments(database, "bank-" + suffix);
        bank = atBank.provider();
        provided = new SettlementFiles(database.jdbc(), provider);
        stated = new SettlementFiles(database.jdbc(), bank);
        database.jdbc().update("insert into settlement_contract (provider, payouts_at, payout_lag_ms) values (?, ?, 432000000)", provider, bank);
        database.jdbc().update("insert into settlement_contract (provider, payout_window_ms) values (?, 259200000)", bank);
    }

    @AfterEach
    void everythingAddsUp() {
        for (String name : List.of(provider, bank)) {
            assertThat(database.jdbc().queryForList("select file_id from settlement_file where state = 'BOOKED' and provider = ?", Long.class, name))
                    .allMatch(stated::equationHolds);
        }
        // What is in transit by the books is what is in transit by the payouts.
        assertThat(balance("payouts_in_transit", provider)).isEqualTo(database.jdbc().queryForObject("select coalesce(sum(amount_minor), 0)"
                + " from payout_in_transit v where provider = ? and not exists (select from payout_arrival a"
                + " where (a.file_id, a.line_no) = (v.file_id, v.line_no))", Long.class, provider));
        assertThat(balance("payouts_in_transit", bank)).isZero();
    }

    private long balance(String account, String of) {
        return database.jdbc().queryForObject("select coalesce(sum(balance_minor), 0) from ledger_balance where account = ? and provider = ?",
                Long.class, account, of);
    }

    private long paidOut(String id, long amount) {
        return provided.processed("{}", "", List.of(line("PAYOUT", null, null, id, -amount, DAY)));
    }

    /** A line of the bank with the names that the contract of its file took out of the text; null when there are none. */
    private static String credit(String id, String names, long amount) {
        return line("PAYMENT", null, null, id, amount, DAY + (names == null ? "" : ";hints={\"payout\": \"" + names + "\"}"));
    }

    private long booked(String... lines) {
        return stated.processed("{}", "", List.of(lines));
    }

    private Map<String, Object> look() {
        return database.jdbc().queryForMap("select * from payouts_look()");
    }

    private List<String> moves(String fact) {
        return database.jdbc().queryForList("select provider || ' ' || debit_account || '>' || credit_account || ' ' || amount_minor"
                + " from ledger_posting where fact = ? order by line", String.class, fact);
    }

    @Test
    void aPayoutIsInTransitUntilTheBankHasIt() {
        long file = paidOut("po_1AbC", 95000);
        assertThat(provided.postings(file)).containsExactly("1.1 SettlementBooked payouts_in_transit>provider_clearing 95000 EUR");
        long statement = booked(credit("S1", "PO1ABC", 95000));
        assertThat(stated.results(statement)).containsExactly("PAYOUT_ARRIVED");
        assertThat(moves("settlement:" + statement + ":1")).containsExactly(provider + " bank>payouts_in_transit 95000");
        assertThat(stated.cases(statement)).isEmpty();
        assertThat(balance("bank", provider)).isEqualTo(95000);
        assertThat(balance("bank", bank)).isZero();
        assertThat(balance("suspense", bank)).isZero();
        assertThat(look()).containsEntry("arrived", 0L);
    }

    @Test
    void aBankKeepsItsFeeOfWhatArrives() {
        paidOut("po-fee-01", 1000);
        long statement = booked(line("PAYMENT", "po-fee-01", null, "S1", 1000, DAY + ";fee_minor=15;net_minor=985"));
        assertThat(stated.results(statement)).containsExactly("PAYOUT_ARRIVED");
        assertThat(moves("settlement:" + statement + ":1")).containsExactly(provider + " bank>payouts_in_transit 1000", bank + " fees>bank 15");
    }

    @Test
    void theStatementMayComeFirst() {
        long statement = booked(credit("S1", "po-late-1", 500), credit("S2", "po-late-2", 700));
        assertThat(stated.results(statement)).containsExactly("UNKNOWN_TO_US", "UNKNOWN_TO_US");
        assertThat(balance("suspense", bank)).isEqualTo(-1200);
        long file = paidOut("po-late-1", 500);
        assertThat(look()).containsEntry("arrived", 1L);
        assertThat(moves("payout:" + (file * 100_000_000 + 1))).containsExactly(bank + " suspense>bank 500", provider + " bank>payouts_in_transit 500");
        assertThat(balance("suspense", bank)).isEqualTo(-700);
        assertThat(balance("bank", provider) + balance("bank", bank)).isEqualTo(1200);
        assertThat(stated.cases(statement)).hasSize(1);
        assertThat(look()).containsEntry("arrived", 0L);
    }

    @ParameterizedTest
    @CsvSource({"949", "951", "-950"})
    void anotherAmountIsADifferenceAndThePayoutStaysInTransit(long amount) {
        long file = paidOut("po-differs", 950);
        long statement = booked(credit("S1", "po-differs", amount));
        assertThat(stated.results(statement)).containsExactly("PAYOUT_DIFFERS");
        assertThat(database.jdbc().queryForObject("select difference_minor from settlement_match where file_id = ?", Long.class, statement))
                .isEqualTo(amount - 950);
        assertThat(stated.cases(statement)).hasSize(1);
        assertThat((String) stated.cases(statement).get(0).get("reason")).contains("may be payout " + (file * 100_000_000 + 1));
        assertThat(balance("payouts_in_transit", provider)).isEqualTo(950);
        assertThat(balance("suspense", bank)).isEqualTo(-amount);
    }

    @Test
    void aSecondArrivalIsADifference() {
        paidOut("po-twice-1", 950);
        booked(credit("S1", "po-twice-1", 950));
        long again = booked(credit("S2", "po-twice-1", 950));
        assertThat(stated.results(again)).containsExactly("PAYOUT_DIFFERS");
        assertThat(balance("suspense", bank)).isEqualTo(-950);
    }

    @Test
    void nobodyPicksAmongTwo() {
        paidOut("po-two-1", 950);
        long statement = booked(credit("S1", "po-two-1", 950), credit("S2", "po-two-1", 950));
        assertThat(stated.results(statement)).containsExactly("AMBIGUOUS", "AMBIGUOUS");
        paidOut("po-two-2", 40);
        paidOut("po-two-3", 40);
        statement = booked(credit("S3", "po-two-2 po-two-3", 80), credit("S4", null, 40));
        assertThat(stated.results(statement)).containsExactly("AMBIGUOUS", "UNKNOWN_TO_US");
    }

    @Test
    void anAmountAloneIsEnoughOnlyWhenBothSidesHaveNobodyElse() {
        paidOut("po-w-1", 111);
        paidOut("po-w-2", 222);
        long statement = booked(credit("S1", null, 111), credit("S2", null, 222), credit("S3", null, 222),
                credit("S4", "another", 333), line("PAYMENT", null, null, "S5", 333, "at=2020-01-01T00:00:00Z"));
        assertThat(stated.results(statement)).containsExactly("PAYOUT_ARRIVED", "AMBIGUOUS", "AMBIGUOUS", "UNKNOWN_TO_US", "UNKNOWN_TO_US");
        // A line that names another payout, or is too far away, is not this one by its amount.
        paidOut("po-w-3", 333);
        assertThat(look()).containsEntry("arrived", 0L);
        // An earlier line that nobody has explained may be it too.
        booked(credit("S6", null, 444));
        paidOut("po-w-4", 444);
        statement = booked(credit("S7", null, 444));
        assertThat(stated.results(statement)).containsExactly("AMBIGUOUS");
        assertThat(look()).containsEntry("arrived", 1L);
    }

    @Test
    void aLineThatMayBeAPaymentTooIsNobodys() {
        database.jdbc().update("update settlement_contract set window_ms = 259200000 where provider = ?", bank);
        UUID charge = atBank.accepted("CHARGE", 555, "EUR", "by amount");
        atBank.claimed(charge);
        atBank.record(Payments.answer(charge, 1, "SUCCEEDED"));
        paidOut("po-or-charge", 555);
        String now = "at=" + Instant.now();
        assertThat(stated.results(booked(line("PAYMENT", null, null, "S1", 555, now)))).containsExactly("AMBIGUOUS");
        // What it names is stronger than an amount.
        assertThat(stated.results(booked(line("PAYMENT", charge.toString().replace("-", ""), null, "S2", 555, now)))).containsExactly("MATCHED");
        assertThat(stated.results(booked(credit("S3", "po-or-charge", 555)))).containsExactly("PAYOUT_ARRIVED");
    }

    @Test
    void aPayoutThatPeopleBookIsAwaitedToo() {
        String twin = line("PAYOUT", null, null, null, -60, DAY);
        long file = provided.processed("{}", "", List.of(twin, twin));
        assertThat(provided.results(file)).containsExactly("NO_IDENTITY", "NO_IDENTITY");
        approve(propose("settlement-line:" + (file * 100_000_000 + 2), "BOOK_LINE_TO_SUSPENSE", "{}"), "berta");
        assertThat(provided.postings(file)).containsExactly("2.1 SettlementBooked payouts_in_transit>suspense 60 EUR");
        assertThat(stated.results(booked(credit("S1", null, 60)))).containsExactly("PAYOUT_ARRIVED");
    }

    @Test
    void aPayoutThatIsTakenBackIsTwoLinesOfTheBank() {
        provided.processed("{}", "", List.of(line("PAYOUT", null, "po-taken", "t1", -950, DAY), line("PAYOUT", null, "po-taken", "t2", 950, DAY)));
        assertThat(stated.results(booked(credit("S1", "po-taken", 950), credit("S2", "po-taken", -950)))).containsExactly("PAYOUT_ARRIVED", "PAYOUT_ARRIVED");
        assertThat(balance("bank", provider)).isZero();
    }

    @Test
    void reportsShowWhatIsInTransitAndWhatArrived() {
        long file = paidOut("po-report-1", 950);
        String payout = String.valueOf(file * 100_000_000 + 1);
        assertThat(report(file, "{inTransit,0,lineId}")).isEqualTo(payout);
        assertThat(report(file, "{payouts,0,bankFileId}")).isNull();
        assertThat(rows(file, "IN_TRANSIT")).containsExactly("9.50");
        long statement = booked(credit("S1", "po-report-1", 950));
        for (long one : List.of(file, statement)) {
            assertThat(report(one, "{payouts,0,lineId}")).isEqualTo(payout);
            assertThat(report(one, "{payouts,0,bankFileId}")).isEqualTo(String.valueOf(statement));
            assertThat(report(one, "{payouts,0,arrivedBy}")).isEqualTo("REFERENCE");
            assertThat(report(one, "{inTransit,0}")).isNull();
            assertThat(rows(one, "IN_TRANSIT")).isEmpty();
        }
    }

    private static String report(long file, String path) {
        return database.jdbc().queryForObject("select settlement_report(?) #>> ?::text[]", String.class, file, path);
    }

    private static List<String> rows(long file, String section) {
        return database.run("settlement-report-rows", Map.of("fileId", file)).stream().filter(row -> section.equals(row.get("section")))
                .map(row -> (String) row.get("amount")).toList();
    }

    @Test
    void aDryRunClaimsNothing() {
        paidOut("po-dry-1", 95);
        long statement = stated.staged("{}", "", List.of(credit("S1", "po-dry-1", 95)));
        assertThat(database.jdbc().queryForObject("select settlement_dry_run(?)::text", String.class, statement)).contains("PAYOUT_ARRIVED");
        assertThat(balance("payouts_in_transit", provider)).isEqualTo(95);
        stated.process(statement);
        assertThat(stated.results(statement)).containsExactly("PAYOUT_ARRIVED");
    }

    @Test
    void withoutAWindowAnAmountAloneIsNothing() {
        database.jdbc().update("update settlement_contract set payout_window_ms = null where provider = ?", bank);
        paidOut("po-n-1", 111);
        assertThat(stated.results(booked(credit("S1", null, 111)))).containsExactly("UNKNOWN_TO_US");
        assertThat(look()).containsEntry("arrived", 0L);
    }

    @Test
    void aProviderWithoutABankStatementPaysOutToTheBankAtOnce() {
        database.jdbc().update("update settlement_contract set payouts_at = null where provider = ?", provider);
        long file = paidOut("po-plain-1", 950);
        assertThat(provided.postings(file)).containsExactly("1.1 SettlementBooked bank>provider_clearing 950 EUR");
        assertThat(stated.results(booked(credit("S1", "po-plain-1", 950)))).containsExactly("UNKNOWN_TO_US");
        assertThat(database.jdbc().queryForObject("select count(*) from payout_in_transit where provider = ?", Long.class, provider)).isZero();
    }

    @Test
    void whatTheProviderTakesFromTheBankIsInTransitToo() {
        long file = paidOut("po-back-1", -300);
        assertThat(provided.postings(file)).containsExactly("1.1 SettlementBooked provider_clearing>payouts_in_transit 300 EUR");
        assertThat(stated.results(booked(credit("S1", "po-back-1", -300)))).containsExactly("PAYOUT_ARRIVED");
        assertThat(balance("bank", provider)).isEqualTo(-300);
    }

    @Test
    void whatDoesNotArriveIsNoticedOnceAndClosedWhenItDoes() {
        database.jdbc().update("update settlement_contract set payout_lag_ms = 0 where provider = ?", provider);
        long file = paidOut("po-lost-1", 950);
        String subject = "settlement-payout:" + (file * 100_000_000 + 1);
        look();
        look();
        assertThat(database.jdbc().queryForObject("select count(*) from review_case where subject = ? and closed_at is null", Long.class, subject)).isOne();
        assertThat(database.jdbc().queryForObject("select occurrences from alert where kind = 'PAYOUT_NOT_ARRIVED' and subject = ?", Long.class, subject)).isOne();
        booked(credit("S1", "po-lost-1", 950));
        assertThat(database.jdbc().queryForObject("select closed_by from review_case where subject = ?", String.class, subject)).isEqualTo("settlement");
        assertThat(database.jdbc().queryForObject("select cleared_by from alert where subject = ?", String.class, subject)).isEqualTo("settlement");
    }

    @Test
    void twoPeopleSayWhatADifferenceIsAndWhatWillNotArrive() {
        long file = paidOut("po-people", 950);
        long payout = file * 100_000_000 + 1;
        long statement = booked(credit("S1", "po-people", 940));
        String about = "settlement-line:" + (statement * 100_000_000 + 1);
        refused("PR023", () -> propose(about, "MATCH_PAYOUT", "{\"payoutLineId\": \"12\"}"));
        refused("PR023", () -> propose(about, "MATCH_PAYOUT", "{}"));
        long decision = propose(about, "MATCH_PAYOUT", "{\"payoutLineId\": \"" + payout + "\"}");
        refused("second_person_is_another", () -> approve(decision, "anna"));
        approve(decision, "berta");
        assertThat(moves("payout:" + payout)).containsExactly(bank + " suspense>bank 940", provider + " bank>payouts_in_transit 940",
                provider + " adjustments>payouts_in_transit 10");
        assertThat(stated.cases(statement)).isEmpty();

        database.jdbc().update("update settlement_contract set payout_lag_ms = 0 where provider = ?", provider);
        long lost = paidOut("po-people-2", 70) * 100_000_000 + 1;
        look();
        approve(propose("settlement-payout:" + lost, "WRITE_OFF_PAYOUT", "{}"), "berta");
        assertThat(moves("payout:" + lost)).containsExactly(provider + " adjustments>payouts_in_transit 70");
        assertThat(stated.results(booked(credit("S2", "po-people-2", 70)))).containsExactly("PAYOUT_DIFFERS");
        assertThat(look()).containsEntry("late", 0L);
    }

    @Test
    void onePersonMayOnlySayThatItIsLookedInto() {
        database.jdbc().update("update settlement_contract set payout_lag_ms = 0 where provider = ?", provider);
        long lost = paidOut("po-known-1", 70) * 100_000_000 + 1;
        look();
        propose("settlement-payout:" + lost, "ACKNOWLEDGE_PAYOUT", "{}");
        assertThat(look()).containsEntry("late", 0L);
        assertThat(balance("payouts_in_transit", provider)).isEqualTo(70);
        assertThat(stated.results(booked(credit("S1", "po-known-1", 70)))).containsExactly("PAYOUT_ARRIVED");
    }

    @Test
    void noStatementClaimsWhatItsRuleDoesNotSay() {
        long file = paidOut("po-attack-1", 950);
        long other = paidOut("po-attack-2", 950);
        long statement = booked(credit("S1", "po-attack-9", 950), credit("S2", "po-attack-1", 949));
        refused("PR015", () -> claim(file, statement, 1, "REFERENCE"));
        refused("PR015", () -> claim(file, statement, 1, "WINDOW"));
        refused("PR015", () -> claim(file, statement, 2, "REFERENCE"));
        refused("PR015", () -> database.jdbc().update("insert into payout_arrival (file_id, line_no, rule, decision_id)"
                + " values (?, 1, 'WRITTEN_OFF', (select min(decision_id) from decision))", file));
        refused("PR015", () -> claim(other, statement, 1, "DECISION"));
        refused("PR015", () -> database.jdbc().update("insert into payout_in_transit (file_id, line_no, provider, bank, amount_minor, currency, names, at, due_at)"
                + " values (?, 2, ?, ?, 5, 'EUR', '{}', now(), now())", file, provider, bank));
        for (String table : List.of("payout_in_transit", "payout_arrival")) {
            refused("PR001", () -> database.jdbc().update("delete from " + table));
            refused("PR001", () -> database.jdbc().update("update " + table + " set line_no = 7"));
            refused("PR001", () -> database.jdbc().update("truncate " + table + " cascade"));
        }
    }

    @Test
    void onePayoutAndOneLineAreClaimedOnceByConstraint() {
        long file = paidOut("po-once-1", 950);
        long statement = booked(credit("S1", "po-once-1", 950));
        database.jdbc().execute("alter table payout_arrival disable trigger guard");
        try {
            refused("payout_arrival_pkey", () -> claim(file, statement, 1, "REFERENCE"));
            long second = paidOut("po-once-2", 950);
            refused("bank_line_is_one_payout", () -> claim(second, statement, 1, "REFERENCE"));
        }
        finally {
            database.jdbc().execute("alter table payout_arrival enable trigger guard");
        }
    }

    @Test
    void bothFilesAndTheLookAtOnceComeToTheSame() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            List<String> payouts = new ArrayList<>();
            List<String> credits = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                String id = "po-" + round + "-same-" + i;
                payouts.add(line("PAYOUT", null, null, id, -100 - i, DAY));
                credits.add(credit("S-" + id, id, 100 + i));
            }
            long file = provided.staged("{}", "", payouts);
            long statement = stated.staged("{}", "", credits);
            ExecutorService workers = Executors.newFixedThreadPool(4);
            try {
                List<Future<?>> done = List.of(workers.submit(() -> provided.process(file)), workers.submit(() -> stated.process(statement)),
                        workers.submit(this::look), workers.submit(this::look));
                for (Future<?> one : done) {
                    one.get();
                }
            }
            finally {
                workers.shutdownNow();
            }
            look();
            assertThat(balance("payouts_in_transit", provider)).isZero();
            assertThat(balance("suspense", bank)).isZero();
            assertThat(stated.cases(statement)).isEmpty();
        }
        assertThat(balance("bank", provider)).isEqualTo(ROUNDS * 2190L);
    }

    private static void claim(long file, long statement, int line, String rule) {
        database.jdbc().update("insert into payout_arrival (file_id, line_no, bank_file_id, bank_line_no, rule) values (?, 1, ?, ?, ?)",
                file, statement, line, rule);
    }

    private static long propose(String subject, String kind, String details) {
        return database.jdbc().queryForObject("insert into decision (case_id, kind, details, reason, proposed_by)"
                + " select case_id, ?, ?::jsonb, 'looked at it', 'anna' from review_case where subject = ? and closed_at is null returning decision_id",
                Long.class, kind, details, subject);
    }

    private static void approve(long decision, String who) {
        database.jdbc().update("update decision set approved_by = ? where decision_id = ?", who, decision);
    }
}
