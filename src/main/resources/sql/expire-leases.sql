-- A worker that did not answer within its lease leaves its payment UNKNOWN, never PENDING: its request may be out.
with orphan as materialized (
  select p.payment_id, p.attempts, v.quiet_ms, v.can_query, v.time_limit_ms
    from outbox o join payment p using (payment_id) join provider v on v.name = p.provider
   where o.task = 'LEASE' and o.due_at < now() and p.state = 'SUBMITTING' and p.due_at < now()
   order by o.due_at
   limit 500
     for update of p skip locked),
kept as (
  insert into evidence (payment_id, attempt_no, source, verdict, reason, recorded_by)
  select payment_id, attempts, 'LEASE', 'AMBIGUOUS', 'the lease is over and no answer was recorded', :?node from orphan
  returning evidence_id, payment_id)
update payment p
   set state = 'UNKNOWN', reason = 'the lease is over and no answer was recorded', actor = :?node, evidence_id = k.evidence_id,
       due_at = clock_timestamp() + interval '1 millisecond' * case when o.can_query then o.quiet_ms else o.time_limit_ms end
  from orphan o join kept k using (payment_id)
 where p.payment_id = o.payment_id
returning p.payment_id::text as payment_id, p.provider
