-- Records reversals that were told, each once, whichever way and however often it is told. Booking, event, review case
-- and alert follow by the schema's rules in the same commit. Body: a JSON array of
--   payment_id, kind (RETURN, CHARGEBACK, CHARGEBACK_REVERSED, REFUND_FAILED), amount_minor, currency, source (WEBHOOK,
--   QUERY, SETTLEMENT, DECISION), reason, actor; provider_reversal_id and fact (one of them is needed).
-- Answer, one row for each: result RECORDED, KNOWN, or OTHER_CONTENT (known with another amount or currency: an alert is
-- raised and nothing changed).
with told as (
  select payment_id, kind, amount_minor, currency, provider_reversal_id, source, reason, actor,
         coalesce(fact, payment_id || ':' || kind || ':' || provider_reversal_id) as fact
    from jsonb_to_recordset(cast(:?${body} as jsonb)) as t (
      payment_id uuid, kind text, amount_minor bigint, currency text, provider_reversal_id text, fact text, source text,
      reason text, actor text)),
known as materialized (
  select distinct on (t.fact) t.fact, r.reversal_id, (r.amount_minor, r.currency) is distinct from (t.amount_minor, t.currency) as other
    from told t join reversal r on r.fact = t.fact
      or (r.payment_id, r.kind, r.provider_reversal_id) = (t.payment_id, t.kind, t.provider_reversal_id)),
recorded as (
  insert into reversal (payment_id, kind, amount_minor, currency, provider_reversal_id, fact, source, reason, actor)
  select payment_id, kind, amount_minor, currency, provider_reversal_id, fact, source, reason, actor from told
   where fact not in (select fact from known)
   order by payment_id, fact
  on conflict do nothing
  returning reversal_id, fact),
alerted as materialized (
  select raise_alert('REVERSAL_CONFLICT', t.payment_id::text, 'CRITICAL',
           t.kind || ' ' || t.fact || ' is told again with another amount or currency')
    from told t join known k using (fact) where k.other)
select t.payment_id::text as payment_id, t.kind, t.fact, coalesce(r.reversal_id, k.reversal_id) as reversal_id,
       case when r.reversal_id is not null then 'RECORDED' when k.other then 'OTHER_CONTENT' else 'KNOWN' end as result
  from told t left join recorded r using (fact) left join known k using (fact), (select count(*) from alerted) a
