-- The cases of one archive, with what people said and what stood behind it, by id.
select a.id, (to_jsonb(c) || jsonb_build_object(
         'decisions', (select coalesce(jsonb_agg(to_jsonb(d) order by d.decision_id), '[]') from decision d where d.case_id = c.case_id),
         'escalations', (select coalesce(jsonb_agg(to_jsonb(x) order by x.escalated_at, x.reason), '[]') from review_escalation x
                          where x.case_id = c.case_id),
         'evidence', (select to_jsonb(e) from evidence e where e.evidence_id = c.evidence_id),
         'payment', (select jsonb_build_object('paymentId', p.payment_id, 'caller', p.caller, 'sourceReference', p.source_reference,
                              'operation', p.operation, 'provider', p.provider, 'account', p.account, 'amountMinor', p.amount_minor,
                              'currency', p.currency, 'acceptedAt', p.accepted_at) from payment p where p.payment_id = c.payment_id)))::text as row
  from archived a join review_case c on c.case_id = a.id
 where a.archive_id = ? and a.kind = 'review-case'
 order by a.id
