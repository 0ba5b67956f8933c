-- Pauses (true) or resumes (false) the sends of one provider, and keeps who did it and why; no row when there is no such
-- provider. Resumed with overrideMinutes above 0, its limits of exposure are raised for so long.
with changed as (
  update provider
     set paused = cast(:?paused as boolean),
         paused_by = case when cast(:?paused as boolean) then :?actor end,
         paused_reason = case when cast(:?paused as boolean) then :?reason end,
         paused_at = case when cast(:?paused as boolean) then clock_timestamp() end
   where name = :?name
  returning name, account, can_query, paused, paused_by, paused_reason, paused_at),
history as (
  insert into provider_stop_history (provider, action, actor, reason, raise_percent, until_at)
  select name, case when paused then 'PAUSED' else 'RESUMED' end, :?actor, :?reason, null, null from changed
  union all
  select name, 'OVERRIDDEN', :?actor, :?reason, cast(:?raisePercent as smallint),
         clock_timestamp() + cast(:?overrideMinutes as integer) * interval '1 minute'
    from changed where cast(:?overrideMinutes as integer) > 0)
select name, account, can_query, paused, paused_by, paused_reason,
       to_char(paused_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as paused_at, exposure_document(name)::text as exposure
  from changed
