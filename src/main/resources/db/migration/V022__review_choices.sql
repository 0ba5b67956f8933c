-- What people may decide about a payment: what the evidence lets them choose, and what each choice would do.
--
-- Refusals of decisions: PR020 the case is closed, PR021 somebody decided or proposed already, PR022 the evidence does not
-- allow this decision, PR023 a field of the decision is wrong. Each carries a JSON object as detail.

-- The posting that moves an amount from one position to another, as a JSON array of none or one line.
create function ledger_lines(operation text, position_from text, position_to text, amount_minor bigint, currency text)
returns jsonb language sql stable return coalesce((
  select jsonb_agg(jsonb_build_object(
           'event', ledger_event($1, position_from, position_to),
           'debit', case $1 when 'CHARGE' then n.account else o.account end,
           'credit', case $1 when 'CHARGE' then o.account else n.account end,
           'amountMinor', $4, 'currency', $5))
    from ledger_position o, ledger_position n
   where (o.operation, o.position) = ($1, position_from) and (n.operation, n.position) = ($1, position_to)
     and position_from <> position_to), '[]');

-- What is on record about the payment of a case, as far as decisions are judged by it. Answers about another payment and
-- earlier decisions of people prove nothing here.
create type review_fact as (
  case_id bigint, subject text, closed_at timestamptz, closed_by text, category text, payment_id uuid, state text,
  "position" text, operation text, amount_minor bigint, currency text, provider_payment_id text, attempts integer,
  succeeded_at timestamptz, rejected_at timestamptz, accepted_at timestamptz, not_found integer, mismatch text,
  against_resend boolean, paid_otherwise uuid, may_arrive_until timestamptz, other_permit text);
create function review_facts(for_case bigint) returns review_fact language sql stable as $$
  select c.case_id, c.subject, c.closed_at, c.closed_by, c.category, p.payment_id, p.state,
         p.position, p.operation, p.amount_minor - p.confirmed_minor, p.currency, p.provider_payment_id, p.attempts,
         e.succeeded_at, e.rejected_at, e.accepted_at, coalesce(e.not_found, 0), e.mismatch,
         speaks_against_resend(p.payment_id, p.attempts),
         (select s.payment_id from payment s
           where (s.source_reference, s.caller, s.operation) = (p.source_reference, p.caller, p.operation)
             and s.payment_id <> p.payment_id
             and (s.state = 'SUCCEEDED' or exists (
                   select from evidence x where x.payment_id = s.payment_id and x.verdict = 'SUCCEEDED' and coalesce(x.mismatch, 'amount') = 'amount'))
           limit 1),
         (select greatest(a.lease_until, a.started_at + coalesce(v.arrival_limit_ms, 0) * interval '1 millisecond')
            from attempt a left join provider_operation v on (v.provider, v.operation) = (p.provider, p.operation)
           where (a.payment_id, a.attempt_no) = (p.payment_id, p.attempts)),
         (select r.kind from resend_permit r
           where (r.payment_id, r.for_attempt) = (p.payment_id, p.attempts + 1) and r.kind <> 'TWO_PEOPLE')
    from review_case c left join payment p on p.payment_id = c.payment_id
    left join lateral (
      select max(received_at) filter (where verdict = 'SUCCEEDED' and x.mismatch is null) as succeeded_at,
             max(received_at) filter (where verdict = 'REJECTED' and x.mismatch is null) as rejected_at,
             max(received_at) filter (where verdict = 'ACCEPTED' and x.mismatch is null) as accepted_at,
             (count(*) filter (where verdict = 'NOT_FOUND'))::integer as not_found,
             string_agg(distinct x.mismatch, ', ') as mismatch
        from evidence x where x.payment_id = p.payment_id and x.source <> 'DECISION') e on true
   where c.case_id = for_case;
$$;

