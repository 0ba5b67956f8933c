-- Keeps one believed delivery. The same content under the same event id is kept once: then no row comes back.
insert into webhook_event (provider, event_id, digest, body, headers, scheme, signed_at, received_by)
values (:?provider, :?eventId, :?digest, :?content, cast(:?headers as jsonb), :?scheme,
        to_timestamp(cast(nullif(:?signedAt, '') as numeric) / 1000), :?node)
on conflict on constraint webhook_event_once do nothing
returning webhook_id
