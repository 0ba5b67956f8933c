-- The next new readings that were approved, as rows for record-evidence.sql.
select i.reclassification_id, i.evidence_id, i.payment_id::text as payment_id, e.attempt_no, 'RECLASSIFICATION' as source, i.verdict,
       i.mismatch, i.provider_payment_id, i.amount_minor, 'reclassified:' || i.evidence_id || ':' || i.reclassification_id as fact, i.code,
       left('read again (' || r.reason || '): ' || i.reason, 300) as reason, e.http_status,
       left(r.proposed_by || ' and ' || r.approved_by, 200) as recorded_by
  from reclassification r join reclassification_item i using (reclassification_id) join evidence e using (evidence_id)
 where r.approved_at is not null and r.applied_at is null and i.applied_at is null
 order by i.reclassification_id, i.evidence_id
 limit 100
