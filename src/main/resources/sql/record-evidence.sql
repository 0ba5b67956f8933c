-- Records a batch of facts (answers of attempts and of queries, webhooks, settlement lines) and what follows from them,
-- in one statement and commit: the evidence, the permit of a resend, the state; history, ledger postings, events,
-- outbox, cases and alerts follow by the schema's rules. Recording the same fact again changes nothing. Where a set of
-- facts does not contradict itself, the state it leads to does not depend on the order in which they arrive; where it
-- does, a STATE_CONFLICT case is open at the end.
with told as (
  select distinct on (payment_id, name) *,
         coalesce(t.next, case t.verdict when 'SUCCEEDED' then 'SUCCEEDED' when 'REJECTED' then 'FAILED'
                               when 'ACCEPTED' then 'PROCESSING' else 'UNKNOWN' end) as outcome
    from (select t.*, case t.source when 'ANSWER' then 'answer ' || t.attempt_no
                                    else coalesce(t.fact, gen_random_uuid()::text) end as name
            from rows from (jsonb_to_recordset(cast(:?${body} as jsonb)) as (
                   payment_id uuid, attempt_no integer, provider_key text, source text, verdict text, next text, mismatch text,
                   provider_payment_id text, amount_minor bigint, fact text, code text, reason text, http_status integer,
                   retry_after_ms bigint, request_digest text, answer text, elapsed_ms integer, asked_at timestamptz, recorded_by text))
                 with ordinality as t (
                   payment_id, attempt_no, provider_key, source, verdict, next, mismatch, provider_payment_id, amount_minor,
                   fact, code, reason, http_status, retry_after_ms, request_digest, answer, elapsed_ms, asked_at, recorded_by, place)) t
   order by payment_id, name, place),
-- Lock first, so that what we judge by is the newest version of each payment.
subject as materialized (
  select t.*, p.provider, p.account, p.operation, p.state, p.category, p.attempts, p.generation_since, p.in_doubt as waits_in_doubt, p.queries,
         p.inconclusive, p.accepted_at, p.first_sent_at, p.provider_payment_id as known_id, p.amount_minor as whole_minor,
         -- The attempt that it speaks of: a fact that names our key speaks of the last one under that key.
         coalesce(t.attempt_no, (select max(a.attempt_no) from attempt a
                                  where t.provider_key is not null and a.payment_id = t.payment_id and a.provider_key = t.provider_key),
                  p.attempts) as about,
         t.provider_payment_id is not null and t.mismatch is null and t.verdict in ('SUCCEEDED', 'ACCEPTED', 'REJECTED') as names_id
    from told t join payment p using (payment_id)
   order by p.payment_id
     for update of p),
-- The owner of the provider's payment id: this payment, or another one that named it first.
owned as (
  insert into provider_payment as x (provider, account, operation, provider_payment_id, payment_id)
  select distinct on (provider, account, operation, provider_payment_id)
         provider, account, operation, provider_payment_id, payment_id from subject
   where names_id and verdict <> 'REJECTED'
   order by provider, account, operation, provider_payment_id, payment_id
  on conflict (provider, account, operation, provider_payment_id) do update set payment_id = x.payment_id
  returning provider, account, operation, provider_payment_id, payment_id as owner),
-- What is on record is read after the lock, with a new snapshot.
weighed as (
  select s.*, r.succeeded, r.accepted, r.not_executed, r.told_id, r.told_verdict, r.told_by, r.told_reason,
         r.told_provider_payment_id,
         coalesce(s.mismatch, case
           when s.verdict = 'SUCCEEDED' and s.amount_minor <> s.whole_minor then 'amount'
           when o.owner <> s.payment_id
             or s.names_id and s.about >= s.generation_since
                and s.provider_payment_id <> coalesce(s.known_id, r.known_id, first_value(case when s.names_id then s.provider_payment_id end)
                      over (partition by s.payment_id order by s.names_id and s.about >= s.generation_since desc, s.place))
             or s.names_id and s.verdict = 'REJECTED' and exists (
                  select from provider_payment x
                   where (x.provider, x.account, x.operation, x.provider_payment_id)
                       = (s.provider, s.account, s.operation, s.provider_payment_id) and x.payment_id <> s.payment_id)
             then 'provider_payment_id' end) as other
    from subject s cross join lateral on_record(s.payment_id, s.attempts, s.generation_since) r
    left join owned o
      on (o.provider, o.account, o.operation, o.provider_payment_id) = (s.provider, s.account, s.operation, s.provider_payment_id)),
