-- Takes off what the broker has, by the node whose turn it is.
update only node_lease set done = array[cast(:?${variable.messageNo} as bigint)] where name = 'review' and holder = :?node
