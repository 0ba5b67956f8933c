-- Alerts that were raised or are over and whose message is not sent yet, oldest first. One node at a time publishes; a
-- node that stops loses its turn, and what it sent may be sent again with the same id.
with mine as materialized (
  update node_lease set holder = :?node, held_until = now() + interval '15 seconds'
   where name = 'alerts' and (holder = :?node or held_until < now())
  returning name),
due as (
  select a.alert_id, 'RAISED' as happened from alert a where a.sent_at is null
  union all
  select a.alert_id, 'CLEARED' from alert a where a.cleared_at is not null and a.cleared_sent_at is null
   order by 1, 2 desc
   limit 200)
select a.alert_id || ':' || d.happened as message_id, a.alert_id, d.happened, a.kind, a.severity,
       a.subject, a.detail,
       json_build_object(
         'id', a.alert_id || ':' || d.happened, 'alertId', a.alert_id, 'status', d.happened, 'kind', a.kind,
         'severity', a.severity, 'subject', a.subject, 'detail', a.detail, 'meaning', k.meaning, 'action', k.action,
         'raisedAt', to_char(a.raised_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
         'clearedAt', case d.happened when 'CLEARED' then to_char(a.cleared_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') end,
         'clearedBy', case d.happened when 'CLEARED' then a.cleared_by end)::text as message
  from mine, due d join alert a using (alert_id) left join alert_kind k using (kind)
 order by a.alert_id, d.happened desc
