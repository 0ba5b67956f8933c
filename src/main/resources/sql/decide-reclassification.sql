-- Approves or refuses a reclassification; no row when there is none. Saying the same again changes nothing.
with said as (
  update reclassification
     set approved_by = case when :?decision = 'approve' then :?actor end, refused_by = case when :?decision = 'refuse' then :?actor end
   where reclassification_id = cast(:?reclassificationId as bigint)
     and not (:?decision = 'approve' and approved_by is not distinct from :?actor
              or :?decision = 'refuse' and refused_by is not distinct from :?actor)
  returning reclassification_id)
select reclassification_id from said
union
select reclassification_id from reclassification where reclassification_id = cast(:?reclassificationId as bigint)
