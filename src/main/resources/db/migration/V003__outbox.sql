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

-- What the topic payments.events has not yet, in order: transitions, and reversals of final payments. Emptied by the publisher.
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
  held_until timestamptz not null
);
insert into node_lease (name, holder, held_until) values ('events', 'nobody', '-infinity');
