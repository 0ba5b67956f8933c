-- Proposes the decisions of one import, all or none, under one number. A second person approves them together.
with batch as materialized (select nextval('settlement_batch') as no),
told as (
  select * from jsonb_to_recordset(cast(:?decisions as jsonb)) as t ("lineId" bigint, kind text, "paymentId" text, reason text)),
proposed as (
  insert into decision (case_id, kind, details, reason, proposed_by)
  select c.case_id, t.kind, jsonb_strip_nulls(jsonb_build_object('batch', b.no, 'paymentId', t."paymentId")), t.reason, :?actor
    from told t cross join batch b join review_case c on c.subject = 'settlement-line:' || t."lineId" and c.closed_at is null
  returning decision_id, (details ->> 'batch')::bigint as batch)
select coalesce(min(batch), 0) as batch, count(*) as decisions, (select count(*) from told) as told from proposed
