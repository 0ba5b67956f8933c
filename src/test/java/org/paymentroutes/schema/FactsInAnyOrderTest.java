package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.paymentroutes.support.Books;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.Payments;

/**
 * Random sets of facts about one payment - its answer or the end of its lease, queries, webhooks, settlement lines -
 * told in two random orders, some several times, one by one and in batches, by the real statement to the real database.
 * What does not contradict itself leads to the same state, the same balances and the same one confirmation; what does
 * ends in an open case.
 */
class FactsInAnyOrderTest {

    private static final List<String> FINAL = List.of("PaymentConfirmed", "PaymentFailed");

    private static Database database;
    private static Payments payments;

    /** One fact; of an attempt there is one answer, or the end of its lease. */
    record Fact(String source, String verdict, String providerId, String mismatch) {

        boolean says(String what) {
            return verdict.equals(what) && mismatch == null;
        }

        boolean ofTheAttempt() {
            return source.equals("ANSWER") || source.equals("LEASE");
        }
    }

    @BeforeContainer
    static void open() {
        database = Database.create();
        payments = new Payments(database, "acme");
    }

    @AfterContainer
    static void close() {
        database.close();
    }

    @Provide
    Arbitrary<List<Fact>> facts() {
        Arbitrary<String> id = Arbitraries.frequency(Tuple.of(4, "1"), Tuple.of(1, "2"),
                Tuple.of(3, "")).map(text -> text.isEmpty() ? null : text);
        Arbitrary<String> mismatch = Arbitraries.frequency(Tuple.of(15, ""), Tuple.of(1, "amount"),
                Tuple.of(1, "currency")).map(text -> text.isEmpty() ? null : text);
        Arbitrary<String> told = Arbitraries.of("SUCCEEDED", "SUCCEEDED", "ACCEPTED", "AMBIGUOUS", "REJECTED");
        Arbitrary<Fact> webhook = Combinators.combine(Arbitraries.of("WEBHOOK", "WEBHOOK", "SETTLEMENT"), told, id, mismatch).as(Fact::new);
        Arbitrary<Fact> query = Combinators.combine(Arbitraries.of("SUCCEEDED", "ACCEPTED", "NOT_FOUND", "AMBIGUOUS", "UNREACHABLE", "REJECTED"),
                id, mismatch).as((verdict, named, other) -> new Fact("QUERY", verdict, named, other));
        Arbitrary<Fact> end = Combinators.combine(Arbitraries.of("SUCCEEDED", "ACCEPTED", "AMBIGUOUS", "AMBIGUOUS", "REJECTED", "NOT_EXECUTED", "LEASE"),
                id).as((verdict, named) -> verdict.equals("LEASE") ? new Fact("LEASE", "AMBIGUOUS", null, null) : new Fact("ANSWER", verdict, named, null));
        return Combinators.combine(end, Arbitraries.oneOf(webhook, webhook, query).list().ofMinSize(0).ofMaxSize(6)).as((one, others) -> {
            List<Fact> all = new ArrayList<>(others);
            all.add(one);
            // A fact that says nothing names no payment id either.
            return all.stream().map(fact -> fact.says("SUCCEEDED") || fact.says("ACCEPTED") || fact.mismatch() != null ? fact
                    : new Fact(fact.source(), fact.verdict(), null, null)).distinct().toList();
        });
    }

    @Property(tries = 120, edgeCases = EdgeCasesMode.NONE)
    void theEndDependsOnTheSetOfFactsOnly(@ForAll("facts") List<Fact> facts, @ForAll long seed) {
        Random random = new Random(seed);
        UUID first = told(facts, random);
        UUID second = told(facts, random);
        if (contradictory(facts)) {
            for (UUID id : List.of(first, second)) {
                assertThat(database.jdbc().queryForObject("select count(*) from review_case where payment_id = ? and closed_at is null"
                        + " and category = 'STATE_CONFLICT'", Integer.class, id)).as("an open case").isEqualTo(1);
            }
        }
        else {
            assertThat(payments.state(first)).isEqualTo(expected(facts)).isEqualTo(payments.state(second));
            assertThat(balances(first)).isEqualTo(balances(second));
            assertThat(finals(first)).isEqualTo(finals(second)).hasSizeLessThanOrEqualTo(1);
            assertThat(database.jdbc().queryForObject("select count(*) from review_case where payment_id in (?, ?)", Integer.class, first, second))
                    .isZero();
        }
        for (String source : List.of("WEBHOOK", "SETTLEMENT")) {
            assertThat(kept(first, source)).as("each fact of a %s once", source).isEqualTo(kept(second, source))
                    .isEqualTo((int) facts.stream().filter(fact -> fact.source().equals(source)).count());
        }
        Books.hold(database.jdbc(), "told");
    }

