package org.paymentroutes.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the provider's books and our database say about each other.
 *
 * @param payments   in our database
 * @param states     how many payments are in each state
 * @param movedTwice payments of which the provider moved the money more than once
 * @param lost       payments that were promised with a 202, or sent, and that nothing takes care of any more
 * @param broken     every other rule that does not hold, in words
 */
record Verdict(int payments, Map<String, Integer> states, List<String> movedTwice, List<String> lost, List<String> broken) {

    /** States in which nothing more happens without a person. */
    private static final Set<String> SETTLED = Set.of("SUCCEEDED", "FAILED", "REVIEW");

    private static final Map<String, String> RULES = Map.of(
            "an open payment has exactly one outbox row, a final one none", """
                    select p.payment_id::text from payment p left join outbox o using (payment_id)
                     where (p.state in ('SUCCEEDED', 'FAILED')) = (o.payment_id is not null)""",
            "each version from 1 to the last has one transition, each beginning where the one before ended", """
                    select p.payment_id::text from payment p
                     where p.version <> (select count(*) from transition t where t.payment_id = p.payment_id)
                        or p.version <> (select max(version) from transition t where t.payment_id = p.payment_id)
                        or p.state <> (select to_state from transition t where t.payment_id = p.payment_id and t.version = p.version)
                        or exists (select from transition a join transition b on b.payment_id = a.payment_id and b.version = a.version + 1
                                    where a.payment_id = p.payment_id and a.to_state <> b.from_state)""",
            "the ledger balances for each fact and currency", """
                    select fact from ledger_entry group by fact, currency having sum(amount_minor) <> 0""",
            "the ledger holds the amount of a payment where its state says, and nowhere else, until money comes back", """
                    select p.payment_id::text from payment p
                      join ledger_position l on (l.operation, l.position) = (p.operation, p.position)
                     where exists (select from ledger_entry e where e.payment_id = p.payment_id and e.fact not like 'reversal:%' group by e.account
                                   having sum(e.amount_minor) <> case when l.account = 'requested' then 0
                                                                      when e.account = 'requested' then -p.amount_minor
                                                                      when e.account = l.account then p.amount_minor else 0 end)""",
            "as many attempts as the payment counts", """
                    select p.payment_id::text from payment p
                     where p.attempts <> (select count(*) from attempt a where a.payment_id = p.payment_id)""",
            "what was sent and how long it took is kept with each answer over HTTP", """
                    select payment_id::text from evidence where source in ('ANSWER', 'QUERY') and http_status is not null
                       and (elapsed_ms is null or source = 'ANSWER' and request_digest is null)""",
            "every transition has left the outbox of events", "select transition_id::text from event_outbox");

    /** @return whether nothing more happens without a person, every event is published, and so many came by the queue */
    static boolean settled(Node node, int queued) {
        try (Connection database = node.database(); Statement statement = database.createStatement()) {
            ResultSet rows = statement.executeQuery("select (select count(*) from payment where state not in ('SUCCEEDED', 'FAILED', 'REVIEW'))"
                    + " + (select count(*) from event_outbox),"
                    + " (select count(*) from payment where caller = 'jms')");
            rows.next();
            return rows.getInt(1) == 0 && rows.getInt(2) == queued;
        }
        catch (SQLException e) {
            return false;
        }
    }

    /** Judges, after everything has settled. */
    static Verdict of(Node node, Books books, Caller caller) {
        Set<String> requests = new HashSet<>();
        Map<String, Books.Entry> entries = books.entries();
        Map<String, Integer> states = new HashMap<>();
        List<String> twice = new ArrayList<>();
        List<String> lost = new ArrayList<>();
        List<String> broken = new ArrayList<>();
        Set<String> known = new HashSet<>();
        int payments = 0;
        try (Connection database = node.database(); Statement statement = database.createStatement()) {
            ResultSet row = statement.executeQuery("select payment_id::text, provider_key, request_key, state, attempts from payment");
            while (row.next()) {
                payments++;
                String id = row.getString(1);
                String state = row.getString(4);
                String what = row.getString(3) + " " + state;
                Books.Entry entry = entries.getOrDefault(row.getString(2), new Books.Entry(0, 0));
                known.add(row.getString(2));
                known.add(id);
                requests.add(row.getString(3));
                states.merge(state, 1, Integer::sum);
                if (entry.moved() > 1) {
                    twice.add(what + " moved " + entry.moved());
                }
                if (!SETTLED.contains(state)) {
                    lost.add(what + " is stuck");
                }
                if (state.equals("SUCCEEDED") && entry.moved() == 0 || state.equals("FAILED") && entry.moved() > 0) {
                    broken.add(what + ", but moved " + entry.moved());
                }
                if (entry.received() > row.getInt(5)) {
                    broken.add(what + ": " + entry.received() + " requests for " + row.getInt(5) + " attempts");
                }
            }
            for (Map.Entry<String, String> rule : RULES.entrySet()) {
                ResultSet bad = statement.executeQuery(rule.getValue());
                while (bad.next()) {
                    (rule.getKey().contains("outbox row") ? lost : broken).add("not true that " + rule.getKey() + ": " + bad.getString(1));
                }
            }
        }
        catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        caller.onQueue().stream().filter(key -> !requests.contains(key)).forEach(key -> lost.add(key + " was on the queue and does not exist"));
        caller.receipts().forEach((key, id) -> {
            if (!known.contains(id)) {
                lost.add(key + " was answered 202 and does not exist");
            }
        });
        entries.keySet().stream().filter(key -> !known.contains(key)).forEach(key -> lost.add(key + " reached the provider and is not ours"));
        return new Verdict(payments, states, twice, lost, broken);
    }

    /** @return what is wrong with the events that arrived: one that is missing, or one out of its payment's order */
    static List<String> eventsAgainstHistory(Node node, Set<String> arrived) {
        List<String> wrong = new ArrayList<>();
        Map<String, Integer> last = new HashMap<>();
        for (String id : arrived) {
            String payment = id.substring(0, id.indexOf(':'));
            int version = Integer.parseInt(id.substring(payment.length() + 1));
            Integer before = last.put(payment, version);
            if (version != (before == null ? 1 : before + 1)) {
                wrong.add(id + " arrived after version " + before);
            }
        }
        try (Connection database = node.database(); Statement statement = database.createStatement()) {
            ResultSet rows = statement.executeQuery("select payment_id || ':' || version from transition order by 1");
            while (rows.next()) {
                if (!arrived.contains(rows.getString(1))) {
                    wrong.add(rows.getString(1) + " was never published");
                }
            }
        }
        catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return wrong;
    }
}
