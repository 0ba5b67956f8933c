-- Sends again what the provider's contract and the evidence prove that may be sent again, each with its permit: UNKNOWN
-- payments under the same key, FAILED ones whose refusal may be tried again under a new key. What is not proven now waits
-- for the next query, or for people.
with ready as materialized (
  select p as subject
    from payment p
   where p.resend_at <= now() and p.state in ('UNKNOWN', 'FAILED')
   order by p.resend_at
   limit 200
     for update of p skip locked),
judged as materialized (
  select (r.subject).payment_id, (r.subject).attempts, (r.subject).state as from_state, x.kind, x.proof
    from ready r cross join lateral provable_resend(r.subject) x),
permitted as (
  insert into resend_permit (payment_id, for_attempt, kind, evidence_id, granted_by, reason)
  select payment_id, attempts + 1, kind, proof, :?node, 'proven by the contract of its provider'
    from judged where kind is not null),
moved as (
  update payment p
     set state = case when j.kind is null then p.state else 'PENDING' end,
         generation = p.generation + case when j.kind = 'RETRY_AFTER_REJECTION' then 1 else 0 end,
         in_doubt = case when j.kind is null then p.in_doubt else j.kind in ('SAME_KEY', 'AT_LEAST_ONCE') end,
         reason = case when j.kind is null then p.reason else 'resend: ' || j.kind end,
         actor = case when j.kind is null then p.actor else :?node end,
         evidence_id = case when j.kind is null then p.evidence_id else j.proof end,
         resend_at = null,
         due_at = case when j.kind is null then p.due_at else clock_timestamp() end
    from judged j
   where p.payment_id = j.payment_id
     -- All are judged before the first one moves: two refunds may each fit into what is left, and not both.
     and (select count(*) from judged) > 0
  returning p.payment_id, p.provider)
select m.payment_id::text as payment_id, m.provider, j.from_state, j.kind
  from moved m join judged j using (payment_id) where j.kind is not null
