-- Claims due payments of one provider: marks them SUBMITTING and writes their attempts, in one statement and commit.
-- Nothing new while the money in doubt is at its limit. Never more than the provider has idle workers. Row locks end with
-- this statement, before anything is sent.
with stopped as materialized (
  select exposure_stopped(:?${exchange.fromEndpoint.pollStrategy.provider}) as yes),
waiting as materialized (
  select p.payment_id
    from outbox o join payment p using (payment_id) join provider v on v.name = o.provider
   where o.provider = :?${exchange.fromEndpoint.pollStrategy.provider}
     and o.task = 'SEND' and o.due_at <= now() and p.state = 'PENDING' and not v.paused
     and not (select yes from stopped) and not (p.in_doubt and waits_too_long(p))
     and not (p.refund_of is not null and refund_waits(p.refund_of))
   order by o.due_at
   limit :?${exchange.fromEndpoint.pollStrategy.claimable}
     for update of p skip locked),
-- What is in doubt already adds none when it is sent again. Found by the index of what is in doubt, and not among all that
-- waits while nothing new is sent.
again as materialized (
  select p.payment_id
    from payment p join provider v on v.name = p.provider
   where (select yes from stopped)
     and p.provider = :?${exchange.fromEndpoint.pollStrategy.provider}
     and p.position = 'IN_DOUBT' and p.in_doubt and p.state = 'PENDING' and p.due_at <= now() and not v.paused
     and not waits_too_long(p) and not (p.refund_of is not null and refund_waits(p.refund_of))
   order by p.due_at
   limit :?${exchange.fromEndpoint.pollStrategy.claimable}
     for update of p skip locked),
due as (
  select payment_id from waiting union all select payment_id from again),
claimed as (
  update payment p
     set state = 'SUBMITTING', reason = 'claimed', actor = :?${exchange.fromEndpoint.pollStrategy.node},
         evidence_id = null, attempts = p.attempts + 1,
         first_sent_at = coalesce(p.first_sent_at, clock_timestamp()),
         due_at = clock_timestamp() + v.lease_ms * interval '1 millisecond'
    from due, provider v
   where p.payment_id = due.payment_id and v.name = p.provider
  returning p.*),
started as (
  insert into attempt (payment_id, attempt_no, provider_key, worker, lease_until)
  select payment_id, attempts, provider_key, actor, due_at from claimed)
select payment_id::text as payment_id, attempts as attempt_no, provider_key, operation, provider, account, amount_minor,
       currency, exponent, source_reference, instruction::text as instruction,
       case when claimed.refund_of is not null then (select r.provider_key from payment r where r.payment_id = claimed.refund_of) end as refunded_key,
       case when claimed.refund_of is not null then (select r.provider_payment_id from payment r where r.payment_id = claimed.refund_of) end as refunded_id
  from claimed join currency on code = currency
