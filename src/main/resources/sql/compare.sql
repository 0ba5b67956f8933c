-- The payments of one provider that a list of ids names, ours or the provider's, in the order of the list; ids that name
-- none have none. As many as the provider may still be asked about in this minute are marked: half of its budget.
with named as (
  select i.id, i.n from jsonb_array_elements_text(cast(:?ids as jsonb)) with ordinality i (id, n)),
found as (
  select n.id, n.n, coalesce(o.payment_id, t.payment_id) as payment_id
    from named n
    left join payment o on o.provider = :?provider and o.payment_id = case
         when n.id ~* '^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$' then cast(n.id as uuid) end
    left join lateral (
      select x.payment_id from provider_payment x
       where x.provider = :?provider and x.account = (select v.account from provider v where v.name = :?provider)
         and x.operation in ('CHARGE', 'PAYOUT', 'REFUND') and x.provider_payment_id = n.id
       order by x.payment_id limit 1) t on o.payment_id is null),
allowed as materialized (
  select v.can_query, case when v.can_query then take_allowance('compare:' || v.name,
           (select count(payment_id)::integer from found), coalesce((v.query_rate_per_minute + 1) / 2, 600), 60) end as granted
    from provider v where v.name = :?provider)
select f.id, f.n as place, a.can_query, p.payment_id is not null and f.rank <= a.granted as ask,
       p.payment_id::text as payment_id, p.state, p.category, p.attempts as attempt_no, p.provider_key, p.provider_payment_id, p.operation,
       :?provider as provider, p.account, p.amount_minor, p.currency, c.exponent, p.source_reference, p.instruction::text as instruction,
       r.provider_key as refunded_key, r.provider_payment_id as refunded_id
  from allowed a cross join (select *, count(payment_id) over (order by n) as rank from found) f
  left join payment p on p.payment_id = f.payment_id left join currency c on c.code = p.currency
  left join payment r on r.payment_id = p.refund_of
 order by f.n
