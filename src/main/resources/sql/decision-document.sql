-- A decision and what became of its case and payment.
select (decision_shown(d) || jsonb_build_object(
         'caseState', case when c.closed_at is null then 'OPEN' else 'CLOSED' end, 'paymentId', c.payment_id,
         'paymentState', (select p.state from payment p where p.payment_id = c.payment_id)))::text as document
  from decision d join review_case c using (case_id) where d.decision_id = cast(:?decisionId as bigint)
