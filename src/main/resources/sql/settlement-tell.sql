-- Lines that are evidence for a payment that has not been told of them, as rows of record-evidence.sql.
select coalesce(m.payment_id, m.candidate_id)::text as payment_id, 'SETTLEMENT' as source, 'SUCCEEDED' as verdict, 'SUCCEEDED' as next,
       case when m.decision_id is null then case m.result when 'AMOUNT_DIFFERS' then 'amount' when 'CURRENCY_DIFFERS' then 'currency' end end as mismatch,
       case when m.result in ('RESOLVES', 'SETTLED_BUT_FAILED') or m.decision_id is not null then l.provider_payment_id end as provider_payment_id,
       case when l.currency = p.currency then abs(l.amount_minor) end as amount_minor,
       'settlement:' || m.file_id || ':' || m.line_no as fact,
       case when m.rule = 'REFERENCE' and settlement_payment_id(l.reference) = p.payment_id then lower(l.reference) end as provider_key,
       m.result as code, 'line ' || m.line_no || ' of settlement file ' || m.file_id || ': ' || m.result || ' by ' || m.rule as reason,
       'settlement' as recorded_by
  from settlement_file f
  join settlement_match m on m.file_id = f.file_id and m.tells
  join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
  join payment p on p.payment_id = coalesce(m.payment_id, m.candidate_id)
 where f.state = 'BOOKED' and not f.all_told and not exists (select from evidence e
         where e.payment_id = p.payment_id and e.fact = 'settlement:' || m.file_id || ':' || m.line_no)
 order by m.file_id, m.line_no limit 500
