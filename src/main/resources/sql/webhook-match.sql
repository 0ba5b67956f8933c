-- Finds the payment of each event: by the reference it names, else by the provider's payment id. No row of the answer is
-- without its event; one without a payment has none of ours yet.
with told as (
  select * from jsonb_to_recordset(cast(:?${body} as jsonb)) as t (
    webhook_id bigint, provider text, reference text, by_source boolean, provider_payment_id text))
select t.webhook_id, p.payment_id::text as payment_id, p.state, p.operation, p.amount_minor, p.currency, c.exponent,
       p.provider_key, p.source_reference, p.provider_payment_id as known_id,
       (select max(a.attempt_no) from attempt a
         where a.payment_id = p.payment_id and (a.provider_key = t.reference or t.reference is null or t.by_source or not m.by_reference)) as attempt_no,
       coalesce(m.by_reference, false) as by_reference, coalesce(m.candidates, 0) as candidates
  from told t
  left join lateral (
    select f.payment_id, f.by_reference, count(*) over () as candidates
      from (
        select y.payment_id, true as by_reference, y.provider_payment_id = t.provider_payment_id as same_id, y.state, y.accepted_at
          from payment y
         where not t.by_source and y.provider = t.provider
           and y.payment_id = case when t.reference ~ '^[0-9a-f]{32}(-[0-9]{1,5})?$' then substr(t.reference, 1, 32)::uuid end
           and (y.provider_key = t.reference
                or exists (select from attempt a where a.payment_id = y.payment_id and a.provider_key = t.reference))
        union all
        select y.payment_id, true, y.provider_payment_id = t.provider_payment_id, y.state, y.accepted_at
          from payment y
         where t.by_source and y.source_reference = t.reference and y.provider = t.provider
        union all
        select x.payment_id, false, true, 'SUCCEEDED', '-infinity'
          from provider_payment x
         where x.provider = t.provider and x.provider_payment_id = t.provider_payment_id) f
     order by f.by_reference desc, f.same_id desc nulls last, f.state in ('SUCCEEDED', 'FAILED'), f.accepted_at desc
     limit 1) m on true
  left join payment p on p.payment_id = m.payment_id
  left join currency c on c.code = p.currency
