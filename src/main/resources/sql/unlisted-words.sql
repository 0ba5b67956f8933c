-- Answers of one provider that stood on no list of its contract when they came, by what they said: the most frequent first.
with said as (
  select e.source, e.http_status, e.reason, count(*) as times, min(e.received_at) as first_at, max(e.received_at) as last_at,
         max(e.evidence_id) as example
    from evidence e join payment p using (payment_id)
   where p.provider = cast(:provider as text) and e.source in ('ANSWER', 'QUERY') and e.verdict in ('AMBIGUOUS', 'UNREACHABLE')
     and e.http_status is not null and e.reason like 'HTTP %: on no list of the contract'
   group by 1, 2, 3
   order by times desc, last_at desc
   limit 200)
select s.source, s.http_status, substr(split_part(s.reason, ': on no list', 1), 10) as words, s.times,
       to_char(s.first_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as first_at,
       to_char(s.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as last_at,
       e.payment_id::text as payment_id, e.answer, coalesce(a.provider_key, p.provider_key) as provider_key, p.amount_minor, p.currency,
       c.exponent
  from said s join evidence e on e.evidence_id = s.example join payment p using (payment_id) join currency c on c.code = p.currency
  left join attempt a on (a.payment_id, a.attempt_no) = (e.payment_id, e.attempt_no)
 order by s.times desc, s.last_at desc
