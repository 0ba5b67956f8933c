-- What follows from an accepted payment and from each change of its state, in the same statement.

-- What follows from an accepted payment: history, outbox, event and the PaymentRequested posting.
create function payment_accepted() returns trigger language plpgsql as $$
declare bad uuid;
begin
  select payment_id into bad from new_rows
   where (version, generation, generation_since, attempts, queries, inconclusive, given_back_minor, confirmed_minor)
         <> (1, 0, 1, 0, 0, 0, 0, 0) or reversal_waits or in_doubt or resend_at is not null
      or coalesce(first_sent_at::text, provider_payment_id, evidence_id::text) is not null
      or greatest(accepted_at, state_since) > clock_timestamp() + interval '1 minute' or not isfinite(accepted_at)
      or due_at > clock_timestamp() + interval '366 days'
   limit 1;
  if found then
    raise exception 'payment %: a payment begins unsent, now, and without a history', bad using errcode = 'PR003';
  end if;
  -- What is being recorded of an earlier payment for it that is FAILED is waited for: it may be a late success. Where it is
  -- recorded later, it sees this payment and stops it.
  perform from payment f join new_rows n on (f.source_reference, f.caller, f.operation) = (n.source_reference, n.caller, n.operation)
    where f.state = 'FAILED' for key share of f;
  select n.payment_id into bad
    from new_rows n join payment f on (f.source_reference, f.caller, f.operation) = (n.source_reference, n.caller, n.operation)
     and f.state = 'FAILED'
    join review_case c on c.payment_id = f.payment_id and c.subject = 'payment' and c.closed_at is null limit 1;
  if found then
    raise exception 'payment %: an earlier payment for its source reference is being reviewed', bad using errcode = 'PR008';
  end if;

  with recorded as (
    insert into transition (payment_id, version, from_state, to_state, category, reason, actor, attempt_no, evidence_id, at)
    select payment_id, version, 'NONE', state, category, reason, actor, current_attempt, evidence_id, state_since from new_rows
    returning transition_id)
  insert into event_outbox (transition_id) select transition_id from recorded;

  insert into outbox (payment_id, provider, task, due_at) select payment_id, provider, 'SEND', due_at from new_rows;

  insert into ledger_posting (event, fact, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
  select ledger_event(n.operation, 'RELEASED', n.position), n.payment_id || ':' || n.version, n.payment_id, n.provider,
         case n.operation when 'CHARGE' then new_place.account else old_place.account end,
         case n.operation when 'CHARGE' then old_place.account else new_place.account end,
         n.amount_minor, n.currency, n.reason, n.actor
    from new_rows n
    join ledger_position old_place on (old_place.operation, old_place.position) = (n.operation, 'RELEASED')
    join ledger_position new_place on (new_place.operation, new_place.position) = (n.operation, n.position);
  return null;
end $$;
create trigger accepted after insert on payment referencing new table as new_rows
  for each statement execute function payment_accepted();

-- Whether this evidence is what people decided about the open case of the payment, and leads to this state. A decision
-- about an earlier case says nothing of this one.
create function decided_by_people(payment uuid, proof bigint, becomes text) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from evidence e join decision d on d.decision_id = e.decision_id join review_case c on c.case_id = d.case_id
     where e.evidence_id = proof and e.payment_id = payment and e.source = 'DECISION' and d.effective_at is not null
       and c.payment_id = payment and c.subject = 'payment' and c.closed_at is null
       and case becomes when 'PENDING' then d.kind = 'ALLOW_RESEND'
                        when 'UNKNOWN' then d.kind = 'KEEP_WAITING' and d.details -> 'handBack' = 'true'
                        when 'SUCCEEDED' then d.kind = 'CONFIRM_SUCCEEDED'
                        when 'FAILED' then d.kind = 'CONFIRM_FAILED' else false end);
end $$;

-- What follows from a change of state: history, permit check, outbox, event, posting, review case.
create function payment_moved() returns trigger language plpgsql as $$
declare
  bad record;
  among record;