create function last_may_arrive(until timestamptz) returns text language sql stable return
  'the last request may still arrive until ' || to_char(until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');

-- Each decision that there is about the subject of a case: whether the evidence allows it, and if not why; whose evidence
-- supports it and speaks against it; whether money is sent again; and the ledger lines that would follow.
create function decisions_allowed(for_case bigint) returns table (
  kind text, meaning text, two_people boolean, allowed boolean, why_not text, supports jsonb, speaks_against jsonb,
  money_sent_again boolean, preview jsonb)
language sql stable as $$
  select k.kind, k.meaning, k.two_people, j.why_not is null, j.why_not,
         said.supports, said.speaks_against, k.kind = 'ALLOW_RESEND', coalesce(case k.kind
           when 'CONFIRM_SUCCEEDED' then ledger_lines(f.operation, f.position, 'CONFIRMED', f.amount_minor, f.currency)
           when 'CONFIRM_FAILED' then ledger_lines(f.operation, f.position, 'RELEASED', f.amount_minor, f.currency)
           when 'ALLOW_RESEND' then ledger_lines(f.operation, f.position, 'REQUESTED', f.amount_minor, f.currency)
           when 'CLOSE_WITH_ADJUSTMENT' then (
             select jsonb_agg(line || '{"event": "ReconciliationAdjusted"}')
               from jsonb_array_elements(case
                 when f.state = 'FAILED' and f.succeeded_at is not null
                   then ledger_lines(f.operation, 'RELEASED', 'CONFIRMED', f.amount_minor, f.currency)
                 when f.state = 'SUCCEEDED' and f.rejected_at > f.succeeded_at
                   then ledger_lines(f.operation, 'CONFIRMED', 'RELEASED', f.amount_minor, f.currency)
                 else '[]' end) as line)
           end, '[]')
    from review_facts(for_case) f
    join decision_kind k on k.subject = split_part(f.subject, ':', 1)
    cross join lateral (
      select case
        when f.closed_at is not null then 'the case is closed'
        when k.subject <> 'payment' or k.kind = 'KEEP_WAITING' then null
        when k.kind = 'CLOSE_WITH_ADJUSTMENT' then
          case when f.state not in ('SUCCEEDED', 'FAILED') then 'the payment is ' || f.state || ': say first what became of it' end
        when f.state in ('SUCCEEDED', 'FAILED') then 'the payment is ' || f.state || ', and a final state is not overwritten'
        when f.state <> 'REVIEW' then 'the payment is ' || f.state || ': automation is at work'
        when k.kind = 'CONFIRM_SUCCEEDED' then
          case when f.attempts = 0 and f.succeeded_at is null then 'it was never sent'
               when f.category = 'NOT_EXECUTED' and f.succeeded_at is null and f.accepted_at is null
                 then 'every attempt provably did not execute' end
        when k.kind = 'CONFIRM_FAILED' then
          case when f.succeeded_at is not null and (f.rejected_at is null or f.rejected_at <= f.succeeded_at)
                 then 'the newest proof on record says that the money moved'
               -- Whoever asked for it would pay it anew.
               when f.rejected_at is null and f.category <> 'NOT_EXECUTED' and f.may_arrive_until > clock_timestamp()
                 then last_may_arrive(f.may_arrive_until) end
        when k.kind = 'ALLOW_RESEND' then
          case when f.against_resend then 'evidence says that the money moved or is moving'
               when f.paid_otherwise is not null then 'payment ' || f.paid_otherwise || ' may have been made for the same reference'
               when f.may_arrive_until > clock_timestamp() then last_may_arrive(f.may_arrive_until)
               when f.other_permit is not null and f.category = 'STATE_CONFLICT'
                 then 'its next attempt has a permit of kind ' || f.other_permit || ' from before the conflict' end
        end as why_not) j
    cross join lateral (
      select coalesce(jsonb_agg(x.said order by x.evidence_id) filter (where x.sense > 0), '[]') as supports,
             coalesce(jsonb_agg(x.said order by x.evidence_id) filter (where x.sense < 0), '[]') as speaks_against
        from (select e.evidence_id,
                     jsonb_build_object('evidenceId', e.evidence_id, 'source', e.source, 'verdict', e.verdict,
                       'reason', left(e.reason, 200), 'receivedAt', e.received_at) as said,
                     case when k.kind = 'CONFIRM_SUCCEEDED' then
                            case when e.verdict in ('SUCCEEDED', 'ACCEPTED') then 1
                                 when e.verdict in ('REJECTED', 'NOT_EXECUTED', 'NOT_FOUND') then -1 else 0 end
                          when k.kind in ('CONFIRM_FAILED', 'ALLOW_RESEND') then
                            case when e.verdict in ('SUCCEEDED', 'ACCEPTED') then -1
                                 when e.verdict in ('REJECTED', 'NOT_EXECUTED', 'NOT_FOUND') then 1 else 0 end
                          else 0 end as sense
                from evidence e
               where e.payment_id = f.payment_id and e.mismatch is null and e.source <> 'DECISION'
               order by e.evidence_id desc limit 50) x) said
   order by array_position(array['CONFIRM_SUCCEEDED', 'CONFIRM_FAILED', 'ALLOW_RESEND', 'CLOSE_WITH_ADJUSTMENT',
              'KEEP_WAITING'], k.kind), k.kind;
$$;
