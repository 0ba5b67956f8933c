-- What providers tell us of their own accord: kept as it came, worked on from here, applied once.

-- Each event of a believed delivery, once for each event id and content, with the whole body as it came. All events of a
-- delivery are committed together, before the provider is answered.
create table webhook_event (
  webhook_id  bigint generated always as identity primary key,
  provider    text not null references provider (name),
  event_id    text not null check (length(event_id) between 1 and 300),
  -- Which of the delivery's events, from 0.
  item        integer not null default 0 check (item between 0 and 99),
  -- Of the event, or of what it says, as the contract has it: another digest under the same event id is a conflict.
  digest      text not null check (digest ~ '^[0-9a-f]{64}$'),
  body        bytea not null check (octet_length(body) <= 262144),
  headers     jsonb not null check (jsonb_typeof(headers) = 'object'),
  scheme      text not null,
  signed_at   timestamptz,
  received_by text not null,
  received_at timestamptz not null default clock_timestamp(),
  constraint webhook_event_once unique (provider, event_id, digest)
);
create trigger append_only before update or delete or truncate on webhook_event for each statement execute function refuse_change();

-- What became of an event, once.
--   RECORDED   handed over as evidence            KNOWN      the same fact was recorded before
--   REVERSAL   money came back: a reversal        NOTHING    it says nothing that concerns a payment
--   UNLISTED   a word of no list: the state stays CONFLICT   another content came under the same event id
--   UNREADABLE signed, and not what the contract says        ORPHAN  no payment of ours appeared in time
create table webhook_effect (
  webhook_id bigint primary key references webhook_event,
  effect     text not null check (effect in
               ('RECORDED', 'KNOWN', 'REVERSAL', 'NOTHING', 'UNLISTED', 'CONFLICT', 'UNREADABLE', 'ORPHAN')),
  payment_id uuid references payment,
  fact       text check (length(fact) between 1 and 300),
  word       text check (length(word) <= 200),
  reason     text not null check (length(reason) <= 500),
  decided_by text not null,
  decided_at timestamptz not null default clock_timestamp()
);
create index webhook_effect_of_payment on webhook_effect (payment_id) where payment_id is not null;
create trigger append_only before update or delete or truncate on webhook_effect for each statement execute function refuse_change();

-- Events without an effect yet. Kept by trigger: none can be forgotten.
create table webhook_work (
  webhook_id bigint primary key references webhook_event,
  provider   text not null,
  tries      integer not null default 0 check (tries >= 0),
  due_at     timestamptz not null default clock_timestamp()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
create index webhook_work_due on webhook_work (provider, due_at);

create function webhook_event_is_work() returns trigger language plpgsql as $$
begin
  insert into webhook_work (webhook_id, provider) select webhook_id, provider from new_rows;
  return null;
end $$;
create trigger is_work after insert on webhook_event referencing new table as new_rows
  for each statement execute function webhook_event_is_work();

create function webhook_effect_ends_work() returns trigger language plpgsql as $$
begin
  delete from webhook_work w using new_rows n where w.webhook_id = n.webhook_id;
  return null;
end $$;
create trigger ends_work after insert on webhook_effect referencing new table as new_rows
  for each statement execute function webhook_effect_ends_work();

create function webhook_work_stays() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'the work on a webhook begins with its event and ends with its effect: % is refused', tg_op
      using errcode = 'PR002';
  end if;
  return null;
end $$;
create trigger stays before insert or delete or truncate on webhook_work for each statement execute function webhook_work_stays();

-- Work is put off, for a while; it stays the work on its event.
create function webhook_work_guard() returns trigger language plpgsql as $$
begin
  if (new.webhook_id, new.provider) is distinct from (old.webhook_id, old.provider)
     or new.due_at > old.due_at and new.due_at > clock_timestamp() + interval '1 day' then
    raise exception 'webhook %: its work stays its own, and is not put off for more than a day', old.webhook_id using errcode = 'PR003';
  end if;
  return new;
end $$;
create trigger guard before update on webhook_work for each row execute function webhook_work_guard();

-- Sums of what was refused since the last look of a node, by reason; never a row for each delivery.
create table webhook_refusal (
  provider text not null,
  reason   text not null,
  refused  bigint not null check (refused > 0),
  node     text not null,
  at       timestamptz not null default clock_timestamp()
);
create index webhook_refusal_newest on webhook_refusal (at desc);
create trigger append_only before update or delete or truncate on webhook_refusal for each statement execute function refuse_change();

-- What follows from the decision about a webhook: its case is closed, and its alert is over.
create function webhook_decided() returns trigger language plpgsql as $$
declare about text;
begin
  update review_case set closed_at = clock_timestamp(), closed_by = new.proposed_by
   where case_id = new.case_id and closed_at is null returning subject into about;
  perform clear_alert(kind, about, new.proposed_by) from unnest(array['ORPHAN_WEBHOOK', 'WEBHOOK_CONFLICT', 'UNREADABLE_WEBHOOK']) kind;
  return null;
end $$;
create trigger webhook_decided after update on decision for each row
  when (new.kind = 'CLOSE_WEBHOOK' and old.effective_at is null and new.effective_at is not null)
  execute function webhook_decided();
