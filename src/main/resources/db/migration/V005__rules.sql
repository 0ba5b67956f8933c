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
create trigger append_only before truncate on event_outbox for each statement execute function refuse_change();

-- What the rules are built on is written by migrations only: one more row would be one more way to pay.
create function refuse_write() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: only a migration changes it', tg_op, tg_table_name using errcode = 'PR001';
end $$;
create trigger fixed before insert or update or delete or truncate on legal_transition for each statement execute function refuse_write();
create trigger fixed before insert or update or delete or truncate on ledger_position for each statement execute function refuse_write();
create trigger fixed before insert or update or delete or truncate on ledger_account for each statement execute function refuse_write();
create trigger fixed before insert or update or delete or truncate on currency for each statement execute function refuse_write();
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
      new.account, new.amount_minor, new.currency, new.instruction, new.refund_of, new.accepted_at)
     is distinct from
     (old.payment_id, old.caller, old.request_key, old.fingerprint, old.source_reference, old.operation, old.provider,
      old.account, old.amount_minor, old.currency, old.instruction, old.refund_of, old.accepted_at) then
    raise exception 'payment %: what was asked for never changes', old.payment_id using errcode = 'PR003';
  end if;
  if new.version <> old.version then
    raise exception 'payment %: version is kept by the schema', old.payment_id using errcode = 'PR003';
  end if;
  if pg_trigger_depth() < 2
     and (new.given_back_minor, new.reversal_waits) is distinct from (old.given_back_minor, old.reversal_waits) then
    raise exception 'payment %: what was given back is kept by the schema', old.payment_id using errcode = 'PR002';
  end if;
  if old.state = 'FAILED' and new.state = 'PENDING' then
    -- A retry has a key of its own, and gets a payment id of its own from the provider.
    new.provider_payment_id := null;
    new.generation_since := old.attempts + 1;
    new.first_sent_at := null;
  elsif new.generation_since <> old.generation_since then
    raise exception 'payment %: where its generation begins is kept by the schema', old.payment_id using errcode = 'PR003';
  elsif old.provider_payment_id is not null and new.provider_payment_id is distinct from old.provider_payment_id then
    raise exception 'payment %: the payment id of the provider never changes', old.payment_id using errcode = 'PR003';
  end if;
  if new.confirmed_minor < old.confirmed_minor then
    raise exception 'payment %: what is proven to have moved does not fall', old.payment_id using errcode = 'PR003';
  end if;
  if (new.queries < old.queries or new.inconclusive < old.inconclusive) and not (old.state = 'REVIEW' and new.state = 'UNKNOWN') then
    raise exception 'payment %: counts of queries do not fall', old.payment_id using errcode = 'PR003';
  end if;

  if new.state = old.state then
    if (new.attempts, new.generation, new.first_sent_at, new.state_since, new.in_doubt)
       is distinct from (old.attempts, old.generation, old.first_sent_at, old.state_since, old.in_doubt) then
      raise exception 'payment %: attempts, generation and times change with the state only', old.payment_id using errcode = 'PR003';
    end if;
    if new.category is not distinct from old.category then
      if (new.reason, new.actor, new.evidence_id) is distinct from (old.reason, old.actor, old.evidence_id) then
        raise exception 'payment %: why it is % never changes', old.payment_id, old.state using errcode = 'PR003';
      end if;
    elsif new.category is distinct from 'STATE_CONFLICT' then
      raise exception 'payment %: a review only ever becomes a STATE_CONFLICT', old.payment_id using errcode = 'PR003';
    end if;
    if new.state = 'SUBMITTING' and new.due_at > old.due_at then
      raise exception 'payment %: the lease of an attempt is not prolonged', old.payment_id using errcode = 'PR003';
    end if;
    return new;
  end if;

  if new.attempts <> old.attempts + (new.state = 'SUBMITTING')::int then
    raise exception 'payment %: entering % must leave attempts at %', old.payment_id, new.state,
      old.attempts + (new.state = 'SUBMITTING')::int using errcode = 'PR003';
  end if;
  if new.generation <> old.generation + (old.state = 'FAILED' and new.state = 'PENDING')::int then
    raise exception 'payment %: a retry after a proven rejection, and nothing else, raises the generation by one', old.payment_id
      using errcode = 'PR003';
  end if;
  if old.first_sent_at is not null and new.first_sent_at is distinct from old.first_sent_at and old.state <> 'FAILED'
     or old.first_sent_at is null and new.state <> 'SUBMITTING' and new.first_sent_at is not null then
    raise exception 'payment %: first_sent_at is kept by the schema', old.payment_id using errcode = 'PR003';
  end if;
  new.version := old.version + 1;
  new.state_since := clock_timestamp();
  -- Whether a resend leaves earlier sends in doubt is what its permit says: it is compared when the row is written.
  new.in_doubt := case when new.state = 'PENDING' and old.state = 'UNKNOWN' then new.in_doubt
                       when new.state = 'SUBMITTING' then old.in_doubt else false end;
  new.resend_at := null;
  if new.state = 'SUBMITTING' then
    new.first_sent_at := least(new.first_sent_at, clock_timestamp());
  elsif new.state = 'UNKNOWN' then
    -- Where nothing can be asked, sending again is the way, at the same pace; else it follows from a query.
    select clock_timestamp() + interval '1 millisecond' * case when new.attempts <= new.generation_since then v.quiet_ms
             else greatest(v.quiet_ms, v.query_delays_ms[least(new.attempts - new.generation_since, cardinality(v.query_delays_ms))]) end
      into new.resend_at
      from provider v join provider_operation o on (o.provider, o.operation) = (v.name, new.operation)
     where v.name = new.provider and not can_be_asked(v, new.provider_payment_id) and o.resend_max > 0 and (o.same_key or o.at_least_once_up_to ? new.currency);
  elsif new.state = 'FAILED' and new.attempts > 0 then
    select clock_timestamp() + o.retry_delay_ms * interval '1 millisecond' into new.resend_at
      from provider_operation o join evidence e on e.evidence_id = new.evidence_id and e.source <> 'DECISION' and e.code = any (o.retry_codes)
     where (o.provider, o.operation) = (new.provider, new.operation) and new.generation < o.retry_max;
  end if;
  return new;
