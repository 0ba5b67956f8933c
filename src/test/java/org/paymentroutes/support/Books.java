package org.paymentroutes.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;

/** What holds in the database at every moment, whatever was tried. */
public final class Books {

    private static final Map<String, String> NEVER = Map.ofEntries(
            Map.entry("an open payment without exactly its outbox row, or a final one with a row", """
                select p.payment_id, p.state, q.task from payment p full join outbox q using (payment_id)
                 where (q.provider, q.task, q.due_at) is distinct from (
                   case when p.state not in ('SUCCEEDED', 'FAILED') then p.provider end,
                   case p.state when 'PENDING' then 'SEND' when 'SUBMITTING' then 'LEASE' when 'SUCCEEDED' then null
                                when 'FAILED' then null else 'QUERY' end,
                   case when p.state not in ('SUCCEEDED', 'FAILED') then p.due_at end)"""),
            Map.entry("an account that does not hold what the states say", """
                with said as (
                  select l.account, p.currency, sum(case p.operation when 'CHARGE' then p.minor else -p.minor end) as amount
                    from (select operation, position, currency, amount_minor - confirmed_minor as minor from payment where position <> 'RELEASED'
                          union all
                          select operation, 'CONFIRMED', currency, confirmed_minor from payment) p
                    join ledger_position l on (l.operation, l.position) = (p.operation, p.position) group by 1, 2),
                held as (
                  select account, currency, sum(amount_minor) as amount from ledger_entry
                   where account <> 'requested' and payment_id is not null and fact not like 'reversal:%'
                     and event not in ('SettlementBooked', 'FeeCharged', 'ReconciliationAdjusted') group by 1, 2)
                select * from said full join held using (account, currency)
                 where coalesce(said.amount, 0) <> coalesce(held.amount, 0)"""),
            Map.entry("money in doubt that no UNKNOWN payment has", """
                select b.* from (
                  select currency, sum(case account when 'in_doubt_in' then amount_minor else -amount_minor end) as amount
                    from ledger_entry where account in ('in_doubt_in', 'in_doubt_out') group by currency) b
                 where b.amount <> (select coalesce(sum(amount_minor - confirmed_minor), 0) from payment p where p.currency = b.currency
                                      and (p.state = 'UNKNOWN' or p.state = 'REVIEW' and p.category <> 'NOT_EXECUTED'
                                        or p.state in ('PENDING', 'SUBMITTING') and p.in_doubt))"""),
            Map.entry("a fact that does not balance", """
                select fact, currency from ledger_entry group by fact, currency having sum(amount_minor) <> 0"""),
            Map.entry("a history with a gap", """
                select t.* from (
                  select payment_id, version, from_state, to_state, row_number() over w as n, lag(to_state, 1, 'NONE') over w as before,
                         lead(version) over w as after from transition window w as (partition by payment_id order by version)) t
                  join payment p using (payment_id)
                 where t.version <> n or from_state <> before or after is null and (p.state, p.version) <> (to_state, t.version)"""),
            Map.entry("a transition without its event", """
                select t.transition_id from transition t where not exists (
                  select from event_outbox e where e.transition_id = t.transition_id)"""),
            Map.entry("an attempt without a permit, or a count that is not the number of attempts", """
                select p.payment_id from payment p where p.attempts <> (select count(*) from attempt a where a.payment_id = p.payment_id)
                union all
                select a.payment_id from attempt a where a.attempt_no > 1 and not exists (
                  select from resend_permit r where (r.payment_id, r.for_attempt) = (a.payment_id, a.attempt_no))"""),
            Map.entry("a payment in review without an open case", """
                select p.payment_id from payment p where p.state = 'REVIEW' and not exists (
                  select from review_case c where c.payment_id = p.payment_id and c.closed_at is null)"""),
            Map.entry("a payment that waits to be sent over a success", """
                select p.payment_id from payment p join evidence e using (payment_id)
                 where p.state = 'PENDING' and e.verdict = 'SUCCEEDED' and e.mismatch is null"""),
            Map.entry("a payment of which more or less is given back than its refunds and reversals say", """
                select p.payment_id, p.given_back_minor from payment p where p.given_back_minor <> coalesce((
                  select sum(case f.state when 'FAILED' then f.confirmed_minor else f.amount_minor end) from payment f where f.refund_of = p.payment_id), 0)
                  - coalesce((select sum(r.amount_minor) from reversal r join payment f using (payment_id)
                       where f.refund_of = p.payment_id and exists (select from ledger_posting l where l.fact = 'reversal:' || r.reversal_id)), 0)
                  + coalesce((select sum(k.takes * r.amount_minor) from reversal r join reversal_kind k on (k.kind, k.operation) = (r.kind, p.operation)
                       where r.payment_id = p.payment_id and exists (select from ledger_posting l where l.fact = 'reversal:' || r.reversal_id)), 0)"""));

    private Books() {
    }

    /** Asserts all of it. {@code moment} says when, for the message. */
    public static void hold(JdbcTemplate jdbc, String moment) {
        NEVER.forEach((never, query) -> assertThat(jdbc.queryForList(query)).as("%s: %s", moment, never).isEmpty());
    }
}
