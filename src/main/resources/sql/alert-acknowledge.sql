-- Takes note that somebody looks after an alert; who was first stays. No row when there is no such alert.
with taken as (
  update alert
     set acknowledged_at = coalesce(acknowledged_at, clock_timestamp()),
         note = case when acknowledged_at is null then :?note else note end,
         acknowledged_by = coalesce(acknowledged_by, :?actor)
   where alert_id = cast(:?alertId as bigint)
  returning *)
select alert_document(taken.*)::text as document from taken