end $$;
create trigger guard before update on payment for each row execute function payment_guard();

-- An attempt exists only together with its claim.
create function attempt_has_claim() returns trigger language plpgsql as $$
declare bad uuid;
begin
  select a.payment_id into bad from new_rows a join payment p using (payment_id)
   where p.state <> 'SUBMITTING' or p.attempts <> a.attempt_no or p.provider_key <> a.provider_key
      or a.lease_until <> p.due_at or a.started_at > clock_timestamp() + interval '1 minute' limit 1;
  if found then
    raise exception 'payment %: an attempt is written by the claim of its payment, under its key, with its lease', bad
      using errcode = 'PR004';
  end if;
  return null;
end $$;
create trigger has_claim after insert on attempt referencing new table as new_rows
  for each statement execute function attempt_has_claim();

-- Whether something on record says that the money may have moved or may be moving: a success at any time, or an
-- acceptance since the given attempt was started that no later refusal took back. Answers about another payment say
-- nothing about this one, but one about another amount of it does.
create function speaks_against_resend(payment uuid, attempt integer) returns boolean language sql stable return exists (
  select from evidence e
   where e.payment_id = payment and coalesce(e.mismatch, 'amount') = 'amount'
     and (e.verdict = 'SUCCEEDED'
       or e.mismatch is null and e.verdict = 'ACCEPTED' and e.received_at >= coalesce(
            (select a.started_at from attempt a where a.payment_id = payment and a.attempt_no = attempt), '-infinity')
          and not exists (select from evidence r where r.payment_id = payment and r.verdict = 'REJECTED' and r.mismatch is null
                             and r.evidence_id > e.evidence_id)));

-- Whether attempts before the given one may have moved money, because the resend did not prove that they did not.
-- Then even an attempt that provably did not execute leaves the payment UNKNOWN.
create function earlier_attempt_in_doubt(payment uuid, attempt integer) returns boolean language sql stable return coalesce((
  select r.kind in ('SAME_KEY', 'AT_LEAST_ONCE', 'TWO_PEOPLE') from resend_permit r
   where r.payment_id = payment and r.for_attempt between 2 and attempt and r.kind <> 'NOT_EXECUTED'
   order by r.for_attempt desc limit 1), false);

