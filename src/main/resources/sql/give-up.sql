-- Hands to people what automation has no means left for: payments that could not be sent within the provider's time
-- limit, resends whose key has outlived its lifetime, and UNKNOWN payments of a provider that cannot be asked.
with late as materialized (
  select p.payment_id, p.state, v.review_query_ms, earlier_attempt_in_doubt(p.payment_id, p.attempts + 1) as in_doubt
    from outbox o join payment p using (payment_id) join provider v on v.name = p.provider
   where (o.task = 'SEND' and p.state = 'PENDING'
          and (not v.paused and not exists (select from exposure_stop s where s.provider = p.provider)
               and p.accepted_at < now() - v.send_time_limit_ms * interval '1 millisecond'
               -- What people or a contract allowed to be sent again has its time again.
               and sending_since(p.payment_id, p.accepted_at) < now() - v.send_time_limit_ms * interval '1 millisecond'
            or p.in_doubt and waits_too_long(p))
       or o.task = 'QUERY' and p.state in ('UNKNOWN', 'PROCESSING') and not can_be_asked(v, p.provider_payment_id) and p.due_at <= now()
          and (p.resend_at is null or p.resend_at > now()))
   limit 500
     for update of p skip locked)
update payment p
   set state = 'REVIEW', category = case when l.state = 'PENDING' and not l.in_doubt then 'NOT_EXECUTED' else 'RECEIPT_MISSING' end,
       reason = case l.state when 'PENDING' then 'not sent within the time limit'
                else 'no answer within the time limit, and the provider cannot be asked' end,
       actor = :?node, evidence_id = null, due_at = clock_timestamp() + l.review_query_ms * interval '1 millisecond'
  from late l
 where p.payment_id = l.payment_id
returning p.payment_id::text as payment_id, p.provider
