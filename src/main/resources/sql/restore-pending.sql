-- After a restore from a backup, what stands PENDING may have been sent since the backup was made. Each gets an attempt
-- that stands for a request we no longer know of, so that it can become UNKNOWN and be asked about.
with restored as (
  update payment p
     set state = 'SUBMITTING', reason = 'restored from a backup', actor = :node, evidence_id = null, attempts = p.attempts + 1,
         first_sent_at = coalesce(p.first_sent_at, p.accepted_at), due_at = clock_timestamp()
   where p.state = 'PENDING'
  returning p.*)
insert into attempt (payment_id, attempt_no, provider_key, worker, lease_until)
select payment_id, attempts, provider_key, 'restore', due_at from restored