-- Whether several sends of this generation may each have moved money, so that a refusal of one says nothing of the others.
create function sends_are_several(payment uuid, attempt integer) returns boolean language sql stable return exists (
  select from resend_permit r
   where r.payment_id = payment and r.for_attempt <= attempt and r.kind = 'AT_LEAST_ONCE'
     and not exists (select from resend_permit l where l.payment_id = payment and l.for_attempt between r.for_attempt + 1 and attempt
                        and l.kind not in ('NOT_EXECUTED', 'SAME_KEY', 'AT_LEAST_ONCE')));

-- Whether this evidence proves that the payment failed: it is a refusal of its last attempt, no other send may have been
-- executed, and no success is on record; or people decided.
create function refusal_is_proven(payment uuid, attempt integer, proof bigint) returns boolean language sql stable return exists (
  select from evidence e
   where e.evidence_id = proof and e.payment_id = payment and e.mismatch is null and e.verdict = 'REJECTED'
     and (e.source = 'DECISION' and coalesce(e.attempt_no, 0) = attempt
       or e.source <> 'DECISION' and coalesce(e.attempt_no, attempt) = attempt
          and e.received_at >= (select a.started_at from attempt a where a.payment_id = payment and a.attempt_no = attempt)
          and not sends_are_several(payment, attempt)
          and not exists (select from evidence s where s.payment_id = payment and s.verdict = 'SUCCEEDED' and s.mismatch is null)));

-- Since when automation tries to send it: a resend that is no repetition of what did not execute has its time again.
create function sending_since(payment uuid, accepted timestamptz) returns timestamptz language sql stable as $$
  select greatest(accepted, (select max(r.granted_at) from resend_permit r where r.payment_id = payment and r.kind <> 'NOT_EXECUTED'))
$$;

-- What is on record about a payment and its last attempt, seen by a snapshot of its own: called after the payment is
-- locked, it misses nothing that others recorded meanwhile. Facts about another payment do not count.
create function on_record(payment uuid, last_attempt integer, first_of_generation integer,
  out succeeded boolean, out accepted boolean, out not_executed integer[], out known_id text,
  -- What was told of the last attempt while its answer is not there: the refusal, else the acceptance.
  out told_id bigint, out told_verdict text, out told_by text, out told_reason text, out told_provider_payment_id text)
language plpgsql volatile as $$
declare
  started timestamptz;
  e record;
begin
  succeeded := false;
  accepted := false;
  not_executed := '{}';
  -- Mostly there is nothing: the answer of a first attempt.
  perform from evidence x where x.payment_id = payment limit 1;
  if not found then
    return;
  end if;
  for e in select * from evidence where payment_id = payment and mismatch is null order by evidence_id loop
    started := coalesce(started, (select a.started_at from attempt a where a.payment_id = payment and a.attempt_no = last_attempt), 'infinity');
    if e.verdict in ('SUCCEEDED', 'ACCEPTED', 'REJECTED') and coalesce(e.attempt_no, last_attempt) >= first_of_generation then
      known_id := coalesce(known_id, e.provider_payment_id);
    end if;
    accepted := accepted or e.verdict = 'ACCEPTED' and e.received_at >= started;
    if e.verdict = 'SUCCEEDED' then
      succeeded := true;
    elsif e.verdict = 'NOT_EXECUTED' and e.source = 'ANSWER' then
      not_executed := not_executed || e.attempt_no;
    elsif e.received_at >= started
      and (e.verdict = 'ACCEPTED' and told_verdict is distinct from 'REJECTED'
        or e.verdict = 'REJECTED' and coalesce(e.attempt_no, last_attempt) = last_attempt
           and not sends_are_several(payment, last_attempt)) then
      told_id := e.evidence_id;
      told_verdict := e.verdict;
      told_by := e.recorded_by;
      told_reason := e.reason;
      told_provider_payment_id := e.provider_payment_id;
    end if;
  end loop;
end $$;

-- Whether the provider's file of a period that must contain the payment is complete and does not contain it.
create function absent_from_settlement(payment uuid) returns boolean language sql stable as $$ select false $$;

