-- Alerts, newest first, as one document; nextBefore is the "before" of the next page. Empty text means: any.
with page as (
  select a as row, a.alert_id, row_number() over (order by a.alert_id desc) as n
    from alert a
   where (:?open = '' or (a.cleared_at is null)::text = :?open)
     and (:?kind = '' or a.kind = :?kind)
     and (:?severity = '' or a.severity = :?severity)
     and (:?subject = '' or a.subject = :?subject)
     and a.alert_id < cast(:?before as bigint)
   order by a.alert_id desc
   limit cast(:?limit as integer) + 1)
select json_build_object(
  'items', coalesce(json_agg(alert_document(page.row) order by n) filter (where n <= cast(:?limit as integer)), '[]'),
  'nextBefore', case when count(*) > cast(:?limit as integer) then min(alert_id) filter (where n <= cast(:?limit as integer)) end)::text as document
  from page
