-- What operators ask for by hand, within bounds.

-- How often something was done in a window of time. Decided on the database's clock, for all nodes together.
create table operator_limit (
  scope       text primary key,
  window_from timestamptz not null,
  used        integer not null
);

-- Takes up to so many of what is allowed in a window that begins with the first; answers how many it got.
create function take_allowance(of_scope text, wanted integer, allowed integer, window_s integer) returns integer
language plpgsql as $$
declare
  seen operator_limit;
  granted integer;
begin
  insert into operator_limit (scope, window_from, used) values (of_scope, now(), 0) on conflict do nothing;
  select * into seen from operator_limit where scope = of_scope for update;
  if seen.window_from <= now() - window_s * interval '1 second' or seen.window_from > now() then
    seen.window_from := now();
    seen.used := 0;
  end if;
  granted := greatest(0, least(wanted, allowed - seen.used));
  update operator_limit set window_from = seen.window_from, used = seen.used + granted where scope = of_scope;
  return granted;
end $$;

-- Who asked for what and when.
create table payment_refresh (
  refresh_id   bigint generated always as identity primary key,
  payment_id   uuid not null references payment,
  asked_by     text not null check (length(asked_by) between 1 and 200),
  was_due_at   timestamptz not null,
  requested_at timestamptz not null default clock_timestamp()
);
create trigger append_only before update or delete or truncate on payment_refresh for each statement execute function refuse_change();

-- Makes the next query of a payment due now. Never leads to a send: only states that are asked about are touched, and
-- only their time. Answers what will happen, or why nothing will.
create function refresh_payment(id uuid, by_whom text, payment_s integer, provider_per_minute integer) returns json
language plpgsql as $$
declare
  p payment;
  v provider;
begin
  select * into p from payment where payment_id = id for update;
  if not found then
    return null;
  end if;
  select * into v from provider where name = p.provider;
  if p.state in ('SUCCEEDED', 'FAILED') then
    return json_build_object('result', 'FINAL', 'state', p.state);
  elsif p.state in ('PENDING', 'SUBMITTING') then
    return json_build_object('result', p.state, 'state', p.state, 'dueAt', p.due_at);
  elsif not can_be_asked(v, p.provider_payment_id) then
    return json_build_object('result', 'CANNOT_BE_ASKED', 'state', p.state, 'provider', p.provider);
  elsif take_allowance('refresh:' || id, 1, 1, payment_s) = 0 then
    return json_build_object('result', 'TOO_OFTEN', 'state', p.state, 'retryAfter', payment_s);
  elsif take_allowance('refresh:' || p.provider, 1, provider_per_minute, 60) = 0 then
    return json_build_object('result', 'TOO_MANY', 'state', p.state, 'provider', p.provider, 'retryAfter', 60);
  end if;
  insert into payment_refresh (payment_id, asked_by, was_due_at) values (id, by_whom, p.due_at);
  update payment set due_at = least(due_at, clock_timestamp()) where payment_id = id;
  return json_build_object('result', 'ASKED', 'paymentId', id, 'state', p.state, 'provider', p.provider,
                           'wasDueAt', p.due_at, 'queryCount', p.queries);
end $$;