-- Whether the provider told anything of this generation's sends that shows it knows them.
create function is_known_there(subject payment) returns boolean language sql stable as $$
  select exists (
    select from evidence e
     where e.payment_id = subject.payment_id
       and (e.verdict in ('SUCCEEDED', 'ACCEPTED', 'REJECTED') or e.provider_payment_id is not null or e.mismatch is not null
         or e.source = 'WEBHOOK')
       and (e.attempt_no >= subject.generation_since
         or e.attempt_no is null and e.received_at >= coalesce((
              select a.started_at from attempt a where (a.payment_id, a.attempt_no) = (subject.payment_id, subject.generation_since)), '-infinity')))
$$;

-- Whether the lifetime of its key, less the margin, is over: then the same key may be executed again.
create function key_is_over(subject payment) returns boolean language sql stable as $$
  select coalesce((
    select subject.first_sent_at + (o.key_lifetime_ms - o.key_margin_ms) * interval '1 millisecond' <= clock_timestamp()
      from provider_operation o where (o.provider, o.operation) = (subject.provider, subject.operation) and o.same_key), true)
$$;

-- Whether what waits to be sent again under its key has waited past the lifetime of that key.
create function waits_too_long(subject payment) returns boolean language sql stable as $$
  select subject.in_doubt and key_is_over(subject) and exists (
    select from resend_permit r where (r.payment_id, r.for_attempt, r.kind) = (subject.payment_id, subject.attempts + 1, 'SAME_KEY'))
$$;

-- Whether a payment that FAILED is still the one to try again: whoever asked for it may have asked anew meanwhile, and
-- people may be looking at it, or at what it gives back of.
create function retry_is_wanted(subject payment) returns boolean language sql stable as $$
  select not exists (
      select from payment s where (s.source_reference, s.caller, s.operation) = (subject.source_reference, subject.caller, subject.operation)
         and s.payment_id <> subject.payment_id and (s.state <> 'FAILED' or s.accepted_at > subject.accepted_at))
    and not exists (
      select from review_case c where c.payment_id in (subject.payment_id, subject.refund_of) and c.subject = 'payment' and c.closed_at is null)
$$;

-- Whether what is on record proves, by the provider's contract and now, that this payment may be sent once more. The
-- evidence that a permit names is part of its proof where the kind needs one.
create function resend_is_proven(subject payment, permit_kind text, proof bigint) returns boolean language plpgsql stable as $$
begin
  -- After a restore from a backup, attempts that are no longer on record may have been made: no proof is complete.
  if permit_kind not in ('NOT_EXECUTED', 'TWO_PEOPLE') and exists (
       select from evidence e where e.payment_id = subject.payment_id and e.source = 'LEASE' and e.code = 'RESTORED') then
    return false;
  end if;
  return case permit_kind
    when 'NOT_EXECUTED' then not earlier_attempt_in_doubt(subject.payment_id, subject.attempts) and exists (
      select from evidence e where e.evidence_id = proof and e.payment_id = subject.payment_id
         and e.attempt_no = subject.attempts and e.source = 'ANSWER' and e.verdict = 'NOT_EXECUTED' and e.mismatch is null)
    when 'TWO_PEOPLE' then exists (
      select from evidence e join decision d on d.decision_id = e.decision_id
       where e.evidence_id = proof and e.payment_id = subject.payment_id and coalesce(e.attempt_no, 0) = subject.attempts
         and d.kind = 'ALLOW_RESEND' and d.approved_by <> d.proposed_by)
    when 'RETRY_AFTER_REJECTION' then exists (
      select from evidence e join provider_operation o on (o.provider, o.operation) = (subject.provider, subject.operation)
       where e.evidence_id = proof and e.source <> 'DECISION' and refusal_is_proven(subject.payment_id, subject.attempts, proof)
         and e.code = any (o.retry_codes)
         and (select count(*) from resend_permit r
               where r.payment_id = subject.payment_id and r.kind = permit_kind and r.for_attempt <= subject.attempts) < o.retry_max)
      and retry_is_wanted(subject)
    else exists (
      select from provider_operation o
        join attempt a on (a.payment_id, a.attempt_no) = (subject.payment_id, subject.attempts)
       where (o.provider, o.operation) = (subject.provider, subject.operation)
         and not is_known_there(subject)
         and (select count(*) from resend_permit r
               where r.payment_id = subject.payment_id and r.for_attempt > subject.generation_since and r.for_attempt <= subject.attempts
                 and r.kind <> 'NOT_EXECUTED')
             -- A file that proves absence is no means of the contract's that it would have to allow.
             < greatest(o.resend_max, (permit_kind = 'ABSENT_FROM_SETTLEMENT')::integer)
         and case permit_kind
           -- The same 5xx twice under one key is a stored answer: another send would only hear it again.
           when 'SAME_KEY' then o.same_key and not key_is_over(subject) and not exists (
             select from evidence e
              where e.payment_id = subject.payment_id and e.source = 'ANSWER' and e.attempt_no >= subject.generation_since
                and e.http_status between 500 and 599
              group by e.http_status having count(*) > 1)
           when 'NOT_FOUND_FINAL' then o.not_found_final and exists (
             select from evidence e
              where e.payment_id = subject.payment_id and e.source = 'QUERY' and e.verdict = 'NOT_FOUND'
                and e.asked_at > greatest(a.lease_until, a.started_at + o.arrival_limit_ms * interval '1 millisecond')
                                 + o.visible_after_ms * interval '1 millisecond'
             having count(*) >= o.not_found_min and bool_or(e.evidence_id = proof))
           when 'ABSENT_FROM_SETTLEMENT' then absent_from_settlement(subject.payment_id)
           when 'AT_LEAST_ONCE' then o.at_least_once_acceptance is not null
             and subject.amount_minor <= (o.at_least_once_up_to ->> subject.currency)::bigint
           else false end)
    end;
