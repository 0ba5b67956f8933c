-- One payment with everything that is known about it, as JSON; no row when there is none in this scope.
-- Parameters: paymentId; caller, whose payments are seen ('' for everybody's).
select json_build_object(
  'paymentId', p.payment_id, 'caller', p.caller, 'sourceReference', p.source_reference, 'operation', p.operation,
  'provider', p.provider, 'account', p.account, 'amountMinor', p.amount_minor,
  'amount', round(p.amount_minor * (10::numeric ^ -c.exponent), c.exponent)::text,
  'currency', p.currency, 'state', p.state, 'category', p.category, 'reason', p.reason, 'stateSince', p.state_since,
  'acceptedAt', p.accepted_at, 'providerKey', p.provider_key, 'providerPaymentId', p.provider_payment_id,
  'attemptCount', p.attempts, 'queryCount', p.queries, 'firstSentAt', p.first_sent_at, 'version', p.version,
  'dueAt', (select due_at from outbox where payment_id = p.payment_id),
  'attempts', coalesce((
    select json_agg(json_build_object('attemptNo', a.attempt_no, 'providerKey', a.provider_key, 'worker', a.worker,
             'startedAt', a.started_at, 'leaseUntil', a.lease_until) order by a.attempt_no)
      from attempt a where a.payment_id = p.payment_id), '[]'),
  'transitions', coalesce((
    select json_agg(json_build_object('version', t.version, 'from', t.from_state, 'to', t.to_state, 'category', t.category,
             'reason', t.reason, 'actor', t.actor, 'attemptNo', t.attempt_no, 'evidenceId', t.evidence_id, 'at', t.at)
             order by t.version)
      from transition t where t.payment_id = p.payment_id), '[]'),
  'evidence', coalesce((
    select json_agg(json_build_object('evidenceId', e.evidence_id, 'source', e.source, 'verdict', e.verdict,
             'attemptNo', e.attempt_no, 'mismatch', e.mismatch, 'providerPaymentId', e.provider_payment_id, 'code', e.code,
             'reason', e.reason, 'httpStatus', e.http_status, 'answer', e.answer, 'elapsedMs', e.elapsed_ms,
             'webhookId', case when e.source = 'WEBHOOK' then (
               select min(w.webhook_id) from webhook_effect w where w.payment_id = e.payment_id and w.fact = e.fact) end,
             'receivedAt', e.received_at) order by e.evidence_id)
      from evidence e where e.payment_id = p.payment_id), '[]'),
  'webhooks', coalesce((
    select json_agg(json_build_object('webhookId', w.webhook_id, 'eventId', v.event_id, 'effect', w.effect, 'word', w.word,
             'reason', w.reason, 'receivedAt', v.received_at, 'decidedAt', w.decided_at) order by w.webhook_id)
      from webhook_effect w join webhook_event v using (webhook_id) where w.payment_id = p.payment_id), '[]'),
  'permits', coalesce((
    select json_agg(json_build_object('forAttempt', r.for_attempt, 'kind', r.kind, 'evidenceId', r.evidence_id,
             'grantedBy', r.granted_by, 'reason', r.reason, 'grantedAt', r.granted_at) order by r.for_attempt)
      from resend_permit r where r.payment_id = p.payment_id), '[]'),
  'ledger', coalesce((
    select json_agg(json_build_object('postingId', l.posting_id, 'event', l.event, 'debitAccount', l.debit_account,
             'creditAccount', l.credit_account, 'amountMinor', l.amount_minor, 'currency', l.currency,
             'reason', l.reason, 'postedAt', l.posted_at) order by l.posting_id)
      from ledger_posting l where l.payment_id = p.payment_id), '[]'),
  'refundOf', p.refund_of, 'givenBackMinor', p.given_back_minor,
  'confirmedMinor', nullif(p.confirmed_minor, 0),
  'leftMinor', case when p.state = 'SUCCEEDED' and p.operation <> 'REFUND' then greatest(0, p.amount_minor - p.given_back_minor - adjusted_away(p)) end,
  'refunds', coalesce((
    select json_agg(json_build_object('paymentId', f.payment_id, 'state', f.state, 'amountMinor', f.amount_minor,
             'sourceReference', f.source_reference, 'acceptedAt', f.accepted_at,
             'links', json_build_object('self', '/api/payments/' || f.payment_id)) order by f.accepted_at, f.payment_id)
      from payment f where f.refund_of = p.payment_id), '[]'),
  'reversals', coalesce((
    select json_agg(json_build_object('reversalId', r.reversal_id, 'kind', r.kind, 'amountMinor', r.amount_minor,
             'currency', r.currency, 'providerReversalId', r.provider_reversal_id, 'source', r.source, 'reason', r.reason,
             'recordedAt', r.recorded_at,
             'booked', exists (select from ledger_posting b where b.fact = 'reversal:' || r.reversal_id)) order by r.reversal_id)
      from reversal r where r.payment_id = p.payment_id), '[]'),
  'review', (
    select json_build_object('caseId', v.case_id, 'category', v.category, 'reason', v.reason,
             'evidenceId', v.evidence_id, 'openedAt', v.opened_at)
      from review_case v where v.payment_id = p.payment_id and v.subject = 'payment' and v.closed_at is null),
  'links', json_build_object('self', '/api/payments/' || p.payment_id))::text as document
  from payment p join currency c on c.code = p.currency
 where p.payment_id = cast(:?paymentId as uuid) and (:?caller = '' or p.caller = :?caller)
