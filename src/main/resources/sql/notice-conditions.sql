-- Raises an alert for each condition that holds and has none, and ends those whose condition is over. One node at a time
-- looks. What is noticed again is counted once a minute. Ages in seconds.
with mine as materialized (
  update node_lease set holder = :?node, held_until = now() + interval '15 seconds'
   where name = 'alerts' and (holder = :?node or held_until < now())
  returning name),
found (kind, subject, detail) as materialized (
  select 'UNKNOWN_OLD', o.provider, count(*) || ' payments, the oldest since ' || to_char(min(p.state_since) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    from outbox o join payment p using (payment_id)
   where o.task = 'QUERY' and p.state = 'UNKNOWN' and p.state_since < now() - cast(:?unknownAge as integer) * interval '1 second'
   group by o.provider
  union all
  select 'DEAD_LETTERS', 'payments.dead-letters', cast(:?deadLetters as text) || ' messages'
   where cast(:?deadLetters as bigint) > 0
  union all
  select 'ORPHAN_FOUND', p.provider, count(*) || ' attempts, the first at ' || to_char(min(e.received_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    from evidence e join payment p using (payment_id)
   where e.source = 'LEASE' and e.received_at > now() - interval '15 minutes'
   group by p.provider
  union all
  select 'OUTBOX_STUCK', o.provider || '/' || o.task, count(*) || ' tasks, the oldest due at ' || to_char(min(o.due_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    from outbox o join provider v on v.name = o.provider
   where o.due_at < now() - cast(:?outboxLag as integer) * interval '1 second'
     and not (o.task = 'SEND' and (v.paused or exists (select from exposure_stop s where s.provider = o.provider)))
   group by o.provider, o.task
  union all
  select 'OUTBOX_STUCK', 'events', count(*) || ' events, the oldest of ' || to_char(min(t.at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    from event_outbox join transition t using (transition_id)
   where t.at < now() - cast(:?outboxLag as integer) * interval '1 second'
  having count(*) > 0),
raised as (
  insert into alert as a (kind, subject, severity, detail)
  select f.kind, f.subject, k.severity, f.detail from mine, found f join alert_kind k using (kind)
  on conflict (kind, subject) where cleared_at is null
  do update set occurrences = a.occurrences + 1, last_at = clock_timestamp()
   where a.last_at < clock_timestamp() - interval '1 minute'
  returning a.alert_id)
update alert a
   set cleared_at = clock_timestamp(), cleared_by = :?node
  from mine
 where a.cleared_at is null and a.kind in ('UNKNOWN_OLD', 'DEAD_LETTERS', 'ORPHAN_FOUND', 'OUTBOX_STUCK')
   and not exists (select from found f where (f.kind, f.subject) = (a.kind, a.subject))
returning a.alert_id