    /** @return a payment that is being sent, after it was told all facts in a random order, some of them again, some together */
    private static UUID told(List<Fact> facts, Random random) {
        UUID id = payments.in("SUBMITTING");
        List<Fact> order = new ArrayList<>(facts);
        facts.stream().filter(fact -> !fact.source().equals("LEASE")).filter(fact -> random.nextInt(3) == 0).forEach(order::add);
        Collections.shuffle(order, random);
        List<Map<String, Object>> batch = new ArrayList<>();
        for (Fact fact : order) {
            if (fact.source().equals("LEASE")) {
                flush(batch);
                payments.due(id);
                database.run("expire-leases", Map.of("node", "node"));
            }
            else {
                batch.add(row(id, fact));
                if (random.nextInt(3) > 0) {
                    flush(batch);
                }
            }
        }
        flush(batch);
        return id;
    }

    @SuppressWarnings("unchecked")
    private static void flush(List<Map<String, Object>> batch) {
        if (!batch.isEmpty()) {
            payments.record(batch.toArray(Map[]::new));
            batch.clear();
        }
    }

    private static Map<String, Object> row(UUID id, Fact fact) {
        Map<String, Object> row = switch (fact.source()) {
            case "ANSWER" -> Payments.answer(id, 1, fact.verdict());
            case "QUERY" -> Payments.query(id, 1, fact.verdict());
            default -> Payments.told(id, fact.source(), fact.verdict(), fact.toString());
        };
        row.put("mismatch", fact.mismatch());
        row.put("provider_payment_id", fact.providerId() == null ? null : id + "/" + fact.providerId());
        return row;
    }

    private static boolean contradictory(List<Fact> facts) {
        Set<String> ids = facts.stream().filter(fact -> fact.mismatch() == null && fact.providerId() != null).map(Fact::providerId)
                .collect(Collectors.toSet());
        return facts.stream().anyMatch(fact -> fact.mismatch() != null) || ids.size() > 1
                || says(facts, "SUCCEEDED") && says(facts, "REJECTED")
                || says(facts, "NOT_EXECUTED") && (says(facts, "SUCCEEDED") || says(facts, "ACCEPTED"));
    }

    private static boolean says(List<Fact> facts, String verdict) {
        return facts.stream().anyMatch(fact -> fact.says(verdict));
    }

    private static String expected(List<Fact> facts) {
        return says(facts, "SUCCEEDED") ? "SUCCEEDED" : says(facts, "REJECTED") ? "FAILED" : says(facts, "NOT_EXECUTED") ? "PENDING"
                : says(facts, "ACCEPTED") ? "PROCESSING" : "UNKNOWN";
    }

    private static Map<String, Long> balances(UUID id) {
        Map<String, Long> balances = new LinkedHashMap<>();
        database.jdbc().query("select account, sum(amount_minor) as amount from ledger_entry where payment_id = ? group by 1 having sum(amount_minor) <> 0"
                + " order by 1", row -> {
                    balances.put(row.getString("account"), row.getLong("amount"));
                }, id);
        return balances;
    }

    /** What was posted that is final: how long it was in doubt before is no question of what became of it. */
    private static List<String> finals(UUID id) {
        return database.jdbc().queryForList("select event from ledger_posting where payment_id = ? order by posting_id", String.class, id).stream()
                .filter(FINAL::contains).toList();
    }

    private static int kept(UUID id, String source) {
        return database.jdbc().queryForObject("select count(*) from evidence where payment_id = ? and source = ?", Integer.class, id, source);
    }
}
