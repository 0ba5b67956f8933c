delete from event_outbox where event_no in (select value::bigint from jsonb_array_elements_text(cast(:?${body} as jsonb)))
