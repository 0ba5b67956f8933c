-- Cases by filters, one page of them; empty text means any. Order: risk (money that may have moved twice first, then
-- amount times age), age or amount. One row: the page as a JSON array, and how many there are in all.
with shown as (
  select c.case_id, c.subject, c.category, c.reason, c.opened_at, c.closed_at, c.closed_by, p.payment_id, p.source_reference,
         coalesce(p.provider, '') as provider, p.operation, p.amount_minor, p.currency, p.state,
         coalesce(p.amount_minor * (10::numeric ^ -u.exponent), 0) as major,
         extract(epoch from coalesce(c.closed_at, now()) - c.opened_at) as age,
         -- Only a conflict can be one; the others are not looked into.
         c.category = 'STATE_CONFLICT' and review_double_pay(review_facts(c.case_id)) as double_pay
    from review_case c
    left join payment p on p.payment_id = c.payment_id left join currency u on u.code = p.currency
   where (:?state = '' or (c.closed_at is null) = (:?state = 'open'))
     and (:?category = '' or c.category = :?category)
     and (:?provider = '' or p.provider = :?provider)
     and (:?subject = '' or split_part(c.subject, ':', 1) = :?subject)
     and (:?minAge = '' or c.opened_at <= now() - cast(nullif(:?minAge, '') as interval))
     and (:?minAmount = '' or p.amount_minor * (10::numeric ^ -u.exponent) >= cast(nullif(:?minAmount, '') as numeric))),
page as (
  select s.*, row_number() over (
           order by case when :?order = 'risk' then s.double_pay end desc nulls last,
                    case :?order when 'risk' then s.major * (s.age + 1) when 'age' then s.age else s.major end desc, s.case_id) as n
    from shown s
   order by n
   limit cast(:?limit as int) offset cast(:?offset as int))
select coalesce((select jsonb_agg(jsonb_build_object(
         'caseId', g.case_id, 'subject', g.subject, 'category', g.category, 'categoryWhy', review_category_why(g.category),
         'reason', left(g.reason, 300), 'openedAt', g.opened_at, 'closedAt', g.closed_at, 'closedBy', g.closed_by,
         'ageSeconds', greatest(0, g.age)::bigint, 'doublePay', g.double_pay,
         'paymentId', g.payment_id, 'sourceReference', g.source_reference, 'provider', nullif(g.provider, ''),
         'operation', g.operation, 'amountMinor', g.amount_minor, 'amount', shown_amount(g.amount_minor, g.currency),
         'currency', g.currency, 'paymentState', g.state, 'waitsUntil', review_waits_until(g.case_id),
         'escalations', (select count(*) from review_escalation x where x.case_id = g.case_id),
         'recommended', (select r.kind from review_facts(g.case_id) f, review_recommendation(f) r),
         'proposal', (select decision_shown(d) from decision d
                       where d.case_id = g.case_id and d.effective_at is null and d.refused_by is null and g.closed_at is null),
         'links', jsonb_build_object('self', '/api/review/cases/' || g.case_id)) order by g.n)
         from page g), '[]')::text as items,
       (select count(*) from shown) as total
