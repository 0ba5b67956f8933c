-- What may change in the row of a payment, and when. With the files up to payment_moves, these are the rules that no
-- edited route can break.

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
