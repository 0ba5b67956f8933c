package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Books;
import org.paymentroutes.support.Payments;

/**
 * All orders of all small sets of facts about a payment that is being sent, one after the other and in one batch: what
 * does not contradict itself leads to one state and one set of balances, what does ends in an open case.
 */
class OrderOfFactsTest extends OneProviderTest {

    /** A fact: who tells it, what, and under which payment id of the provider; a lease that ends is a fact as well. */
    private record Fact(String source, String verdict, String providerId, String mismatch) {

        boolean says(String what) {
            return verdict.equals(what) && mismatch == null;
        }
    }

    private static final Fact LEASE = new Fact("LEASE", "AMBIGUOUS", null, null);
    private static final List<Fact> FACTS = List.of(
            new Fact("ANSWER", "SUCCEEDED", "1", null), new Fact("ANSWER", "REJECTED", null, null), new Fact("ANSWER", "ACCEPTED", "1", null),
            new Fact("ANSWER", "NOT_EXECUTED", null, null), new Fact("ANSWER", "AMBIGUOUS", null, null), LEASE,
            new Fact("WEBHOOK", "SUCCEEDED", "1", null), new Fact("WEBHOOK", "SUCCEEDED", "2", null), new Fact("WEBHOOK", "REJECTED", null, null),
            new Fact("WEBHOOK", "ACCEPTED", null, null), new Fact("SETTLEMENT", "SUCCEEDED", null, null),
            new Fact("WEBHOOK", "SUCCEEDED", "1", "amount"), new Fact("QUERY", "NOT_FOUND", null, null), new Fact("QUERY", "AMBIGUOUS", null, null),
            new Fact("QUERY", "SUCCEEDED", null, null), new Fact("QUERY", "ACCEPTED", "1", null), new Fact("QUERY", "REJECTED", null, null));

    /** One order of a set of facts, and the payment that was told them in this order. */
    private record Telling(Set<Integer> set, List<Fact> order, boolean atOnce, UUID payment) {

        @Override
        public String toString() {
            return order + (atOnce ? " at once" : "");
        }
    }

    @Test
    void theOrderOfFactsDoesNotMatter() {
        List<Telling> tellings = new ArrayList<>();
        sets(new ArrayList<>(), 0, 3).forEach(set -> {
            List<Fact> facts = set.stream().map(FACTS::get).toList();
            if (facts.stream().filter(fact -> fact.source.equals("ANSWER")).count() <= 1) {
                permutations(facts).forEach(order -> tellings.add(new Telling(new TreeSet<>(set), order, false, UUID.randomUUID())));
                if (!facts.contains(LEASE)) {
                    tellings.add(new Telling(new TreeSet<>(set), facts, true, UUID.randomUUID()));
                }
            }
        });
        sendAll(tellings);

        record(tellings.stream().filter(Telling::atOnce).flatMap(telling -> telling.order.stream().map(fact -> row(telling, fact))).toList());
        for (int step = 0; step < 3; step++) {
            int now = step;
            List<Telling> told = tellings.stream().filter(telling -> !telling.atOnce && telling.order.size() > now).toList();
            record(told.stream().filter(telling -> telling.order.get(now) != LEASE).map(telling -> row(telling, telling.order.get(now))).toList());
            database.jdbc().update("update payment set due_at = least(due_at, clock_timestamp() - interval '1 millisecond') where payment_id = any (?)",
                    (Object) told.stream().filter(telling -> telling.order.get(now) == LEASE).map(Telling::payment).toArray(UUID[]::new));
            while (!database.run("expire-leases", Map.of("node", "node")).isEmpty()) {
                // at most 500 at a time
                continue;
            }
        }

        Books.hold(database.jdbc(), "all told");
        Map<UUID, String> balances = texts("select payment_id, string_agg(account || ' ' || amount, ', ' order by account) as text from ("
                + "select payment_id, account, sum(amount_minor) as amount from ledger_entry group by 1, 2) b where amount <> 0 group by 1");
        Map<UUID, String> states = texts("select payment_id, concat_ws(' ', state, category) as text from payment");
        Map<UUID, String> cases = texts("select payment_id, category as text from review_case where closed_at is null");
        Map<UUID, String> alerts = texts("select subject::uuid as payment_id, string_agg(kind, ' ' order by kind) as text from alert"
                + " where cleared_at is null group by 1");
        Map<Set<Integer>, String> firstBalances = new LinkedHashMap<>();
        for (Telling telling : tellings) {
            UUID id = telling.payment;
            if (contradictory(telling.order)) {
                assertThat(cases.get(id)).as(telling.toString()).isEqualTo("STATE_CONFLICT");
                assertThat(states.get(id)).as(telling.toString()).isIn("REVIEW STATE_CONFLICT", "SUCCEEDED", "FAILED");
                assertThat(alerts.get(id)).as(telling.toString())
                        .isEqualTo(paidAs(telling.order).size() > 1 ? "DOUBLE_PAY STATE_CONFLICT" : "STATE_CONFLICT");
            }
            else {
                assertThat(states.get(id)).as(telling.toString()).isEqualTo(expected(telling.order));
                assertThat(cases.get(id)).as(telling.toString()).isNull();
                assertThat(alerts.get(id)).as(telling.toString()).isNull();
                String first = firstBalances.putIfAbsent(telling.set, String.valueOf(balances.get(id)));
                assertThat(String.valueOf(balances.get(id))).as(telling.toString()).isEqualTo(first == null ? String.valueOf(balances.get(id)) : first);
            }
        }
    }

