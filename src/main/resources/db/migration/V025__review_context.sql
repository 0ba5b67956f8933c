-- A case with all that is known about it, as people and tickets get it.

-- Whether the money of a case may have moved twice, or may move twice: the most urgent ones.
create function review_double_pay(f review_fact) returns boolean language sql stable as $$
  select coalesce(f.closed_at is null and f.category = 'STATE_CONFLICT' and (
    f.state = 'FAILED' and f.succeeded_at is not null or f.paid_otherwise is not null
    or (select count(distinct e.provider_payment_id) > 1 from evidence e
         where e.payment_id = f.payment_id and e.verdict = 'SUCCEEDED'
           and coalesce(e.mismatch, 'provider_payment_id') = 'provider_payment_id')), false)
$$;

-- What we would decide, and why. Silence recommends to wait, never that nothing happened.
create function review_recommendation(f review_fact, out kind text, out why text) language sql stable as $$
  select r.kind, r.why from (select case
    when f.closed_at is not null then null
    when f.payment_id is null or f.subject <> 'payment' then null
    when f.state = 'FAILED' and f.succeeded_at is not null then array['CLOSE_WITH_ADJUSTMENT',
      'the payment failed for us and the provider says that it was made: have it returned or book it, and close the case']
    when f.state in ('SUCCEEDED', 'FAILED') then array['KEEP_WAITING',
      'evidence contradicts a final state: ask the provider which of the two is right, then close the case with what corrects the books']
    when f.state <> 'REVIEW' then array['KEEP_WAITING', 'automation is at work']
    when f.mismatch is not null then array['KEEP_WAITING',
      'an answer names another ' || f.mismatch || ': ask the provider whom its payment is for before anything is decided']
    when f.paid_otherwise is not null then array['CONFIRM_FAILED',
      'payment ' || f.paid_otherwise || ' for the same reference was made or may have been: this one must not be sent']
    when f.succeeded_at is not null and f.rejected_at is null then array['CONFIRM_SUCCEEDED',
      'the provider says that the money moved, and nothing on record says otherwise']
    when f.succeeded_at is not null then array['KEEP_WAITING',
      'the provider said both that the money moved and that it did not: ask for a written statement']
    when f.category = 'NOT_EXECUTED' then array['ALLOW_RESEND',
      'nothing moved, as is proven, and the payment was not sent in time: send it now, or call it off with CONFIRM_FAILED']
    when f.rejected_at is not null and f.accepted_at is null then array['CONFIRM_FAILED',
      'the provider refused it, and nothing on record says that the money moved']
    when f.not_found > 0 then array['KEEP_WAITING',
      'the provider does not find it, which alone proves nothing: wait for the settlement file of its day, or for a statement of the provider']
    else array['KEEP_WAITING',
      'nothing on record proves anything: look at the provider''s own pages, its settlement file and its support'] end as said) x,
    lateral (select x.said[1] as kind, x.said[2] as why) r
$$;

create function review_category_why(category text) returns text language sql immutable return case category
  when 'NOT_EXECUTED' then 'Every attempt provably did not execute, or none was made: no money moved, and it was not sent in time.'
  when 'RECEIPT_MISSING' then 'A request left or may have left, and nothing on record proves what became of it.'
  when 'STATE_CONFLICT' then 'What is on record contradicts itself: people must say which of it is true.'
  when 'DIFFERENCE' then 'What the provider settled and what our books hold differ.' end;

-- What a screen or a message shows of an amount.
create function shown_amount(amount_minor bigint, currency text) returns text language sql stable as $$
  select round(amount_minor * (10::numeric ^ -c.exponent), c.exponent)::text from currency c where c.code = currency
$$;