-- What the batch as a whole says of each payment, with what is on record.
joined as (
  select w.*,
         w.succeeded or bool_or(w.verdict = 'SUCCEEDED' and w.other is null) over one as any_success,
         w.accepted or bool_or(w.verdict = 'ACCEPTED' and w.other is null and w.about = w.attempts) over one as any_acceptance,
         coalesce(w.told_verdict = 'REJECTED', false) or bool_or(w.verdict = 'REJECTED' and w.other is null and w.about = w.attempts) over one as any_rejection,
         w.not_executed || array_agg(w.about) filter (where w.source = 'ANSWER' and w.verdict = 'NOT_EXECUTED' and w.other is null) over one
           as unsent,
         bool_or(w.source = 'ANSWER' and w.about = w.attempts) over one as answered
    from weighed w window one as (partition by w.payment_id)),
judged as materialized (
  select j.*,
         -- least() passes over null: without the case, no Retry-After would wait as long as the longest.
         case when j.retry_after_ms is not null then least(j.retry_after_ms, v.retry_after_cap_ms) end as asked_ms,
         -- Where several sends may each have moved money, a refusal of one is no answer to what became of the payment.
         case when j.verdict = 'REJECTED' and sends_are_several(j.payment_id, j.attempts) then 'UNKNOWN' else j.outcome end as proves,
         j.outcome = 'PENDING' and j.source = 'ANSWER' and earlier_attempt_in_doubt(j.payment_id, j.about) as in_doubt,
         coalesce(j.other is null and case j.verdict
           when 'SUCCEEDED' then j.about >= j.generation_since and j.any_rejection and not sends_are_several(j.payment_id, j.attempts) or j.about < j.generation_since
             or j.attempts = 0 or j.about = any (j.unsent) and not earlier_attempt_in_doubt(j.payment_id, j.about)
           when 'ACCEPTED' then j.attempts = 0 or j.about = any (j.unsent) and not earlier_attempt_in_doubt(j.payment_id, j.about)
           when 'REJECTED' then j.attempts = 0 or j.about >= j.generation_since and j.any_success and not sends_are_several(j.payment_id, j.attempts)
           when 'NOT_EXECUTED' then j.source = 'ANSWER' and (j.any_success or j.any_acceptance and j.about = j.attempts)
             and not earlier_attempt_in_doubt(j.payment_id, j.about)
           end, false) as contradicted
    from joined j join provider v on v.name = j.provider),
kept as (
  insert into evidence (payment_id, attempt_no, source, verdict, mismatch, provider_payment_id, amount_minor, fact, code, reason,
                        http_status, retry_after_ms, request_digest, answer, elapsed_ms, asked_at, recorded_by)
  select payment_id, case when coalesce(attempt_no, 0) > 0 or provider_key is not null then nullif(about, 0) end, source, verdict, other,
         provider_payment_id, amount_minor, case when source <> 'ANSWER' then name end, code, reason,
         http_status, retry_after_ms, request_digest, answer, elapsed_ms, asked_at, recorded_by
    from judged
  on conflict do nothing
  returning evidence_id, payment_id, case source when 'ANSWER' then 'answer ' || attempt_no else fact end as name),
-- What is new, and for a payment whose answer has come, what was told before and waits for it.
known as (
  select j.payment_id, j.about, j.source, j.verdict, j.proves as outcome, j.other as mismatch, j.contradicted, j.in_doubt, j.provider_payment_id,
         j.reason, j.recorded_by, j.asked_ms, j.provider, j.state, j.category, j.attempts, j.generation_since, j.waits_in_doubt,
         case when j.verdict = 'SUCCEEDED' and j.other = 'amount' and j.amount_minor between 1 and j.whole_minor - 1 then j.amount_minor end as part_minor,
         j.queries, j.inconclusive, j.accepted_at, j.first_sent_at, j.known_id, j.answered, k.evidence_id, true as new
    from judged j join kept k using (payment_id, name)
  union all
  select j.payment_id, j.attempts, 'TOLD', j.told_verdict, case j.told_verdict when 'REJECTED' then 'FAILED' else 'PROCESSING' end, null,
         j.told_verdict = 'REJECTED' and j.any_success, false, j.told_provider_payment_id, j.told_reason, j.told_by, null, j.provider, j.state,
         j.category, j.attempts, j.generation_since, j.waits_in_doubt, null, j.queries, j.inconclusive, j.accepted_at, j.first_sent_at, j.known_id, true,
         j.told_id, false
    from judged j
   where j.told_id is not null and j.state = 'SUBMITTING' and j.source = 'ANSWER' and j.about = j.attempts),