end $$;

-- The first kind of permit that is proven for what waits for a resend, with the evidence that it names; none when nothing
-- is. Reads with a snapshot of its own: called after the payment is locked, it misses nothing.
create function provable_resend(subject payment, out kind text, out proof bigint) language plpgsql volatile as $$
begin
  if speaks_against_resend(subject.payment_id, subject.attempts)
     or exists (select from resend_permit r where (r.payment_id, r.for_attempt) = (subject.payment_id, subject.attempts + 1)) then
    return;
  end if;
  if subject.state = 'FAILED' then
    kind := 'RETRY_AFTER_REJECTION';
    proof := subject.evidence_id;
    -- A refund is tried again while its amount, and that of those before it which wait for the same, is left of its
    -- payment: the constraint would refuse it, and with it all that is sent again in the same statement.
    if not coalesce(resend_is_proven(subject, kind, proof), false)
       or subject.refund_of is not null and subject.amount_minor > (
         select o.amount_minor - o.given_back_minor - coalesce((
                  select sum(s.amount_minor) from payment s
                   where s.refund_of = o.payment_id and s.state = 'FAILED' and s.resend_at is not null and s.payment_id < subject.payment_id), 0)
           from payment o where o.payment_id = subject.refund_of) then
      kind := null;
    end if;
    return;
  end if;
  foreach kind in array array['NOT_FOUND_FINAL', 'ABSENT_FROM_SETTLEMENT', 'SAME_KEY', 'AT_LEAST_ONCE'] loop
    select max(e.evidence_id) into proof from evidence e
     where e.payment_id = subject.payment_id and (kind <> 'NOT_FOUND_FINAL' or e.source = 'QUERY' and e.verdict = 'NOT_FOUND');
    if coalesce(resend_is_proven(subject, kind, proof), false) then
      return;
    end if;
  end loop;
  kind := null;
end $$;

-- A permit must name a proof that is there.
create function permit_is_proven() returns trigger language plpgsql as $$
declare bad record;
begin
  select p.payment_id, p.kind into bad from new_rows p join payment y using (payment_id)
   where p.for_attempt <> y.attempts + 1
      or y.state = 'SUCCEEDED'
      or speaks_against_resend(p.payment_id, p.for_attempt - 1)
      or not coalesce(resend_is_proven(y, p.kind, p.evidence_id), false)
   limit 1;
  if found then
    raise exception 'payment %: no proof for a permit of kind %', bad.payment_id, bad.kind using errcode = 'PR005';
  end if;
  return null;
end $$;
create trigger is_proven after insert on resend_permit referencing new table as new_rows
  for each statement execute function permit_is_proven();

