-- What counts as a proof: of a failure, and of each kind of permit to send again.

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

-- Whether a payment that FAILED is still the one to try again: whoever asked for it may have asked anew meanwhile, an
-- earlier one for the same may have been made after all, and people may be looking at it, or at what it gives back of.
create function retry_is_wanted(subject payment) returns boolean language sql stable as $$
  select not exists (
      select from payment s where (s.source_reference, s.caller, s.operation) = (subject.source_reference, subject.caller, subject.operation)
         and s.payment_id <> subject.payment_id and (s.state <> 'FAILED' or s.accepted_at > subject.accepted_at or exists (
           select from evidence e where e.payment_id = s.payment_id and e.verdict = 'SUCCEEDED' and coalesce(e.mismatch, 'amount') = 'amount')))
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
  -- While a node notices that the database's clock is far from its own, no age is proven: neither that a key is still alive,
  -- nor that a request can no longer arrive. A node that is gone notices nothing any more.
  if permit_kind in ('SAME_KEY', 'NOT_FOUND_FINAL', 'ABSENT_FROM_SETTLEMENT') and exists (
       select from alert a where a.kind = 'CLOCK_JUMP' and a.cleared_at is null and a.last_at > clock_timestamp() - interval '10 minutes') then
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
    -- What is being recorded of an earlier payment for the same is waited for: it may be a late success.
    perform from payment s
      where (s.source_reference, s.caller, s.operation) = (subject.source_reference, subject.caller, subject.operation)
        and s.payment_id <> subject.payment_id and s.state = 'FAILED' for key share;
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
