-- What must happen next. One row for each payment that is not final, kept by trigger: nothing can be forgotten.
--   SEND   claim it and send its attempt                    (state PENDING)
--   LEASE  its worker must have answered by then            (state SUBMITTING)
--   QUERY  ask the provider what became of it               (states PROCESSING, UNKNOWN, REVIEW)
create table outbox (
  payment_id uuid primary key references payment,
  provider   text not null,
  task       text not null check (task in ('SEND', 'LEASE', 'QUERY')),
  due_at     timestamptz not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
create index outbox_due on outbox (provider, task, due_at);

-- What the topic payments.events has not yet, in order: transitions, and reversals of final payments. Emptied by the node
-- that publishes, through node_lease.
create table event_outbox (
  event_no      bigint generated always as identity primary key,
  transition_id bigint references transition,
  reversal_id   bigint,
  check (num_nonnulls(transition_id, reversal_id) = 1)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);

-- Work that one node at a time does, and until when it may. Decided on the database's clock.
create table node_lease (
  name       text primary key,
  holder     text not null,
  held_until timestamptz not null,
  -- Numbers of messages that the broker has, as the holder tells. They leave the outbox of that name, and this is empty again.
  done       bigint[] check (done is null)
);
insert into node_lease (name, holder, held_until) values ('events', 'nobody', '-infinity');

-- The database cannot know what the broker has. It holds that a message leaves by its number only, and only when the node
-- whose turn it is says so: no statement of another kind takes one off.
create function messages_done() returns trigger language plpgsql as $$
begin
  if new.holder <> old.holder then
    raise exception 'messages of % are taken off by the node that published them', new.name using errcode = 'PR002';
  end if;
  if new.name = 'events' then
    delete from event_outbox where event_no = any (new.done);
  elsif new.name = 'review' then
    delete from review_outbox where message_no = any (new.done);
  else
    raise exception '% has no outbox', new.name using errcode = 'PR002';
  end if;
  new.done := null;
  return new;
end $$;
create trigger messages_done before update on node_lease for each row when (new.done is not null) execute function messages_done();
