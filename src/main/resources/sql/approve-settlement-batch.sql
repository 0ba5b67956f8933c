-- Approves all decisions of an import that wait, as the second person; all or none.
with approved as (
  update decision set approved_by = :?actor
   where details ->> 'batch' is not null and (details ->> 'batch')::bigint = cast(:?batch as bigint) and effective_at is null and refused_by is null
  returning decision_id)
select count(*) as decisions from approved
