-- A worker that did not answer within its lease leaves its payment UNKNOWN, never PENDING: its request may be out. What
-- others told meanwhile of a refusal or an acceptance, and what waited for the answer, decides now.
with orphan as materialized (
  select p.payment_id, p.attempts, p.generation_since, v.quiet_ms, can_be_asked(v, p.provider_payment_id), v.time_limit_ms
    from outbox o join payment p using (payment_id) join provider v on v.name = p.provider
   where o.task = 'LEASE' and o.due_at < now() and p.state = 'SUBMITTING' and p.due_at < now()
   order by o.due_at
   limit 500
     for update of p skip locked),
kept as (
  insert into evidence (payment_id, attempt_no, source, verdict, reason, recorded_by)
  select payment_id, attempts, 'LEASE', 'AMBIGUOUS', 'the lease is over and no answer was recorded', :?node from orphan
  returning evidence_id, payment_id, reason),
-- Read with a snapshot that is newer than the lock.
proven as materialized (
  select o.payment_id, r.told_id, r.told_reason,
         case when r.told_verdict = 'REJECTED' and r.succeeded then 'REVIEW' when r.told_verdict = 'REJECTED' then 'FAILED'
              when r.told_verdict = 'ACCEPTED' then 'PROCESSING' else 'UNKNOWN' end as to_state
    from orphan o cross join lateral on_record(o.payment_id, o.attempts, o.generation_since) r)
update payment p
   set state = n.to_state, category = case when n.to_state = 'REVIEW' then 'STATE_CONFLICT' end,
       reason = coalesce(n.told_reason, k.reason), actor = :?node, evidence_id = coalesce(n.told_id, k.evidence_id),
       due_at = clock_timestamp() + interval '1 millisecond' * case when o.can_be_asked then o.quiet_ms else o.time_limit_ms end
  from orphan o join kept k using (payment_id) join proven n using (payment_id)
 where p.payment_id = o.payment_id
returning p.payment_id::text as payment_id, p.provider
