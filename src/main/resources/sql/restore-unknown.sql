-- After a restore from a backup, no state that is not final can be believed: all of them become UNKNOWN. Nor is anything
-- sent again by automation that was sent before, or that waits to be tried again after a refusal: since the backup it may
-- have been. The evidence RESTORED keeps it from every permit but that of two people.
with subject as materialized (
  select p.payment_id, p.state, p.attempts, v.quiet_ms, v.can_query, v.time_limit_ms
    from payment p join provider v on v.name = p.provider
   where p.attempts > 0 and (p.state in ('SUBMITTING', 'PROCESSING', 'UNKNOWN', 'REVIEW') or p.resend_at is not null)
     for update of p),
kept as (
  insert into evidence (payment_id, attempt_no, source, verdict, code, reason, recorded_by)
  select payment_id, attempts, 'LEASE', 'AMBIGUOUS', 'RESTORED', 'restored from a backup', :node from subject
  returning evidence_id, payment_id)
update payment p
   set state = 'UNKNOWN', reason = 'restored from a backup', actor = :node, evidence_id = k.evidence_id,
       due_at = clock_timestamp() + interval '1 millisecond' * case when s.can_query then s.quiet_ms else s.time_limit_ms end
  from subject s join kept k using (payment_id)
 where p.payment_id = s.payment_id and s.state in ('SUBMITTING', 'PROCESSING')
