-- Takes the stored events of one provider whose time has come. They are due again after half a minute, in case that
-- this node does not come to an end with them.
with due as materialized (
  select webhook_id from webhook_work w
   where w.provider = :?provider and w.due_at <= now()
   order by w.due_at, w.webhook_id
   limit cast(:?limit as integer)
     for update of w skip locked)
update webhook_work w
   set due_at = clock_timestamp() + interval '30 seconds', tries = w.tries + 1
  from due, webhook_event e
 where w.webhook_id = due.webhook_id and e.webhook_id = w.webhook_id
returning w.webhook_id, e.provider, e.event_id, e.item, e.body, e.headers -> 'content-type' ->> 0 as content_type, w.tries,
          (extract(epoch from clock_timestamp() - e.received_at) * 1000)::bigint as age_ms,
          -- Of two contents under one event id the first one counts; the other one is never applied.
          exists (select from webhook_event o
                   where o.provider = e.provider and o.event_id = e.event_id and o.webhook_id <> e.webhook_id
                     and (o.webhook_id < e.webhook_id or exists (
                       select from webhook_effect f where f.webhook_id = o.webhook_id and f.effect <> 'CONFLICT'))) as conflict
