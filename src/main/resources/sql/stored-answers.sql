-- A page of the kept answers of one provider, with what is needed to read them again, by evidence id.
select e.evidence_id, e.payment_id, e.source, e.http_status, e.answer,
       coalesce(last.verdict, e.verdict) as verdict, case when last.verdict is null then e.mismatch else last.mismatch end as mismatch,
       coalesce(a.provider_key, p.provider_key) as provider_key, p.amount_minor, p.currency, c.exponent
  from evidence e join payment p using (payment_id) join currency c on c.code = p.currency
  left join attempt a on (a.payment_id, a.attempt_no) = (e.payment_id, e.attempt_no)
  left join lateral (
    select x.verdict, x.mismatch from evidence x
     where x.payment_id = e.payment_id and x.source = 'RECLASSIFICATION' and x.fact like 'reclassified:' || e.evidence_id || ':%'
     order by x.evidence_id desc limit 1) last on true
 where p.provider = :provider and e.source in ('ANSWER', 'QUERY') and e.http_status is not null
   and e.received_at >= cast(:from as timestamptz) and e.received_at < cast(:to as timestamptz)
   and e.evidence_id > :after and e.evidence_id <= :last
 order by e.evidence_id
 limit 500