    private static void sendAll(List<Telling> tellings) {
        database.jdbc().update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,"
                + " amount_minor, currency) select id, 'c', id::text, 'f', id::text, 'PAYOUT', 'acme', 'main', 5, 'EUR' from unnest(?) id",
                (Object) tellings.stream().map(Telling::payment).toArray(UUID[]::new));
        for (int left = tellings.size(); left > 0; left -= 200) {
            assertThat(payments.claim(200)).hasSize(Math.min(left, 200));
        }
    }

    private static boolean contradictory(List<Fact> facts) {
        boolean success = says(facts, "SUCCEEDED");
        return facts.stream().anyMatch(fact -> fact.mismatch != null) || success && says(facts, "REJECTED") || paidAs(facts).size() > 1
                || facts.stream().filter(fact -> fact.providerId != null).map(Fact::providerId).distinct().count() > 1
                || says(facts, "NOT_EXECUTED") && (success || says(facts, "ACCEPTED"));
    }

    private static Set<String> paidAs(List<Fact> facts) {
        return facts.stream().filter(fact -> fact.says("SUCCEEDED") && fact.providerId != null).map(Fact::providerId).collect(Collectors.toSet());
    }

    private static boolean says(List<Fact> facts, String verdict) {
        return facts.stream().anyMatch(fact -> fact.says(verdict));
    }

    private static String expected(List<Fact> facts) {
        boolean offTheWire = facts.stream().anyMatch(fact -> fact.source.equals("ANSWER") || fact == LEASE);
        return says(facts, "SUCCEEDED") ? "SUCCEEDED" : !offTheWire ? "SUBMITTING" : says(facts, "REJECTED") ? "FAILED"
                : says(facts, "NOT_EXECUTED") ? "PENDING" : says(facts, "ACCEPTED") ? "PROCESSING" : "UNKNOWN";
    }

    private static Map<String, Object> row(Telling telling, Fact fact) {
        Map<String, Object> row = switch (fact.source) {
            case "ANSWER" -> Payments.answer(telling.payment, 1, fact.verdict);
            case "QUERY" -> Payments.query(telling.payment, 1, fact.verdict);
            default -> Payments.told(telling.payment, fact.source, fact.verdict, fact.toString());
        };
        row.put("mismatch", fact.mismatch);
        row.put("provider_payment_id", fact.providerId == null ? null : telling.payment + "/" + fact.providerId);
        return row;
    }

    @SuppressWarnings("unchecked")
    private static void record(List<Map<String, Object>> rows) {
        for (int from = 0; from < rows.size(); from += 200) {
            payments.record(rows.subList(from, Math.min(from + 200, rows.size())).toArray(Map[]::new));
        }
    }

    private static Map<UUID, String> texts(String sql) {
        Map<UUID, String> texts = new LinkedHashMap<>();
        database.jdbc().query(sql, row -> {
            texts.put(row.getObject("payment_id", UUID.class), row.getString("text"));
        });
        return texts;
    }

    private static List<List<Integer>> sets(List<Integer> begun, int from, int more) {
        List<List<Integer>> sets = new ArrayList<>();
        if (!begun.isEmpty()) {
            sets.add(List.copyOf(begun));
        }
        for (int next = from; next < FACTS.size() && more > 0; next++) {
            begun.add(next);
            sets.addAll(sets(begun, next + 1, more - 1));
            begun.remove(begun.size() - 1);
        }
        return sets;
    }

    private static List<List<Fact>> permutations(List<Fact> facts) {
        if (facts.size() < 2) {
            return List.of(facts);
        }
        List<List<Fact>> all = new ArrayList<>();
        for (int first = 0; first < facts.size(); first++) {
            List<Fact> rest = new ArrayList<>(facts);
            Fact taken = rest.remove(first);
            for (List<Fact> order : permutations(rest)) {
                List<Fact> whole = new ArrayList<>(Collections.singletonList(taken));
                whole.addAll(order);
                all.add(whole);
            }
        }
        return all;
    }
}
