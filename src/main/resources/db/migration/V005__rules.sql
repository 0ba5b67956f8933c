-- The rules that no edited route can break: what may change, when, and what follows from it.

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: it is append-only', tg_op, tg_table_name using errcode = 'PR001';
end $$;

create trigger append_only before update or delete or truncate on attempt for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on evidence for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on resend_permit for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on transition for each statement execute function refuse_change();
create trigger append_only before delete or truncate on provider_payment for each statement execute function refuse_change();
create trigger never_reassigned before update on provider_payment for each row when (old.* is distinct from new.*)
  execute function refuse_change();
create trigger append_only before update or delete or truncate on ledger_posting for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on legal_transition for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on ledger_position for each statement execute function refuse_change();
create trigger append_only before delete or truncate on payment for each statement execute function refuse_change();
create trigger append_only before delete or truncate on review_case for each statement execute function refuse_change();

-- Histories that only the rules below may write.
create function written_by_rules_only() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception '% is written by the rules of the schema, not by a statement', tg_table_name using errcode = 'PR002';
  end if;
  return null;
end $$;
create trigger rules_only before insert on transition for each statement execute function written_by_rules_only();
create trigger rules_only before insert or update or truncate on outbox for each statement execute function written_by_rules_only();

-- The outbox row of an open payment cannot be deleted, except by the rule that closes the payment.
create function outbox_row_stays() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'an outbox row is deleted by the rules of the schema only: the payment would be forgotten'
      using errcode = 'PR002';
  end if;
  return null;
end $$;
create trigger row_stays before delete on outbox for each statement execute function outbox_row_stays();

-- What one row must satisfy by itself.
create function payment_guard() returns trigger language plpgsql as $$
begin
  if (new.payment_id, new.caller, new.request_key, new.fingerprint, new.source_reference, new.operation, new.provider,
      new.account, new.amount_minor, new.currency, new.instruction, new.accepted_at)
     is distinct from
     (old.payment_id, old.caller, old.request_key, old.fingerprint, old.source_reference, old.operation, old.provider,
      old.account, old.amount_minor, old.currency, old.instruction, old.accepted_at) then
    raise exception 'payment %: what was asked for never changes', old.payment_id using errcode = 'PR003';
  end if;
  if new.version <> old.version or (old.first_sent_at is not null and new.first_sent_at is distinct from old.first_sent_at) then
    raise exception 'payment %: version and first_sent_at are kept by the schema', old.payment_id using errcode = 'PR003';
  end if;
  if new.state = old.state then
    if new.attempts <> old.attempts or new.generation <> old.generation then
      raise exception 'payment %: attempts and generation change with the state only', old.payment_id using errcode = 'PR003';
    end if;
    return new;
  end if;
  if new.attempts <> old.attempts + (new.state = 'SUBMITTING')::int then
    raise exception 'payment %: entering % must leave attempts at %', old.payment_id, new.state,
      old.attempts + (new.state = 'SUBMITTING')::int using errcode = 'PR003';
  end if;
  if new.generation <> old.generation and not (old.state = 'FAILED' and new.state = 'PENDING'
      and new.generation = old.generation + 1) then
    raise exception 'payment %: only a retry after a proven rejection raises the generation', old.payment_id using errcode = 'PR003';
  end if;
  new.version := old.version + 1;
  new.state_since := clock_timestamp();
  return new;
end $$;
create trigger guard before update on payment for each row execute function payment_guard();

-- An attempt exists only together with its claim.
create function attempt_has_claim() returns trigger language plpgsql as $$
declare bad uuid;
begin
  select a.payment_id into bad from new_rows a join payment p using (payment_id)
   where p.state <> 'SUBMITTING' or p.attempts <> a.attempt_no or p.provider_key <> a.provider_key limit 1;
  if found then
    raise exception 'payment %: an attempt is written by the claim of its payment, under its key', bad using errcode = 'PR004';
  end if;
  return null;
end $$;
create trigger has_claim after insert on attempt referencing new table as new_rows
  for each statement execute function attempt_has_claim();

-- A permit must name a proof that is there.
create function permit_is_proven() returns trigger language plpgsql as $$
declare bad record;
begin
  select p.payment_id, p.kind into bad from new_rows p join payment y using (payment_id)
   where p.for_attempt <> y.attempts + 1
      or case p.kind
           when 'NOT_EXECUTED' then not exists (
             select from evidence e where e.evidence_id = p.evidence_id and e.payment_id = p.payment_id
                and e.attempt_no = p.for_attempt - 1 and e.source = 'ANSWER' and e.verdict = 'NOT_EXECUTED')
           else true end
   limit 1;
  if found then
    raise exception 'payment %: no proof for a permit of kind %', bad.payment_id, bad.kind using errcode = 'PR005';
  end if;
  return null;
end $$;
create trigger is_proven after insert on resend_permit referencing new table as new_rows
  for each statement execute function permit_is_proven();

create function ledger_event(operation text, position_from text, position_to text) returns text
language sql immutable return
  case when operation = 'REFUND' then 'Refund' else 'Payment' end ||
  case when position_to = 'REQUESTED' and position_from = 'IN_DOUBT' then 'DoubtLifted'
       when position_to = 'REQUESTED' then 'Requested'
       when position_to = 'IN_DOUBT' then 'InDoubt'
       when position_to = 'CONFIRMED' then 'Confirmed'
       else 'Failed' end;

