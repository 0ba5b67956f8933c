-- Keeps the events of one believed delivery, all or none. The same content under the same event id is kept once: then no
-- row comes back. In an order of their own, so that two deliveries of the same events never wait for each other in a ring.
insert into webhook_event (provider, event_id, digest, item, body, headers, scheme, signed_at, received_by)
select :?provider, e.event_id, e.digest, e.item, :?content, cast(:?headers as jsonb), :?scheme,
       to_timestamp(cast(nullif(:?signedAt, '') as numeric) / 1000), :?node
  from jsonb_to_recordset(cast(:?events as jsonb)) as e (event_id text, digest text, item integer)
 order by e.event_id, e.digest
on conflict on constraint webhook_event_once do nothing
returning webhook_id
