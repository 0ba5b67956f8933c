-- Takes the payments of one provider whose time to be asked about has come; until their answer is recorded they are
-- not due again before the provider's lease is over. No more than the provider's budget of queries allows, for all nodes
-- together and with at most ten seconds of it, or one query, at once, and none while it is backed off.
with budget as materialized (
  select v.name, greatest(v.query_next_at, now() - greatest(interval '10 seconds', interval '1 minute' / v.query_rate_per_minute)) as begins, v.query_rate_per_minute as rate
    from provider v
   where v.name = :?provider and v.query_backoff_until <= now()
     and exists (select from outbox o where o.provider = v.name and o.task = 'QUERY' and o.due_at <= now())
     for no key update of v),
due as materialized (
  select p.payment_id
    from budget b join provider v on v.name = b.name join outbox o on o.provider = b.name join payment p using (payment_id)
   where o.task = 'QUERY' and o.due_at <= now()
     and p.state in ('UNKNOWN', 'PROCESSING', 'REVIEW') and p.due_at <= now() and can_be_asked(v, p.provider_payment_id)
   order by o.due_at
   limit least(cast(:?limit as integer),
               (select greatest(0, floor(extract(epoch from now() - b.begins) * b.rate / 60))::integer from budget b where b.rate is not null))
     for update of p skip locked),
spent as (
  update provider v
     set query_next_at = b.begins + (select count(*) from due) * interval '1 minute' / b.rate
    from budget b where v.name = b.name and b.rate is not null and exists (select from due))
update payment p
   set due_at = clock_timestamp() + v.lease_ms * interval '1 millisecond'
  from due, provider v, currency c
 where p.payment_id = due.payment_id and v.name = p.provider and c.code = p.currency
returning p.payment_id::text as payment_id, p.attempts as attempt_no, p.provider_key, p.provider_payment_id, p.operation,
          p.provider, p.account, p.amount_minor, p.currency, c.exponent, p.source_reference, p.instruction::text as instruction,
          case when p.refund_of is not null then (select r.provider_key from payment r where r.payment_id = p.refund_of) end as refunded_key,
          case when p.refund_of is not null then (select r.provider_payment_id from payment r where r.payment_id = p.refund_of) end as refunded_id,
          clock_timestamp()::text as asked_at
