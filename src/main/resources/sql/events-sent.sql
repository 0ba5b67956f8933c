-- Takes off what the broker has. A node that lost its turn takes nothing off: the next one sends it again with the same id.
update only node_lease set done = array(select value::bigint from jsonb_array_elements_text(cast(:?${body} as jsonb)))
 where name = 'events' and holder = :?node