-- Evidence carries the database's time, and a success or an acceptance stops what waits to be sent: the payment itself
-- (never sent, for all we know, after a restore from a backup),
-- and a new payment for an obligation whose FAILED payment turns out paid. People decide then.
create function evidence_stops_sending() returns trigger language plpgsql as $$
declare bad uuid;
begin
  select payment_id into bad from new_rows
   where received_at not between now() - interval '1 minute' and clock_timestamp() + interval '1 minute' limit 1;
  if found then
    raise exception 'payment %: evidence carries the time of the database', bad using errcode = 'PR003';
  end if;
  if exists (select from new_rows where verdict in ('SUCCEEDED', 'ACCEPTED') and mismatch is null) then
    update payment p
       set state = 'REVIEW', category = 'STATE_CONFLICT', reason = 'waiting to be sent, but: ' || e.reason,
           actor = e.recorded_by, evidence_id = e.evidence_id
      from new_rows e
     where e.payment_id = p.payment_id and p.state = 'PENDING'
       and speaks_against_resend(p.payment_id, p.attempts);
    if exists (select from new_rows e join payment f using (payment_id) where e.verdict = 'SUCCEEDED' and f.state = 'FAILED') then
      with sibling as materialized (
        select p.payment_id, e.evidence_id, e.reason, e.recorded_by
          from new_rows e join payment f on f.payment_id = e.payment_id and f.state = 'FAILED'
          join payment p on (p.source_reference, p.caller, p.operation) = (f.source_reference, f.caller, f.operation)
           and p.state = 'PENDING'
         where e.verdict = 'SUCCEEDED' and e.mismatch is null
           for update of p skip locked)
      update payment p
         set state = 'REVIEW', category = 'STATE_CONFLICT', reason = 'an earlier payment for it may have been made: ' || s.reason,
             actor = s.recorded_by, evidence_id = s.evidence_id
        from sibling s where s.payment_id = p.payment_id;
    end if;
  end if;
  return null;
end $$;
create trigger stops_sending after insert on evidence referencing new table as new_rows
  for each statement execute function evidence_stops_sending();

-- Two different payment ids of the provider that both say success: the money moved twice.
create function double_pay_is_noticed() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows where verdict = 'SUCCEEDED' and provider_payment_id is not null) then
    perform raise_alert('DOUBLE_PAY', d.payment_id::text, 'CRITICAL', 'the provider says success twice, as ' || d.one || ' and as ' || d.other)
       from (select distinct on (n.payment_id) n.payment_id, e.provider_payment_id as one, n.provider_payment_id as other
               from new_rows n join payment p using (payment_id)
               join evidence e on e.payment_id = n.payment_id and e.verdict = 'SUCCEEDED' and e.provider_payment_id <> n.provider_payment_id
                and coalesce(e.mismatch, 'provider_payment_id') = 'provider_payment_id'
              where n.verdict = 'SUCCEEDED' and coalesce(n.mismatch, 'provider_payment_id') = 'provider_payment_id'
                and not exists (select from provider_payment x
                                 where (x.provider, x.account, x.operation) = (p.provider, p.account, p.operation)
                                   and x.provider_payment_id in (n.provider_payment_id, e.provider_payment_id) and x.payment_id <> n.payment_id)
              order by n.payment_id, n.evidence_id, e.evidence_id) d;
  end if;
  return null;
end $$;
create trigger double_pay after insert on evidence referencing new table as new_rows
  for each statement execute function double_pay_is_noticed();

-- A case is opened with what is known and closed once: by what becomes of its payment, or by what people decided. Only
-- the case of a file that is read again is closed by a statement.
create function review_case_guard() returns trigger language plpgsql as $$
begin
  if (new.case_id, new.payment_id, new.subject, new.category, new.reason, new.evidence_id, new.opened_at)
     is distinct from (old.case_id, old.payment_id, old.subject, old.category, old.reason, old.evidence_id, old.opened_at)
     or old.closed_at is not null then
    raise exception 'review case %: what was asked and answered never changes', old.case_id using errcode = 'PR001';
  end if;
  if new.closed_at is not null and pg_trigger_depth() < 2 and not (old.subject like 'settlement-file:%' and exists (
       select from settlement_file f where f.file_id = split_part(old.subject, ':', 2)::bigint and f.state = 'STAGING')) then
    raise exception 'review case %: it is closed by what becomes of its payment, or by a decision', old.case_id using errcode = 'PR002';
  end if;
  return new;
