-- Records reversals that were told, each once, whichever way and however often it is told. Booking, event, review case
-- and alert follow by the schema's rules in the same commit. Body: a JSON array of
--   payment_id, kind (RETURN, CHARGEBACK, CHARGEBACK_REVERSED, REFUND_FAILED), amount_minor, currency, source (WEBHOOK,
--   QUERY, SETTLEMENT, DECISION), reason, actor; provider_reversal_id and fact (one of them is needed).
-- Answer, one row for each: result RECORDED, KNOWN, or OTHER_CONTENT (the provider's id is known with another amount or
-- currency: an alert is raised and nothing is booked).
with told as (
  select payment_id, kind, amount_minor, currency, provider_reversal_id, source, reason, actor,
         coalesce(fact, source || ':' || kind || ':' || payment_id || ':' || provider_reversal_id) as fact
    from jsonb_to_recordset(cast(:?${body} as jsonb)) as t (
      payment_id uuid, kind text, amount_minor bigint, currency text, provider_reversal_id text, fact text, source text,
      reason text, actor text)),
recorded as (
  insert into reversal (payment_id, kind, amount_minor, currency, provider_reversal_id, fact, source, reason, actor)
  select payment_id, kind, amount_minor, currency, provider_reversal_id, fact, source, reason, actor from told
   order by payment_id, fact
  on conflict do nothing
  returning reversal_id, fact)
select t.payment_id::text as payment_id, t.kind, t.fact, r.reversal_id,
       case when r.reversal_id is not null then 'RECORDED'
            when exists (select from reversal k
                          where (k.payment_id, k.kind, k.provider_reversal_id) = (t.payment_id, t.kind, t.provider_reversal_id)
                            and (k.amount_minor, k.currency) <> (t.amount_minor, t.currency)) then 'OTHER_CONTENT'
            else 'KNOWN' end as result
  from told t left join recorded r using (fact)