begin
  -- What there is among these changes: what follows runs only where it has something to do or to find.
  -- Always a full join: it is never planned as a nested loop, and the plan that is made for one row is kept for thousands.
  select bool_or(n.state <> o.state) as moved,
         bool_or(n.state = 'PENDING' and o.state <> 'PENDING') as waits_again,
         bool_or(n.state = 'FAILED' and o.state = 'PENDING' and n.attempts > 0) as called_off,
         bool_or(n.state = 'SUBMITTING' and o.state = 'PENDING') as claimed,
         min(case when n.state = 'SUBMITTING' and o.state = 'PENDING' and not n.in_doubt then n.provider end) as claimed_first,
         max(case when n.state = 'SUBMITTING' and o.state = 'PENDING' and not n.in_doubt then n.provider end) as claimed_last,
         bool_or(n.due_at > o.due_at and n.due_at > clock_timestamp() + interval '366 days') as forgotten,
         bool_or(n.state <> o.state and n.state in ('SUCCEEDED', 'FAILED', 'PROCESSING') and not (o.state = 'PENDING' and n.state = 'FAILED')) as told,
         bool_or(n.state <> 'REVIEW' and o.state = 'REVIEW') as reviewed,
         bool_or(n.category = 'NOT_EXECUTED' and o.state <> 'REVIEW') as not_executed,
         bool_or(n.provider_payment_id is distinct from o.provider_payment_id) as named,
         bool_or(n.confirmed_minor <> o.confirmed_minor) as part_confirmed,
         bool_or(n.state in ('SUCCEEDED', 'FAILED')) as closed,
         bool_or(n.state not in ('SUCCEEDED', 'FAILED') and (n.state <> o.state or n.due_at <> o.due_at)) as scheduled,
         bool_or(n.position <> o.position) as booked,
         bool_or(n.category is distinct from o.category) as categorized
    into among
    from new_rows n full join old_rows o using (payment_id);

  if among.moved then
    with recorded as (
      insert into transition (payment_id, version, from_state, to_state, category, reason, actor, attempt_no, evidence_id, at)
      select n.payment_id, n.version, n.from_state, n.state, n.category, n.reason, n.actor, n.current_attempt, n.evidence_id, n.state_since
        from (select n.*, o.state as from_state from new_rows n full join old_rows o using (payment_id) offset 0) n
       where n.state <> n.from_state
      returning transition_id)
    insert into event_outbox (transition_id) select transition_id from recorded;
  end if;

  if among.waits_again then
    -- Back to PENDING: only with a permit for exactly the next attempt, of a kind that this state allows, and that nothing
    -- since it was granted speaks against.
    select n.payment_id, o.state into bad
      from new_rows n join old_rows o using (payment_id)
      left join resend_permit r on (r.payment_id, r.for_attempt) = (n.payment_id, n.attempts + 1)
     where n.state = 'PENDING' and o.state <> 'PENDING'
       and (r.kind is null
         or speaks_against_resend(n.payment_id, n.attempts)
         or not case o.state
           when 'SUBMITTING' then r.kind = 'NOT_EXECUTED'
           when 'UNKNOWN' then r.kind in ('NOT_EXECUTED', 'SAME_KEY', 'NOT_FOUND_FINAL', 'ABSENT_FROM_SETTLEMENT', 'AT_LEAST_ONCE')
             and not (r.kind in ('NOT_FOUND_FINAL', 'ABSENT_FROM_SETTLEMENT') and is_known_there(o))
           when 'FAILED' then r.kind = 'RETRY_AFTER_REJECTION' and retry_is_wanted(o)
           -- From a review, by two people; with a permit from before, which they let stand, unless there is a conflict.
           else (r.kind = 'TWO_PEOPLE' or o.category <> 'STATE_CONFLICT') and decided_by_people(n.payment_id, n.evidence_id, n.state) end
         or n.in_doubt <> (o.state = 'UNKNOWN' and r.kind in ('SAME_KEY', 'AT_LEAST_ONCE')))
     limit 1;
    if found then
      raise exception 'payment %: % -> PENDING needs a resend permit for the next attempt', bad.payment_id, bad.state
        using errcode = 'PR006';
    end if;
  end if;

  if among.called_off then
    -- A payment is called off before any send, or after sends that provably did not execute.
    select n.payment_id into bad
      from new_rows n join old_rows o using (payment_id)
     where o.state = 'PENDING' and n.state = 'FAILED' and n.attempts > 0
       and not refusal_is_proven(n.payment_id, n.attempts, n.evidence_id)
       and (earlier_attempt_in_doubt(n.payment_id, n.attempts + 1) or speaks_against_resend(n.payment_id, n.attempts))
     limit 1;
    if found then
      raise exception 'payment %: it may have been sent, so it cannot be called off', bad.payment_id using errcode = 'PR006';
    end if;
  end if;

  if among.claimed then
    -- Nothing is sent again over evidence that it may have been paid, and no lease is longer than the contract's.
    select n.payment_id into bad
      from (select n.*, o.state as from_state, o.in_doubt and waits_too_long(o) as too_late
              from new_rows n full join old_rows o using (payment_id) offset 0) n
      join provider v on v.name = n.provider
     where n.state = 'SUBMITTING' and n.from_state = 'PENDING'
       and (n.attempts > 1 and speaks_against_resend(n.payment_id, n.attempts - 1)
         -- Under a lease that is over nothing is sent: after a restore it stands for a request that is no longer on record.
         -- A refund waits while people look at what is left of its payment.
         or n.due_at > clock_timestamp() and (n.too_late or n.refund_of is not null and refund_waits(n.refund_of))
         or n.due_at > clock_timestamp() + (v.lease_ms + 1000) * interval '1 millisecond')
     limit 1;
    if found then
      raise exception 'payment %: it may have been paid already, or its key or its lease is not as the contract says', bad.payment_id using errcode = 'PR006';
    end if;
  end if;
  if among.claimed_first is not null then
    -- Nothing new is sent to a provider while the money in doubt there is at its limit. A claim of ours is of one provider.
    if exposure_stopped(among.claimed_first) or among.claimed_last <> among.claimed_first and exists (
         select from (select distinct provider from new_rows where state = 'SUBMITTING') n where exposure_stopped(n.provider)) then
      raise exception 'provider %: the money in doubt is at its limit, so nothing new is claimed', among.claimed_first using errcode = 'PR025';
    end if;
  end if;
  if among.forgotten then
    select n.payment_id into bad from new_rows n join old_rows o using (payment_id)
     where n.due_at > o.due_at and n.due_at > clock_timestamp() + interval '366 days' limit 1;
    if found then
      raise exception 'payment %: due in more than a year is forgotten', bad.payment_id using errcode = 'PR003';
    end if;
  end if;

  if among.told then
    -- A state that says what happened needs evidence of this payment that says so, unless nothing was ever sent. FAILED
    -- also needs that it is about the last attempt, and that no success is on record, unless people decided.
    select n.payment_id, n.state into bad
      from (select n.*, o.state as from_state from new_rows n full join old_rows o using (payment_id) offset 0) n
      left join evidence e on e.evidence_id = n.evidence_id and e.payment_id = n.payment_id and e.mismatch is null
     where n.state <> n.from_state and n.state in ('SUCCEEDED', 'FAILED', 'PROCESSING') and not (n.from_state = 'PENDING' and n.state = 'FAILED')
       and (n.from_state = 'PENDING' and n.attempts = 0
         or e.verdict is distinct from
              case n.state when 'SUCCEEDED' then 'SUCCEEDED' when 'FAILED' then 'REJECTED' else 'ACCEPTED' end
         or n.state = 'SUCCEEDED' and e.provider_payment_id is not null and exists (
              select from provider_payment x
               where (x.provider, x.account, x.operation, x.provider_payment_id)
                   = (n.provider, n.account, n.operation, e.provider_payment_id) and x.payment_id <> n.payment_id)
         -- What others tell of a refusal waits until the request is no longer on the wire.
         or n.state = 'FAILED' and n.from_state = 'SUBMITTING' and not exists (
              select from evidence w where w.payment_id = n.payment_id and w.attempt_no = n.attempts and w.source in ('ANSWER', 'LEASE'))
         or n.state = 'FAILED' and not refusal_is_proven(n.payment_id, n.attempts, n.evidence_id))
     limit 1;
    if found then
      raise exception 'payment %: % needs evidence that proves it', bad.payment_id, bad.state using errcode = 'PR007';
    end if;
  end if;

  if among.reviewed then
    -- Automation gets a review back from people only, and a conflict is theirs whatever becomes of it.
    select n.payment_id, n.state into bad
      from new_rows n join old_rows o using (payment_id)
     where o.state = 'REVIEW' and n.state <> 'REVIEW' and (n.state = 'UNKNOWN' or o.category = 'STATE_CONFLICT')
       and not decided_by_people(n.payment_id, n.evidence_id, n.state)
     limit 1;
    if found then
      raise exception 'payment %: REVIEW -> % is decided by people', bad.payment_id, bad.state using errcode = 'PR007';
    end if;
  end if;

  if among.not_executed then
    -- Called NOT_EXECUTED, people will pay it again: it needs that proof too.
    select n.payment_id into bad
      from new_rows n join old_rows o using (payment_id)
      left join evidence e on e.evidence_id = n.evidence_id and e.payment_id = n.payment_id and e.mismatch is null
       and e.verdict = 'NOT_EXECUTED' and e.source = 'ANSWER' and e.attempt_no = n.attempts
     where n.category = 'NOT_EXECUTED' and o.state <> 'REVIEW'
       and (o.state <> 'PENDING' and e.evidence_id is null
         or earlier_attempt_in_doubt(n.payment_id, n.attempts + (o.state = 'PENDING')::int)
         or n.attempts > 0 and speaks_against_resend(n.payment_id, n.attempts))
     limit 1;
    if found then
      raise exception 'payment %: REVIEW as NOT_EXECUTED needs evidence that proves it', bad.payment_id using errcode = 'PR007';
    end if;
  end if;

  if among.named then
    -- The payment id of the provider that a payment goes by is one that belongs to it.
    select n.payment_id into bad
      from (select n.*, o.provider_payment_id as known_id from new_rows n full join old_rows o using (payment_id) offset 0) n
     where n.provider_payment_id is distinct from n.known_id
       and not exists (select from provider_payment x
                        where (x.provider, x.account, x.operation, x.provider_payment_id, x.payment_id)
                            = (n.provider, n.account, n.operation, n.provider_payment_id, n.payment_id))
     limit 1;
    if found then
      raise exception 'payment %: this payment id of the provider is not its own', bad.payment_id using errcode = 'PR007';
    end if;
  end if;

  if among.part_confirmed then
    -- A part that is booked as confirmed is one that evidence names, and leaves the payment to people.
    select n.payment_id into bad
      from new_rows n join old_rows o using (payment_id)
     where n.confirmed_minor <> o.confirmed_minor
       and (n.category is distinct from 'STATE_CONFLICT' or not exists (
         select from evidence e where e.payment_id = n.payment_id and e.verdict = 'SUCCEEDED' and e.mismatch = 'amount'
            and e.amount_minor = n.confirmed_minor))
     limit 1;
    if found then
      raise exception 'payment %: no evidence names the part that is to be confirmed', bad.payment_id using errcode = 'PR007';
    end if;
  end if;

  if among.closed then
    delete from outbox q using new_rows n where q.payment_id = n.payment_id and n.state in ('SUCCEEDED', 'FAILED');
  end if;
  if among.scheduled then
    insert into outbox (payment_id, provider, task, due_at)
    select n.payment_id, n.provider,
           case n.state when 'PENDING' then 'SEND' when 'SUBMITTING' then 'LEASE' else 'QUERY' end, n.due_at
      from (select n.*, o.state as from_state, o.due_at as from_due_at from new_rows n full join old_rows o using (payment_id) offset 0) n
     where n.state not in ('SUCCEEDED', 'FAILED') and (n.state <> n.from_state or n.due_at <> n.from_due_at)
    on conflict (payment_id) do update set task = excluded.task, due_at = excluded.due_at;
  end if;

  if among.booked then
    insert into ledger_posting (event, fact, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
    select ledger_event(n.operation, n.from_position, n.position),
           n.payment_id || ':' || n.version || case when n.state = n.from_state then ':conflict' else '' end, n.payment_id, n.provider,
           case n.operation when 'CHARGE' then new_place.account else old_place.account end,
           case n.operation when 'CHARGE' then old_place.account else new_place.account end,
           n.amount_minor - n.from_confirmed, n.currency, n.reason, n.actor
      from (select n.*, o.state as from_state, o.position as from_position, o.confirmed_minor as from_confirmed
              from new_rows n full join old_rows o using (payment_id) offset 0) n
      join ledger_position old_place on (old_place.operation, old_place.position) = (n.operation, n.from_position)
      join ledger_position new_place on (new_place.operation, new_place.position) = (n.operation, n.position)
     where n.position <> n.from_position;
  end if;

  -- The part that moved is confirmed; what moves later is the rest.
  if among.part_confirmed then
    insert into ledger_posting (event, fact, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
    select case n.operation when 'REFUND' then 'RefundPartlyConfirmed' else 'PaymentPartlyConfirmed' end,
           n.payment_id || ':' || n.version || ':part-' || n.confirmed_minor, n.payment_id, n.provider,
           case n.operation when 'CHARGE' then new_place.account else old_place.account end,
           case n.operation when 'CHARGE' then old_place.account else new_place.account end,
           n.confirmed_minor - o.confirmed_minor, n.currency, n.reason, n.actor
      from new_rows n join old_rows o using (payment_id)
      join ledger_position old_place on (old_place.operation, old_place.position) = (n.operation, n.position)
      join ledger_position new_place on (new_place.operation, new_place.position) = (n.operation, 'CONFIRMED')
     where n.confirmed_minor <> o.confirmed_minor;
  end if;

  if among.categorized then
    update review_case c set closed_at = clock_timestamp(), closed_by = n.actor
      from new_rows n join old_rows o using (payment_id)
     where c.payment_id = n.payment_id and c.subject = 'payment' and c.closed_at is null and c.category = o.category and n.category is distinct from o.category;
    insert into review_case (payment_id, category, reason, evidence_id)
    select n.payment_id, n.category, n.reason, n.evidence_id
      from new_rows n join old_rows o using (payment_id) where n.state = 'REVIEW' and n.category is distinct from o.category
    on conflict (payment_id) where closed_at is null and subject = 'payment' do nothing;
  end if;
  return null;
end $$;
create trigger moved after update on payment referencing old table as old_rows new table as new_rows
  for each statement execute function payment_moved();