decided as (
  select j.*,
         case
           when j.state in ('SUCCEEDED', 'FAILED') then j.state
           when j.mismatch is not null or j.contradicted then 'REVIEW'
           when j.state = 'REVIEW' and (j.category = 'STATE_CONFLICT' or j.outcome not in ('SUCCEEDED', 'FAILED')) then 'REVIEW'
           when j.outcome = 'PENDING' and j.source <> 'ANSWER' then j.state
           when j.outcome = 'PENDING' and j.in_doubt then 'UNKNOWN'
           when j.outcome = 'PENDING' and clock_timestamp() - sending_since(j.payment_id, j.accepted_at) > v.send_time_limit_ms * interval '1 millisecond'
             then 'REVIEW'
           when j.source = 'QUERY' and j.outcome = 'UNKNOWN' and j.verdict <> 'UNREACHABLE'
            and j.inconclusive + 1 >= v.inconclusive_max
            and clock_timestamp() - j.first_sent_at > v.time_limit_ms * interval '1 millisecond'
             then 'REVIEW'
           -- Silence, or a provider that cannot be reached, takes nothing back.
           when j.source <> 'ANSWER' and j.outcome = 'UNKNOWN' then j.state
           else j.outcome end as to_state,
         case
           when j.mismatch is not null or j.contradicted then 'STATE_CONFLICT'
           when j.state = 'REVIEW' then j.category
           when j.outcome = 'PENDING' then 'NOT_EXECUTED'
           else 'RECEIPT_MISSING' end as review_category,
         case
           -- A final state only learns the provider's payment id.
           when j.state in ('SUCCEEDED', 'FAILED') then
             j.known_id is null and j.provider_payment_id is not null and j.verdict in ('SUCCEEDED', 'ACCEPTED')
             and j.mismatch is null and not j.contradicted and j.state <> 'FAILED'
           when j.mismatch is not null or j.contradicted then true
           when j.about <> j.attempts then j.source <> 'ANSWER' and j.state in ('UNKNOWN', 'PROCESSING', 'REVIEW') and j.verdict <> 'REJECTED'
           when j.state = 'PENDING' then j.outcome = 'FAILED' and j.about >= j.generation_since
                                         or j.outcome in ('SUCCEEDED', 'PROCESSING') and j.waits_in_doubt
           -- While the request may be on the wire, only a success decides before its answer, or the end of its lease.
           when j.state = 'SUBMITTING' then j.source = 'ANSWER' or j.verdict = 'SUCCEEDED'
                                            or j.answered and j.outcome in ('FAILED', 'PROCESSING')
           when j.source <> 'ANSWER' then true
           when j.state = 'REVIEW' then j.category <> 'STATE_CONFLICT' and j.outcome in ('SUCCEEDED', 'FAILED')
           else j.outcome in ('SUCCEEDED', 'FAILED') or j.state = 'UNKNOWN' and j.outcome in ('PROCESSING', 'PENDING') end as applies,
         interval '1 millisecond' * case
           when j.outcome = 'PENDING' and j.source = 'ANSWER' then greatest(
             random() * least(v.backoff_cap_ms, v.backoff_base_ms * power(2, least(j.attempts - 1, 20))),
             j.asked_ms)
           when not can_be_asked(v, coalesce(j.known_id, case when j.mismatch is null and j.verdict in ('SUCCEEDED', 'ACCEPTED')
                                                              then j.provider_payment_id end)) then v.time_limit_ms
           when j.mismatch is not null or j.contradicted or j.state = 'REVIEW' then v.review_query_ms
           when j.source = 'ANSWER' or j.state = 'SUBMITTING' then greatest(v.quiet_ms, j.asked_ms)
           else greatest(
             v.query_delays_ms[least(j.queries + 1, cardinality(v.query_delays_ms))] * (1 - v.jitter + 2 * v.jitter * random()),
             j.asked_ms) end as wait,
         sum((j.new and j.source = 'QUERY')::int) over one as asked,
         sum((j.new and j.source = 'QUERY' and j.outcome = 'UNKNOWN' and j.verdict <> 'UNREACHABLE')::int) over one as in_vain,
         bool_or(j.new and j.source = 'QUERY' and j.verdict = 'NOT_FOUND' and j.about = j.attempts) over one as not_found
    from known j
    join provider v on v.name = j.provider
  window one as (partition by j.payment_id)),
