-- One reclassification with its first thousand differences, as JSON; no row when there is none.
select json_build_object(
  'reclassificationId', r.reclassification_id, 'provider', r.provider, 'from', r.received_from, 'to', r.received_to,
  'reason', r.reason, 'answers', r.answers, 'unreadable', r.unreadable, 'differences', r.differences,
  'state', case when r.applied_at is not null then 'APPLIED' when r.approved_by is not null then 'APPROVED'
                when r.refused_by is not null then 'REFUSED' when r.differences = 0 then 'NOTHING_DIFFERS' else 'PROPOSED' end,
  'proposedBy', r.proposed_by, 'proposedAt', r.proposed_at, 'approvedBy', r.approved_by, 'approvedAt', r.approved_at,
  'refusedBy', r.refused_by, 'refusedAt', r.refused_at, 'appliedAt', r.applied_at,
  'items', coalesce((
    select json_agg(json_build_object('paymentId', i.payment_id, 'evidenceId', i.evidence_id, 'oldVerdict', i.old_verdict,
             'newVerdict', i.verdict, 'mismatch', i.mismatch, 'reason', i.reason, 'paymentState', i.payment_state,
             'wouldFollow', i.would_follow, 'appliedAt', i.applied_at, 'outcome', i.outcome,
             'links', json_build_object('self', '/api/payments/' || i.payment_id)) order by i.evidence_id)
      from (select * from reclassification_item i where i.reclassification_id = r.reclassification_id
             order by i.evidence_id limit 1000) i), '[]'),
  'links', json_build_object('self', '/api/reclassifications/' || r.reclassification_id))::text as document
  from reclassification r where r.reclassification_id = cast(:?reclassificationId as bigint)
