-- The report of a file as one table for CSV and HTML: sections RESULT, EQUATION, CLEARING,
-- DIFFERENCE, MISSING, IN_TRANSIT. Amounts in
-- major units. Whoever decides fills decision, decisionPaymentId and reason of the DIFFERENCE rows.
with f as materialized (select * from settlement_file where file_id = cast(:?fileId as bigint)),
row as (
  select 1 as part, row_number() over (order by m.result, l.kind, l.currency) as place, 'RESULT' as section, null::bigint as line, null::bigint as line_id,
         m.result as name, null as rule, l.kind, l.currency, count(*) as lines, sum(l.amount_minor)::numeric as amount, sum(m.difference_minor)::numeric as difference,
         null as reference, null as provider_payment_id, null as provider_line_id, null::uuid as payment_id, null::bigint as case_id
    from f join settlement_match m using (file_id) join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
   group by m.result, l.kind, l.currency
  union all
  select 2, n, 'EQUATION', null, null, x.name, null, null, e.currency, null, x.amount, null, null, null, null, null, null
    from f cross join lateral settlement_equation(f.file_id) with ordinality e (currency, lines_net, booked_net, not_booked_net, holds, n)
    cross join lateral (values ('net of all lines', e.lines_net), ('booked', e.booked_net), ('not booked', e.not_booked_net),
                               (case when e.holds then 'holds' else 'DOES NOT HOLD' end, e.lines_net - e.booked_net - e.not_booked_net)) x (name, amount)
  union all
  select 3, n, 'CLEARING', null, null, p.value ->> 'what', null, null, c.value ->> 'currency', (p.value ->> 'entries')::bigint, (p.value ->> 'amountMinor')::numeric,
         null, null, null, null, null, null
    from f cross join lateral jsonb_array_elements(settlement_clearing(f.provider)) with ordinality c (value, n)
    cross join lateral jsonb_array_elements(c.value -> 'consistsOf' || jsonb_build_array(jsonb_build_object('what', 'balance', 'amountMinor', c.value -> 'balanceMinor'))) p (value)
  union all
  select 4, m.line_no, 'DIFFERENCE', m.line_no, l.line_id, m.result, m.rule, l.kind, l.currency, null, l.amount_minor, m.difference_minor,
         l.reference, l.provider_payment_id, l.provider_line_id, coalesce(m.payment_id, m.candidate_id), r.case_id
    from f join settlement_match m using (file_id) join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
    left join review_case r on r.subject = 'settlement-line:' || l.line_id and r.closed_at is null
   where settlement_is_difference(m.result)
  union all
  select 5, row_number() over (order by p.first_sent_at), 'MISSING', null, null, 'MISSING_AT_PROVIDER', null, p.operation, p.currency, null, p.amount_minor, null,
         p.source_reference, p.provider_payment_id, null, p.payment_id, null
    from f join settlement_missing s using (file_id) join payment p using (payment_id)
  union all
  select 6, row_number() over (order by v.at, v.line_id), 'IN_TRANSIT', v.line_no, v.line_id, case when v.due_at < clock_timestamp() then 'LATE' else 'IN_TRANSIT' end,
         null, 'PAYOUT', v.currency, null, v.amount_minor, null, v.provider || ' to ' || v.bank, null, l.provider_line_id, null, c.case_id
    from f join payout_in_transit v on f.provider in (v.provider, v.bank) join settlement_line l on (l.file_id, l.line_no) = (v.file_id, v.line_no)
    left join review_case c on c.subject = 'settlement-payout:' || v.line_id and c.closed_at is null
   where not exists (select from payout_arrival a where (a.file_id, a.line_no) = (v.file_id, v.line_no)))
select r.section, r.line::text as line, r.line_id::text as "lineId", r.name as result, r.rule, r.kind, r.currency, r.lines::text as lines,
       round(r.amount * (10::numeric ^ -coalesce(c.exponent, 2)), coalesce(c.exponent, 2))::text as amount,
       round(r.difference * (10::numeric ^ -coalesce(c.exponent, 2)), coalesce(c.exponent, 2))::text as difference,
       r.reference, r.provider_payment_id as "providerPaymentId", r.provider_line_id as "providerLineId", r.payment_id::text as "paymentId",
       r.case_id::text as "caseId"
  from row r left join currency c on c.code = r.currency order by r.part, r.place