-- A case with everything that one needs to decide it, of bounded size: the latest attempts and evidence, and of each
-- redacted answer its beginning.
create function review_context(for_case bigint, most integer, answer_max integer) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'caseId', c.case_id, 'subject', c.subject, 'category', f.category, 'categoryWhy', review_category_why(f.category),
    'reason', left(c.reason, 1000), 'state', case when c.closed_at is null then 'OPEN' else 'CLOSED' end,
    'openedAt', c.opened_at, 'closedAt', c.closed_at, 'closedBy', c.closed_by,
    'ageSeconds', greatest(0, extract(epoch from coalesce(c.closed_at, now()) - c.opened_at))::bigint,
    'doublePay', review_double_pay(f), 'waitsUntil', review_waits_until(c.case_id),
    'escalations', coalesce((
      select jsonb_agg(jsonb_build_object('reason', x.reason, 'detail', x.detail, 'at', x.escalated_at) order by x.escalated_at)
        from review_escalation x where x.case_id = c.case_id), '[]'),
    'payment', case when p.payment_id is not null then jsonb_build_object(
      'paymentId', p.payment_id, 'caller', p.caller, 'sourceReference', p.source_reference, 'operation', p.operation,
      'provider', p.provider, 'account', p.account, 'amountMinor', p.amount_minor,
      'amount', shown_amount(p.amount_minor, p.currency), 'currency', p.currency, 'state', p.state, 'category', p.category,
      'reason', left(p.reason, 1000), 'stateSince', p.state_since, 'acceptedAt', p.accepted_at, 'firstSentAt', p.first_sent_at,
      'providerKey', p.provider_key, 'providerPaymentId', p.provider_payment_id, 'attemptCount', p.attempts,
      'queryCount', p.queries, 'nextQueryAt', (select q.due_at from outbox q where q.payment_id = p.payment_id),
      'links', jsonb_build_object('self', '/api/payments/' || p.payment_id)) end,
    'attempts', coalesce((
      select jsonb_agg(jsonb_build_object('attemptNo', a.attempt_no, 'providerKey', a.provider_key, 'startedAt', a.started_at,
               'leaseUntil', a.lease_until, 'outcome', coalesce(e.verdict, 'NONE'), 'reason', left(e.reason, 300), 'code', left(e.code, 100),
               'httpStatus', e.http_status, 'answer', left(e.answer, answer_max), 'elapsedMs', e.elapsed_ms,
               'answeredAt', e.received_at) order by a.attempt_no)
        from (select * from attempt x where x.payment_id = p.payment_id order by x.attempt_no desc limit most) a
        left join lateral (
          select * from evidence y where (y.payment_id, y.attempt_no) = (a.payment_id, a.attempt_no) and y.source in ('ANSWER', 'LEASE')
           order by y.source limit 1) e on true), '[]'),
    'evidence', coalesce((
      select jsonb_agg(jsonb_build_object('evidenceId', e.evidence_id, 'source', e.source, 'verdict', e.verdict,
               'attemptNo', e.attempt_no, 'mismatch', e.mismatch, 'providerPaymentId', e.provider_payment_id,
               'amountMinor', e.amount_minor, 'fact', e.fact, 'code', left(e.code, 100), 'reason', left(e.reason, 300),
               'httpStatus', e.http_status, 'answer', left(e.answer, answer_max), 'decisionId', e.decision_id,
               'receivedAt', e.received_at, 'opensCase', e.evidence_id is not distinct from c.evidence_id) order by e.evidence_id)
        from (select * from evidence x where x.payment_id = p.payment_id order by x.evidence_id desc limit most) e), '[]'),
    'decisions', (
      select coalesce(jsonb_agg(jsonb_build_object('kind', a.kind, 'meaning', a.meaning, 'twoPeople', a.two_people,
               'allowed', a.allowed, 'whyNot', a.why_not, 'moneySentAgain', a.money_sent_again, 'preview', a.preview,
               'supports', a.supports, 'speaksAgainst', a.speaks_against) order by a.ordinality), '[]')
        from decisions_allowed(c.case_id) with ordinality a),
    'recommended', (select case when r.kind is not null then jsonb_build_object('kind', r.kind, 'why', r.why) end
                      from review_recommendation(f) r),
    'proposal', (select decision_shown(d) from decision d
                  where d.case_id = c.case_id and d.effective_at is null and d.refused_by is null and c.closed_at is null),
    'links', jsonb_build_object('self', '/api/review/cases/' || c.case_id))
    from review_case c cross join lateral review_facts(c.case_id) f left join payment p on p.payment_id = c.payment_id
   where c.case_id = for_case
$$;