end $$;
create trigger guard before update on review_case for each row execute function review_case_guard();

-- What foreign keys would say, for all rows of a statement at once. The payment is looked up row by row on purpose: a join
-- that is planned for a million rows would be kept for the next statement of one.
create function posting_refers() returns trigger language plpgsql as $$
declare bad bigint;
begin
  select min(n.posting_id) into bad from new_rows n
   where n.payment_id is not null and (select p.payment_id from payment p where p.payment_id = n.payment_id) is null
      or n.debit_account not in (select code from ledger_account) or n.credit_account not in (select code from ledger_account)
      or n.currency not in (select code from currency);
  if bad is not null then
    raise exception 'posting %: there is no such payment, account or currency', bad using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;
create trigger refers after insert on ledger_posting referencing new table as new_rows
  for each statement execute function posting_refers();

-- Postings about payments follow from their states, and adjustments from what two people decided. Statements post the
-- lines of the settlement file that is being booked, and nothing else.
create function posting_is_ours() returns trigger language plpgsql as $$
declare bad record;
begin
  if pg_trigger_depth() < 2 then
    -- The first condition looks at every posting of a file, the last one at each file once.
    select event, fact into bad from new_rows
     where event not in ('SettlementBooked', 'FeeCharged', 'ReconciliationAdjusted')
        or fact !~ '^settlement:[0-9]{1,18}:[0-9]{1,8}$' or 'in_doubt_in' in (debit_account, credit_account)
        or 'in_doubt_out' in (debit_account, credit_account) limit 1;
    if not found then
      select 'of a file' as event, n.fact into bad
        from (select split_part(fact, ':', 2)::bigint as file_id, min(fact) as fact from new_rows group by 1) n
       where not exists (select from settlement_file f where f.file_id = n.file_id and f.state = 'STAGED') limit 1;
    end if;
    if found then
      raise exception 'posting % of fact %: it is written by the rules of the schema, not by a statement', bad.event, bad.fact
        using errcode = 'PR002';
    end if;
  end if;
  return null;
