-- Records a batch of answers (of attempts and of queries) and what follows from them, in one statement and commit:
-- the evidence, the permit of a resend, the state; history, ledger postings, events and outbox follow by the schema's
-- rules. Recording the same answer again changes nothing.
with told as (
  select * from jsonb_to_recordset(cast(:?${body} as jsonb)) as t (
    payment_id uuid, attempt_no integer, source text, verdict text, next text, mismatch text, provider_payment_id text,
    code text, reason text, http_status integer, retry_after_ms bigint, request_digest text, answer text,
    elapsed_ms integer, recorded_by text)),
-- Lock first, so that what we judge by is the newest version of each payment.
subject as materialized (
  select t.*, p.provider, p.account, p.operation, p.state, p.category, p.attempts, p.queries, p.inconclusive,
         p.accepted_at, p.first_sent_at, p.provider_payment_id as known_id
    from told t join payment p using (payment_id)
   order by p.payment_id
     for update of p),
-- The owner of the provider's payment id: this payment, or another one that named it first.
owned as (
  insert into provider_payment as x (provider, account, operation, provider_payment_id, payment_id)
  select distinct on (provider, account, operation, provider_payment_id)
         provider, account, operation, provider_payment_id, payment_id from subject
   where provider_payment_id is not null and mismatch is null and verdict in ('SUCCEEDED', 'ACCEPTED')
   order by provider, account, operation, provider_payment_id, payment_id
  on conflict (provider, account, operation, provider_payment_id) do update set payment_id = x.payment_id
  returning provider, account, operation, provider_payment_id, payment_id as owner),
judged as (
  select s.payment_id, s.attempt_no, s.source, s.verdict, s.next, s.provider, s.state, s.category, s.attempts, s.queries,
         s.inconclusive, s.accepted_at, s.first_sent_at, s.provider_payment_id, s.code, s.reason, s.http_status,
         s.retry_after_ms, s.request_digest, s.answer, s.elapsed_ms, s.recorded_by,
         s.next = 'PENDING' and earlier_attempt_in_doubt(s.payment_id, s.attempt_no) as in_doubt,
         -- least() passes over null: without the case, no Retry-After would wait as long as the longest.
         case when s.retry_after_ms is not null then least(s.retry_after_ms, v.retry_after_cap_ms) end as asked_ms,
         s.verdict = 'REJECTED' and exists (select from evidence e where e.payment_id = s.payment_id
           and e.verdict = 'SUCCEEDED' and e.mismatch is null)
         or s.verdict = 'NOT_EXECUTED' and speaks_against_resend(s.payment_id, s.attempt_no) as contradicted,
         coalesce(s.mismatch, case when o.owner <> s.payment_id or s.provider_payment_id <> s.known_id
                                   then 'provider_payment_id' end) as mismatch
    from subject s join provider v on v.name = s.provider left join owned o
      on (o.provider, o.account, o.operation, o.provider_payment_id) = (s.provider, s.account, s.operation, s.provider_payment_id)),
kept as (
  insert into evidence (payment_id, attempt_no, source, verdict, mismatch, provider_payment_id, code, reason, http_status,
                        retry_after_ms, request_digest, answer, elapsed_ms, recorded_by)
  select payment_id, attempt_no, source, verdict, mismatch, provider_payment_id, code, reason, http_status,
         retry_after_ms, request_digest, answer, elapsed_ms, recorded_by
    from judged
  on conflict (payment_id, attempt_no) where source = 'ANSWER' do nothing
  returning evidence_id, payment_id, attempt_no, source, verdict),
