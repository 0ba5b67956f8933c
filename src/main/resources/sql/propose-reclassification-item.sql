insert into reclassification_item (reclassification_id, evidence_id, payment_id, old_verdict, verdict, mismatch, provider_payment_id,
                                   amount_minor, code, reason, payment_state, would_follow)
select :reclassificationId, e.evidence_id, e.payment_id, :oldVerdict, :verdict, :mismatch, :providerPaymentId,
       cast(:amountMinor as bigint), :code, :reason, p.state,
       reclassification_effect(p.state, :verdict, :mismatch, coalesce(e.attempt_no, p.attempts) = p.attempts)
  from evidence e join payment p using (payment_id) where e.evidence_id = :evidenceId