end $$;
create trigger is_ours after insert on ledger_posting referencing new table as new_rows
  for each statement execute function posting_is_ours();

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
declare bad record;
begin
  with recorded as (
    insert into transition (payment_id, version, from_state, to_state, category, reason, actor, attempt_no, evidence_id, at)
    select n.payment_id, n.version, o.state, n.state, n.category, n.reason, n.actor, n.current_attempt, n.evidence_id, n.state_since
      from new_rows n join old_rows o using (payment_id) where n.state <> o.state
    returning transition_id)
  insert into event_outbox (transition_id) select transition_id from recorded;

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

  -- Nothing is sent again over evidence that it may have been paid, and no lease is longer than the contract's.
  select n.payment_id into bad
    from new_rows n join old_rows o using (payment_id) join provider v on v.name = n.provider
   where n.state = 'SUBMITTING' and o.state = 'PENDING'
     and (n.attempts > 1 and speaks_against_resend(n.payment_id, o.attempts)
       or o.in_doubt and waits_too_long(o)
       or n.due_at > clock_timestamp() + (v.lease_ms + 1000) * interval '1 millisecond')
   limit 1;
  if found then
    raise exception 'payment %: it may have been paid already, or its key or its lease is not as the contract says', bad.payment_id using errcode = 'PR006';
  end if;
  select n.payment_id into bad from new_rows n join old_rows o using (payment_id)
   where n.due_at > o.due_at and n.due_at > clock_timestamp() + interval '366 days' limit 1;
  if found then
    raise exception 'payment %: due in more than a year is forgotten', bad.payment_id using errcode = 'PR003';
  end if;

  -- A state that says what happened needs evidence of this payment that says so, unless nothing was ever sent. FAILED
  -- also needs that it is about the last attempt, and that no success is on record, unless people decided.
  select n.payment_id, n.state into bad
    from new_rows n join old_rows o using (payment_id)
    left join evidence e on e.evidence_id = n.evidence_id and e.payment_id = n.payment_id and e.mismatch is null
   where n.state <> o.state and n.state in ('SUCCEEDED', 'FAILED', 'PROCESSING') and not (o.state = 'PENDING' and n.state = 'FAILED')
     and (o.state = 'PENDING' and n.attempts = 0
       or e.verdict is distinct from
            case n.state when 'SUCCEEDED' then 'SUCCEEDED' when 'FAILED' then 'REJECTED' else 'ACCEPTED' end
       or n.state = 'SUCCEEDED' and e.provider_payment_id is not null and exists (
            select from provider_payment x
             where (x.provider, x.account, x.operation, x.provider_payment_id)
                 = (n.provider, n.account, n.operation, e.provider_payment_id) and x.payment_id <> n.payment_id)
       -- What others tell of a refusal waits until the request is no longer on the wire.
       or n.state = 'FAILED' and o.state = 'SUBMITTING' and not exists (
            select from evidence w where w.payment_id = n.payment_id and w.attempt_no = n.attempts and w.source in ('ANSWER', 'LEASE'))
       or n.state = 'FAILED' and not refusal_is_proven(n.payment_id, n.attempts, n.evidence_id))
   limit 1;
  if found then
    raise exception 'payment %: % needs evidence that proves it', bad.payment_id, bad.state using errcode = 'PR007';
  end if;

  -- Automation gets a review back from people only, and a conflict is theirs whatever becomes of it.
  select n.payment_id, n.state into bad
    from new_rows n join old_rows o using (payment_id)
   where o.state = 'REVIEW' and n.state <> 'REVIEW' and (n.state = 'UNKNOWN' or o.category = 'STATE_CONFLICT')
     and not decided_by_people(n.payment_id, n.evidence_id, n.state)
   limit 1;
  if found then
    raise exception 'payment %: REVIEW -> % is decided by people', bad.payment_id, bad.state using errcode = 'PR007';
  end if;

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

  -- The payment id of the provider that a payment goes by is one that belongs to it.
  select n.payment_id into bad
    from new_rows n join old_rows o using (payment_id)
   where n.provider_payment_id is distinct from o.provider_payment_id
     and not exists (select from provider_payment x
                      where (x.provider, x.account, x.operation, x.provider_payment_id, x.payment_id)
                          = (n.provider, n.account, n.operation, n.provider_payment_id, n.payment_id))
   limit 1;
  if found then
    raise exception 'payment %: this payment id of the provider is not its own', bad.payment_id using errcode = 'PR007';
  end if;

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

  delete from outbox q using new_rows n where q.payment_id = n.payment_id and n.state in ('SUCCEEDED', 'FAILED');
  insert into outbox (payment_id, provider, task, due_at)
  select n.payment_id, n.provider,
         case n.state when 'PENDING' then 'SEND' when 'SUBMITTING' then 'LEASE' else 'QUERY' end, n.due_at
    from new_rows n join old_rows o using (payment_id)
   where n.state not in ('SUCCEEDED', 'FAILED') and (n.state <> o.state or n.due_at <> o.due_at)
  on conflict (payment_id) do update set task = excluded.task, due_at = excluded.due_at;

  insert into ledger_posting (event, fact, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
  select ledger_event(n.operation, o.position, n.position),
         n.payment_id || ':' || n.version || case when n.state = o.state then ':conflict' else '' end, n.payment_id, n.provider,
         case n.operation when 'CHARGE' then new_place.account else old_place.account end,
         case n.operation when 'CHARGE' then old_place.account else new_place.account end,
         n.amount_minor - o.confirmed_minor, n.currency, n.reason, n.actor
    from new_rows n join old_rows o using (payment_id)
    join ledger_position old_place on (old_place.operation, old_place.position) = (o.operation, o.position)
    join ledger_position new_place on (new_place.operation, new_place.position) = (n.operation, n.position)
   where n.position <> o.position;

  -- The part that moved is confirmed; what moves later is the rest.
  if exists (select from new_rows n join old_rows o using (payment_id) where n.confirmed_minor <> o.confirmed_minor) then
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

  if exists (select from new_rows n join old_rows o using (payment_id) where n.category is distinct from o.category) then
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
