delete from event_outbox where transition_id in (select value::bigint from jsonb_array_elements_text(cast(:?${body} as jsonb)))