-- One fact decides for each payment: a contradiction, else the one that proves most. The others are kept.
decisive as (
  select distinct on (payment_id) * from decided where applies
   order by payment_id, mismatch is null and not contradicted,
            array_position(array['SUCCEEDED', 'REJECTED', 'ACCEPTED', 'NOT_EXECUTED'], verdict), evidence_id),
permitted as (
  insert into resend_permit (payment_id, for_attempt, kind, evidence_id, granted_by, reason)
  select payment_id, attempts + 1, 'NOT_EXECUTED', evidence_id, recorded_by, reason
    from decisive where to_state = 'PENDING' and state <> 'PENDING'
  on conflict do nothing),
moved as (
  update payment p
     set state = d.to_state,
         category = case when d.to_state = 'REVIEW' then d.review_category end,
         reason = case when d.stays then p.reason else coalesce('other ' || d.mismatch, d.reason) end,
         actor = case when d.stays then p.actor else d.recorded_by end,
         evidence_id = case when d.stays then p.evidence_id else d.evidence_id end,
         provider_payment_id = case when d.mismatch is null and not d.contradicted and d.verdict in ('SUCCEEDED', 'ACCEPTED')
                                    then coalesce(p.provider_payment_id, d.provider_payment_id)
                                    else p.provider_payment_id end,
         -- What is not found may be sent again, if a permit can be proven.
         resend_at = case when d.state = 'UNKNOWN' and d.to_state = 'UNKNOWN' and d.not_found then clock_timestamp() else p.resend_at end,
         -- A smaller amount than asked for is a part that moved; the rest is for people.
         confirmed_minor = case when d.to_state = 'REVIEW' then greatest(p.confirmed_minor, d.part_minor) else p.confirmed_minor end,
         queries = p.queries + d.asked,
         inconclusive = p.inconclusive + d.in_vain,
         -- What is told to us unasked changes no schedule, unless it changes the state.
         due_at = case when d.stays and (d.asked = 0 or d.state in ('SUCCEEDED', 'FAILED')) then p.due_at
                       else clock_timestamp() + d.wait end
    from (select *, to_state = state and (state <> 'REVIEW' or review_category = category) as stays from decisive) d
   where p.payment_id = d.payment_id
  returning p.payment_id),
-- Evidence against a state that stays is looked at by people.
contradiction as (
  insert into review_case (payment_id, category, reason, evidence_id)
  select distinct on (payment_id) payment_id, 'STATE_CONFLICT', 'state ' || state || ', but: ' || coalesce('other ' || mismatch || ': ', '') || reason,
         evidence_id
    from decided
   where new and to_state <> 'REVIEW'
     and (state in ('SUCCEEDED', 'FAILED') and (mismatch is not null or contradicted)
       or state = 'FAILED' and verdict = 'SUCCEEDED'
       or about < attempts and verdict = 'SUCCEEDED' and not applies)
   order by payment_id, evidence_id
  on conflict (payment_id) where closed_at is null and subject = 'payment' do nothing
  returning payment_id),
-- A provider that cannot be reached, or asks for a pause, is not asked about anything for a while that doubles.
asked as materialized (
  select provider, bool_and(verdict = 'UNREACHABLE' or coalesce(http_status, 0) = 429) as in_vain, max(asked_ms) as asked_ms
    from judged where source = 'QUERY' group by provider),
paused as materialized (
  select v.name from provider v join asked a on a.provider = v.name
   where a.in_vain and v.query_backoff_until <= clock_timestamp() or not a.in_vain and v.query_failures > 0
   order by v.name for no key update of v),
backed_off as (
  update provider v
     set query_failures = case when a.in_vain then least(v.query_failures + 1, 30) else 0 end,
         query_backoff_until = case when a.in_vain then clock_timestamp() + interval '1 millisecond'
           * greatest(least(v.backoff_cap_ms, v.backoff_base_ms * power(2, v.query_failures)), a.asked_ms) else '-infinity' end
    from paused x join asked a on a.provider = x.name
   where v.name = x.name)
select distinct d.payment_id::text as payment_id, d.provider, d.source, d.verdict, d.state as from_state, d.to_state, d.applies
  from decided d where new
union all
-- A fact of no payment of ours is no evidence, and does not go unnoticed.
select t.payment_id::text, 'unknown', t.source, t.verdict, 'NONE', 'NONE', false
  from told t cross join lateral raise_alert('ORPHAN_EVIDENCE', coalesce(t.payment_id::text, 'no payment id'), 'CRITICAL',
         t.source || ' says ' || t.verdict || ' of a payment that is not on record') alert
 where not exists (select from payment p where p.payment_id = t.payment_id)
