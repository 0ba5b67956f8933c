-- One case with everything that is known about it, as JSON; no row when there is none.
select (review_context(c.case_id, 200, 4096) || jsonb_build_object(
  'permits', coalesce((
    select jsonb_agg(jsonb_build_object('forAttempt', r.for_attempt, 'kind', r.kind, 'evidenceId', r.evidence_id,
             'grantedBy', r.granted_by, 'reason', r.reason, 'grantedAt', r.granted_at) order by r.for_attempt)
      from resend_permit r where r.payment_id = c.payment_id), '[]'),
  'ledger', coalesce((
    select jsonb_agg(jsonb_build_object('postingId', l.posting_id, 'event', l.event, 'debitAccount', l.debit_account,
             'creditAccount', l.credit_account, 'amountMinor', l.amount_minor, 'currency', l.currency,
             'reason', l.reason, 'postedAt', l.posted_at) order by l.posting_id)
      from ledger_posting l where l.payment_id = c.payment_id), '[]'),
  'history', coalesce((
    select jsonb_agg(decision_shown(d) order by d.decision_id) from decision d where d.case_id = c.case_id), '[]'),
  'timeline', coalesce((
    select jsonb_agg(jsonb_build_object('at', t.at, 'what', t.what, 'text', t.said, 'who', t.who) order by t.at, t.rank, t.what)
      from (
        select x.at, 3 as rank, 'STATE' as what,
               concat_ws(' ', x.from_state, '->', x.to_state, x.category) || ': ' || left(x.reason, 300) as said, x.actor as who
          from transition x where x.payment_id = c.payment_id
        union all
        select a.started_at, 1, 'ATTEMPT', 'attempt ' || a.attempt_no || ' under key ' || a.provider_key, a.worker
          from attempt a where a.payment_id = c.payment_id
        union all
        select e.received_at, 2, e.source, concat_ws(' ', e.verdict, 'other ' || e.mismatch) || ': ' || left(e.reason, 300), e.recorded_by
          from evidence e where e.payment_id = c.payment_id
        union all
        select r.granted_at, 2, 'PERMIT', r.kind || ' for attempt ' || r.for_attempt, r.granted_by
          from resend_permit r where r.payment_id = c.payment_id
        union all
        select l.posted_at, 4, 'LEDGER', l.event || ' ' || l.debit_account || ' <- ' || l.credit_account || ' ' || l.amount_minor
               || ' ' || l.currency, l.actor
          from ledger_posting l where l.payment_id = c.payment_id
        union all
        select v.opened_at, 5, 'CASE', 'case ' || v.case_id || ' opened, ' || v.category || ': ' || left(v.reason, 300), null
          from review_case v where v.case_id = c.case_id or v.payment_id = c.payment_id
        union all
        select v.closed_at, 6, 'CASE', 'case ' || v.case_id || ' closed', v.closed_by
          from review_case v where (v.case_id = c.case_id or v.payment_id = c.payment_id) and v.closed_at is not null
        union all
        select s.escalated_at, 5, 'ESCALATION', s.reason || ': ' || s.detail, null
          from review_escalation s where s.case_id = c.case_id
        union all
        select d.proposed_at, 5, 'DECISION', d.kind || ' proposed: ' || left(d.reason, 300), d.proposed_by
          from decision d where d.case_id = c.case_id
        union all
        select coalesce(d.approved_at, d.refused_at), 5, 'DECISION',
               d.kind || case when d.refused_by is null then ' approved' else ' refused: ' || left(d.refused_why, 300) end,
               coalesce(d.approved_by, d.refused_by)
          from decision d where d.case_id = c.case_id and coalesce(d.approved_at, d.refused_at) is not null) t), '[]')))::text as document
  from review_case c
 where c.case_id = cast(:?caseId as bigint)
