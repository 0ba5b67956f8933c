-- The providers, one row each.
select name, account, can_query, paused, paused_by, paused_reason,
       to_char(paused_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as paused_at, exposure_document(name)::text as exposure
  from provider order by name
