-- Pauses (true) or resumes (false) the sends of one provider; no row when there is no such provider.
update provider
   set paused = cast(:?paused as boolean),
       paused_by = case when cast(:?paused as boolean) then :?actor end,
       paused_reason = case when cast(:?paused as boolean) then :?reason end,
       paused_at = case when cast(:?paused as boolean) then clock_timestamp() end
 where name = :?name
returning name, account, can_query, paused, paused_by, paused_reason,
          to_char(paused_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as paused_at
