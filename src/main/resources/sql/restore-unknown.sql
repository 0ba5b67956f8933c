-- After a restore from a backup, no state that is not final can be believed: all of them become UNKNOWN.
with subject as materialized (
  select p.payment_id, p.attempts, v.quiet_ms, can_be_asked(v, p.provider_payment_id), v.time_limit_ms
    from payment p join provider v on v.name = p.provider
   where p.state in ('SUBMITTING', 'PROCESSING')
     for update of p),
kept as (
  insert into evidence (payment_id, attempt_no, source, verdict, reason, recorded_by)
  select payment_id, attempts, 'LEASE', 'AMBIGUOUS', 'restored from a backup', :node from subject
  returning evidence_id, payment_id)
update payment p
   set state = 'UNKNOWN', reason = 'restored from a backup', actor = :node, evidence_id = k.evidence_id,
       due_at = clock_timestamp() + interval '1 millisecond' * case when s.can_be_asked then s.quiet_ms else s.time_limit_ms end
  from subject s join kept k using (payment_id)
 where p.payment_id = s.payment_id
