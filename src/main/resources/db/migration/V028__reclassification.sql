-- Answers of the past, read again after a change of a contract's word lists: a proposal that shows which payments would
-- now be read differently, and, when a second person approves it, new evidence. Nothing that is on record changes.
create table reclassification (
  reclassification_id bigint generated always as identity primary key,
  provider        text not null references provider (name),
  -- The lists by which it was read; it is approved only while they hold.
  contract_digest text not null,
  received_from   timestamptz not null,
  received_to     timestamptz not null,
  reason          text not null check (length(reason) between 5 and 2000),
  answers         bigint not null check (answers >= 0),
  -- Answers whose kept copy does not hold what the contract looks at: they are not read again.
  unreadable      bigint not null check (unreadable >= 0),
  differences     integer not null check (differences >= 0),
  proposed_by     text not null check (length(btrim(proposed_by)) between 1 and 200),
  proposed_at     timestamptz not null default clock_timestamp(),
  approved_by     text,
  approved_at     timestamptz,
  refused_by      text,
  refused_at      timestamptz,
  applied_at      timestamptz,
  check (received_from < received_to),
  constraint reclassified_by_another check (approved_by is null or btrim(approved_by) <> '' and lower(btrim(approved_by)) <> lower(btrim(proposed_by))),
  check ((approved_by is null) = (approved_at is null)),
  check ((refused_by is null) = (refused_at is null)),
  check (num_nonnulls(approved_by, refused_by) <= 1),
  check (applied_at is null or approved_at is not null)
);
create index reclassification_waits on reclassification (reclassification_id) where approved_at is not null and applied_at is null;
create trigger append_only before delete or truncate on reclassification for each statement execute function refuse_change();

-- One answer that is read differently now.
create table reclassification_item (
  reclassification_id bigint not null references reclassification,
  evidence_id         bigint not null references evidence,
  payment_id          uuid not null references payment,
  old_verdict         text not null,
  verdict             text not null,
  mismatch            text,
  provider_payment_id text,
  amount_minor        bigint,
  code                text,
  reason              text not null,
  payment_state       text not null,
  would_follow        text not null,
  applied_at          timestamptz,
  outcome             text,
  primary key (reclassification_id, evidence_id)
);
create trigger append_only before delete or truncate on reclassification_item for each statement execute function refuse_change();

-- What would follow, as far as the verdict alone says it; other evidence may contradict it, and then people decide.
create function reclassification_effect(state text, verdict text, mismatch text, last_attempt boolean) returns text
language sql immutable return case
  when mismatch is not null or state = 'FAILED' and verdict = 'SUCCEEDED' or state = 'SUCCEEDED' and verdict = 'REJECTED'
    then 'people decide: it contradicts ' || state
  when state in ('SUCCEEDED', 'FAILED') then 'kept; ' || state || ' stays'
  when verdict = 'SUCCEEDED' then state || ' becomes SUCCEEDED'
  when verdict = 'REJECTED' then case when last_attempt then state || ' becomes FAILED, unless a success is on record'
                                      else 'kept; it is about an earlier attempt' end
  when verdict = 'ACCEPTED' and state = 'UNKNOWN' then 'UNKNOWN becomes PROCESSING'
  else 'kept; ' || state || ' stays' end;

create function reclassification_guard() returns trigger language plpgsql as $$
begin
  if (new.reclassification_id, new.provider, new.contract_digest, new.received_from, new.received_to, new.reason, new.answers,
      new.unreadable, new.differences, new.proposed_by, new.proposed_at)
     is distinct from
     (old.reclassification_id, old.provider, old.contract_digest, old.received_from, old.received_to, old.reason, old.answers,
      old.unreadable, old.differences, old.proposed_by, old.proposed_at)
     or old.approved_by is not null and (new.approved_by, new.approved_at) is distinct from (old.approved_by, old.approved_at)
     or old.refused_by is not null or old.applied_at is not null then
    raise exception 'reclassification %: what was proposed and decided never changes', old.reclassification_id using errcode = 'PR001';
  end if;
  if new.refused_by is not null then
    new.refused_at := clock_timestamp();
  end if;
  if old.approved_by is null and new.approved_by is not null then
    if old.differences = 0 then
      raise exception 'nothing would be read differently' using errcode = 'PR012';
    end if;
    if old.contract_digest is distinct from (select contract_digest from provider where name = old.provider) then
      raise exception 'the lists of the contract have changed since it was read: propose it again' using errcode = 'PR012';
    end if;
    if old.differences <> (select count(*) from reclassification_item i where i.reclassification_id = old.reclassification_id) then
      raise exception 'reclassification %: what is there is not what was proposed', old.reclassification_id using errcode = 'PR012';
    end if;
    new.approved_at := clock_timestamp();
  end if;
  if new.applied_at is not null and exists (
       select from reclassification_item i where i.reclassification_id = new.reclassification_id and i.applied_at is null) then
    raise exception 'reclassification %: not all of it is applied', new.reclassification_id using errcode = 'PR012';
  end if;
  return new;
end $$;
create trigger guard before update on reclassification for each row execute function reclassification_guard();

create function reclassification_item_guard() returns trigger language plpgsql as $$
declare r reclassification;
begin
  select * into r from reclassification where reclassification_id = new.reclassification_id for share;
  if tg_op = 'INSERT' then
    if r.approved_by is not null or r.refused_by is not null
       or new.applied_at is not null
       or not exists (select from evidence e join payment p using (payment_id)
                       where e.evidence_id = new.evidence_id and e.payment_id = new.payment_id and p.provider = r.provider
                         and e.source in ('ANSWER', 'QUERY')) then
      raise exception 'reclassification %: an item is an answer of its provider, before it is decided', new.reclassification_id
        using errcode = 'PR012';
    end if;
  elsif old.applied_at is not null or r.approved_by is null or new.applied_at is null
     or to_jsonb(new) - 'applied_at' - 'outcome' <> to_jsonb(old) - 'applied_at' - 'outcome' then
    raise exception 'reclassification %: an item changes once, when it is applied', new.reclassification_id using errcode = 'PR001';
  end if;
  return new;
end $$;
create trigger guard before insert or update on reclassification_item for each row execute function reclassification_item_guard();

-- Evidence of a new reading says exactly what a second person approved.
create function reclassification_is_approved() returns trigger language plpgsql as $$
begin
  if not exists (
    select from reclassification_item i join reclassification r using (reclassification_id) join evidence e using (evidence_id)
     where new.fact = 'reclassified:' || i.evidence_id || ':' || i.reclassification_id and r.approved_by is not null
       and i.payment_id = new.payment_id and i.verdict = new.verdict
       and (i.code, i.provider_payment_id, i.amount_minor) is not distinct from (new.code, new.provider_payment_id, new.amount_minor)
       and e.attempt_no is not distinct from new.attempt_no
       and (i.mismatch is null or new.mismatch is not null)) then
    raise exception 'payment %: a new reading of an answer is evidence when a second person has approved it', new.payment_id
      using errcode = 'PR012';
  end if;
  return new;
end $$;
create trigger reclassification_is_approved before insert on evidence for each row when (new.source = 'RECLASSIFICATION')
  execute function reclassification_is_approved();
