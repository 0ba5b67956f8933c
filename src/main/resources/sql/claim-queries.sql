-- Takes the payments of one provider whose time to be asked about has come; until their answer is recorded they are
-- not due again before the provider's lease is over.
with due as materialized (
  select p.payment_id
    from outbox o join payment p using (payment_id)
   where o.provider = :?provider and o.task = 'QUERY' and o.due_at <= now()
     and p.state in ('UNKNOWN', 'PROCESSING', 'REVIEW') and p.due_at <= now()
   order by o.due_at
   limit cast(:?limit as integer)
     for update of p skip locked)
update payment p
   set due_at = clock_timestamp() + v.lease_ms * interval '1 millisecond'
  from due, provider v, currency c
 where p.payment_id = due.payment_id and v.name = p.provider and c.code = p.currency
returning p.payment_id::text as payment_id, p.attempts as attempt_no, p.provider_key, p.provider_payment_id, p.operation,
          p.provider, p.account, p.amount_minor, p.currency, c.exponent, p.source_reference, p.instruction::text as instruction,
          case when p.refund_of is not null then (select r.provider_key from payment r where r.payment_id = p.refund_of) end as refunded_key,
          case when p.refund_of is not null then (select r.provider_payment_id from payment r where r.payment_id = p.refund_of) end as refunded_id