decided as (
  select j.*, k.evidence_id,
         case
           when j.mismatch is not null or j.contradicted then 'REVIEW'
           when j.state = 'REVIEW' and (j.category = 'STATE_CONFLICT' or j.next not in ('SUCCEEDED', 'FAILED')) then 'REVIEW'
           when j.next = 'PENDING' and j.in_doubt then 'UNKNOWN'
           when j.next = 'PENDING' and clock_timestamp() - j.accepted_at > v.send_time_limit_ms * interval '1 millisecond'
             then 'REVIEW'
           when j.source = 'QUERY' and j.next = 'UNKNOWN' and j.verdict in ('AMBIGUOUS', 'NOT_FOUND')
            and j.inconclusive + 1 >= v.inconclusive_max
            and clock_timestamp() - j.first_sent_at > v.time_limit_ms * interval '1 millisecond'
             then 'REVIEW'
           -- An unreachable provider takes nothing back.
           when j.source = 'QUERY' and j.verdict in ('UNREACHABLE', 'AMBIGUOUS') then j.state
           else j.next end as to_state,
         case
           when j.mismatch is not null or j.contradicted then 'STATE_CONFLICT'
           when j.state = 'REVIEW' then j.category
           when j.next = 'PENDING' then 'NOT_EXECUTED'
           else 'RECEIPT_MISSING' end as review_category,
         case j.source
           when 'QUERY' then j.state in ('UNKNOWN', 'PROCESSING', 'REVIEW')
                             and not (j.next = 'FAILED' and j.attempt_no <> j.attempts)
           else j.attempt_no = j.attempts
                and (j.state = 'SUBMITTING'
                     or j.state in ('UNKNOWN', 'PROCESSING')
                        and (j.next in ('SUCCEEDED', 'FAILED') or j.mismatch is not null or j.contradicted)
                     or j.state = 'UNKNOWN' and j.next = 'PENDING'
                     or j.state = 'REVIEW' and j.category <> 'STATE_CONFLICT' and j.next in ('SUCCEEDED', 'FAILED'))
           end as applies,
         interval '1 millisecond' * case
           when j.next = 'PENDING' then greatest(
             random() * least(v.backoff_cap_ms, v.backoff_base_ms * power(2, least(j.attempts - 1, 20))),
             j.asked_ms)
           when not v.can_query then v.time_limit_ms
           when j.mismatch is not null or j.contradicted or j.state = 'REVIEW' then v.review_query_ms
           when j.source = 'ANSWER' then greatest(v.quiet_ms, j.asked_ms)
           else greatest(
             v.query_delays_ms[least(j.queries + 1, cardinality(v.query_delays_ms))] * (1 - v.jitter + 2 * v.jitter * random()),
             j.asked_ms) end as wait
    from judged j
    join kept k on k.payment_id = j.payment_id and k.source = j.source and k.verdict = j.verdict
               and k.attempt_no is not distinct from j.attempt_no
    join provider v on v.name = j.provider),
-- One answer decides for each payment of the batch: the one that proves most. The others are kept.
decisive as (
  select distinct on (payment_id) * from decided where applies
   order by payment_id, mismatch is null, array_position(array['SUCCEEDED', 'REJECTED', 'ACCEPTED', 'NOT_EXECUTED'], verdict),
            evidence_id),
permitted as (
  insert into resend_permit (payment_id, for_attempt, kind, evidence_id, granted_by, reason)
  select payment_id, attempts + 1, 'NOT_EXECUTED', evidence_id, recorded_by, reason
    from decisive where to_state = 'PENDING'
  on conflict do nothing),
moved as (
  update payment p
     set state = d.to_state,
         category = case when d.to_state = 'REVIEW' then d.review_category end,
         reason = case when d.stays then p.reason else coalesce('other ' || d.mismatch, d.reason) end,
         actor = case when d.stays then p.actor else d.recorded_by end,
         evidence_id = case when d.stays then p.evidence_id else d.evidence_id end,
         provider_payment_id = case when d.mismatch is null and d.verdict in ('SUCCEEDED', 'ACCEPTED')
                                    then coalesce(p.provider_payment_id, d.provider_payment_id)
                                    else p.provider_payment_id end,
         queries = p.queries + (d.source = 'QUERY')::int,
         inconclusive = p.inconclusive + (d.source = 'QUERY' and d.verdict in ('AMBIGUOUS', 'NOT_FOUND'))::int,
         due_at = clock_timestamp() + d.wait
    from (select *, to_state = state and (state <> 'REVIEW' or review_category = category) as stays from decisive) d
   where p.payment_id = d.payment_id
  returning p.payment_id),
-- Evidence against a final state changes nothing; people look at it.
contradicted as (
  insert into review_case (payment_id, category, reason, evidence_id)
  select payment_id, 'STATE_CONFLICT', 'state ' || state || ', but: ' || reason, evidence_id
    from decided
   where not applies
     and (state = 'FAILED' and verdict = 'SUCCEEDED'
       or state = 'SUCCEEDED' and (verdict = 'REJECTED' or mismatch is not null)
       or attempt_no < attempts and verdict = 'SUCCEEDED')
  on conflict (payment_id) where closed_at is null and subject = 'payment' do nothing
  returning payment_id)
select distinct d.payment_id::text as payment_id, d.provider, d.source, d.verdict, d.state as from_state, d.to_state, d.applies
  from decided d