-- What follows from an accepted payment: history, outbox, event and the PaymentRequested posting.
create function payment_accepted() returns trigger language plpgsql as $$
begin
  with recorded as (
    insert into transition (payment_id, version, from_state, to_state, category, reason, actor, attempt_no, evidence_id, at)
    select payment_id, version, 'NONE', state, category, reason, actor, current_attempt, evidence_id, state_since from new_rows
    returning transition_id)
  insert into event_outbox select transition_id from recorded;

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

-- What follows from a change of state: history, permit check, outbox, event, posting, review case.
create function payment_moved() returns trigger language plpgsql as $$
declare bad record;
begin
  with recorded as (
    insert into transition (payment_id, version, from_state, to_state, category, reason, actor, attempt_no, evidence_id, at)
    select n.payment_id, n.version, o.state, n.state, n.category, n.reason, n.actor, n.current_attempt, n.evidence_id, n.state_since
      from new_rows n join old_rows o using (payment_id) where n.state <> o.state
    returning transition_id)
  insert into event_outbox select transition_id from recorded;

  -- Back to PENDING: only with a permit for exactly the next attempt, of a kind that this state allows.
  select n.payment_id, o.state into bad
    from new_rows n join old_rows o using (payment_id)
    left join resend_permit r on (r.payment_id, r.for_attempt) = (n.payment_id, n.attempts + 1)
   where n.state = 'PENDING' and o.state <> 'PENDING'
     and (r.kind is null
       or o.state = 'SUBMITTING' and r.kind <> 'NOT_EXECUTED'
       or o.state = 'FAILED' and r.kind <> 'RETRY_AFTER_REJECTION')
   limit 1;
  if found then
    raise exception 'payment %: % -> PENDING needs a resend permit for the next attempt', bad.payment_id, bad.state
      using errcode = 'PR006';
  end if;

  -- A payment is called off before any send, or after sends that provably did not execute.
  select n.payment_id into bad
    from new_rows n join old_rows o using (payment_id)
   where o.state = 'PENDING' and n.state = 'FAILED' and n.attempts > 0
     and not exists (select from resend_permit r where (r.payment_id, r.for_attempt) = (n.payment_id, n.attempts + 1)
                        and r.kind = 'NOT_EXECUTED')
   limit 1;
  if found then
    raise exception 'payment %: it may have been sent, so it cannot be called off', bad.payment_id using errcode = 'PR006';
  end if;

  -- FAILED and SUCCEEDED need evidence that says so, unless nothing was ever sent.
  select n.payment_id, n.state into bad
    from new_rows n join old_rows o using (payment_id)
    left join evidence e on e.evidence_id = n.evidence_id and e.payment_id = n.payment_id
   where n.state <> o.state and n.state in ('SUCCEEDED', 'FAILED') and o.state <> 'PENDING'
     and e.verdict is distinct from case n.state when 'SUCCEEDED' then 'SUCCEEDED' else 'REJECTED' end
   limit 1;
  if found then
    raise exception 'payment %: % needs evidence that proves it', bad.payment_id, bad.state using errcode = 'PR007';
  end if;

  delete from outbox q using new_rows n where q.payment_id = n.payment_id and n.state in ('SUCCEEDED', 'FAILED');
  insert into outbox (payment_id, provider, task, due_at)
  select n.payment_id, n.provider,
         case n.state when 'PENDING' then 'SEND' when 'SUBMITTING' then 'LEASE' else 'QUERY' end, n.due_at
    from new_rows n join old_rows o using (payment_id)
   where n.state not in ('SUCCEEDED', 'FAILED') and (n.state <> o.state or n.due_at <> o.due_at)
  on conflict (payment_id) do update set task = excluded.task, due_at = excluded.due_at;

  insert into ledger_posting (event, fact, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
  select ledger_event(n.operation, o.position, n.position), n.payment_id || ':' || n.version, n.payment_id, n.provider,
         case n.operation when 'CHARGE' then new_place.account else old_place.account end,
         case n.operation when 'CHARGE' then old_place.account else new_place.account end,
         n.amount_minor, n.currency, n.reason, n.actor
    from new_rows n join old_rows o using (payment_id)
    join ledger_position old_place on (old_place.operation, old_place.position) = (o.operation, o.position)
    join ledger_position new_place on (new_place.operation, new_place.position) = (n.operation, n.position)
   where n.position <> o.position;

  if exists (select from new_rows n join old_rows o using (payment_id) where 'REVIEW' in (n.state, o.state) and n.state <> o.state) then
    update review_case c set closed_at = clock_timestamp(), closed_by = n.actor
      from new_rows n join old_rows o using (payment_id)
     where c.payment_id = n.payment_id and c.closed_at is null and o.state = 'REVIEW' and n.state <> 'REVIEW';
    insert into review_case (payment_id, category, reason, evidence_id)
    select n.payment_id, n.category, n.reason, n.evidence_id
      from new_rows n join old_rows o using (payment_id) where n.state = 'REVIEW' and o.state <> 'REVIEW'
    on conflict (payment_id) where closed_at is null do nothing;
  end if;
  return null;
end $$;
create trigger moved after update on payment referencing old table as old_rows new table as new_rows
  for each statement execute function payment_moved();
