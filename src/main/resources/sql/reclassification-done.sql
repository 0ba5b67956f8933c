update reclassification r set applied_at = clock_timestamp()
 where r.approved_at is not null and r.applied_at is null
   and not exists (select from reclassification_item i where i.reclassification_id = r.reclassification_id and i.applied_at is null)
