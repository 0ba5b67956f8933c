-- Everything that leaves through payments.review: escalations, dead letters, and each change of a case.

-- Each reason for which a case was brought up again, once. AGE_1 is the first level of age; the others say that a means
-- to find the truth is about to end.
create table review_escalation (
  case_id      bigint not null references review_case,
  reason       text not null check (reason ~ '^(AGE_[1-9]|QUERY_RETENTION|KEY_LIFETIME)$'),
  detail       text not null check (length(detail) between 1 and 500),
  escalated_at timestamptz not null default clock_timestamp(),
  primary key (case_id, reason)
);
create trigger append_only before update or delete or truncate on review_escalation for each statement execute function refuse_change();

-- Until when nobody is to be reminded of a case, by the last decision to wait; null for at once.
create function review_waits_until(for_case bigint) returns timestamptz language sql stable as $$
  select (d.details ->> 'until')::timestamptz from decision d
   where d.case_id = for_case and d.kind = 'KEEP_WAITING' and d.effective_at is not null
   order by d.decision_id desc limit 1
$$;

-- Messages that no consumer could use. Never their bodies: what identifies them, as far as it is valid.
create table dead_letter (
  dead_letter_id   bigint generated always as identity primary key,
  -- The id that the broker gave the message first; a message is kept once.
  fact             text not null unique check (length(fact) between 1 and 300),
  queue            text not null check (length(queue) <= 200),
  problem          text not null check (problem ~ '^[a-z][a-z-]{1,60}$'),
  reason           text not null check (length(reason) <= 500),
  -- SHA-256 of the body, to find the message that is kept in the broker's queue of dead letters.
  body_digest      text check (length(body_digest) = 64),
  body_length      integer check (body_length >= 0),
  request_key      text check (length(request_key) <= 255),
  source_reference text check (length(source_reference) <= 200),
  provider         text check (length(provider) <= 40),
  payment_id       uuid references payment,
  received_at      timestamptz not null default clock_timestamp()
);
create trigger append_only before update or delete or truncate on dead_letter for each statement execute function refuse_change();

-- What the queue payments.review has not been told yet; emptied by the node that publishes, through node_lease. The message is made when it is sent, of
-- what is known then.
create table review_outbox (
  message_no     bigint generated always as identity primary key,
  -- New for each message, also after a restore from a backup.
  message_id     uuid not null default gen_random_uuid(),
  case_id        bigint references review_case,
  dead_letter_id bigint references dead_letter,
  what           text not null check (what in
                   ('OPENED', 'CHANGED', 'PROPOSED', 'REFUSED', 'DECIDED', 'ESCALATED', 'CLOSED', 'RESENT', 'DEAD_LETTER')),
  at             timestamptz not null default clock_timestamp(),
  check (num_nonnulls(case_id, dead_letter_id) = 1)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
insert into node_lease (name, holder, held_until) values ('review', 'nobody', '-infinity');
create trigger append_only before update or truncate on review_outbox for each statement execute function refuse_change();
create trigger row_stays before delete on review_outbox for each statement execute function outbox_row_stays();

-- A case that opens or closes is told of, and its alert ends with it.
create function review_case_told() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into review_outbox (case_id, what) select case_id, 'OPENED' from new_rows;
  else
    insert into review_outbox (case_id, what) select case_id, 'CLOSED' from new_rows where closed_at is not null;
    perform clear_alert('REVIEW_WAITING', 'case:' || case_id, closed_by) from new_rows where closed_at is not null;
  end if;
  return null;
end $$;
create trigger told_opened after insert on review_case referencing new table as new_rows
  for each statement execute function review_case_told();
create trigger told_closed after update on review_case referencing new table as new_rows
  for each statement execute function review_case_told();

-- Evidence that proves something about a payment whose case stays open changes the case. What opened the case is in it.
create function review_evidence_told() returns trigger language plpgsql as $$
begin
  insert into review_outbox (case_id, what)
  select distinct c.case_id, 'CHANGED'
    from new_rows e join review_case c on c.payment_id = e.payment_id and c.subject = 'payment' and c.closed_at is null
   where (e.verdict in ('SUCCEEDED', 'REJECTED', 'ACCEPTED') or e.mismatch is not null) and e.source <> 'DECISION'
     and c.evidence_id is distinct from e.evidence_id;
  return null;
end $$;
create trigger told_review after insert on evidence referencing new table as new_rows
  for each statement execute function review_evidence_told();

create function review_decision_told() returns trigger language plpgsql as $$
begin
  insert into review_outbox (case_id, what)
  select new.case_id, case when tg_op = 'INSERT' then 'PROPOSED' when new.refused_by is not null then 'REFUSED' else 'DECIDED' end
   where tg_op = 'INSERT' and exists (select from decision_kind k where k.kind = new.kind and k.two_people)
      or tg_op = 'UPDATE' and (new.refused_by is not null or new.effective_at is not null
         and exists (select from review_case c where c.case_id = new.case_id and c.closed_at is null));
  return null;
end $$;
-- Named to run after what applies the decision: a case that it closes is told of as closed.
create trigger told_review after insert or update on decision for each row execute function review_decision_told();

create function review_escalation_told() returns trigger language plpgsql as $$
begin
  insert into review_outbox (case_id, what) select distinct case_id, 'ESCALATED' from new_rows;
  perform raise_alert('REVIEW_WAITING', 'case:' || case_id, case when reason = 'AGE_1' then 'WARNING' else 'CRITICAL' end, detail)
     from new_rows;
  return null;
end $$;
create trigger told_review after insert on review_escalation referencing new table as new_rows
  for each statement execute function review_escalation_told();

create function dead_letter_told() returns trigger language plpgsql as $$
begin
  -- What nobody could take from the review itself would come back there for ever; the alert of dead letters tells of it.
  insert into review_outbox (dead_letter_id, what)
  select dead_letter_id, 'DEAD_LETTER' from new_rows where queue not like 'payments.review%';
  return null;
end $$;
create trigger told_review after insert on dead_letter referencing new table as new_rows
  for each statement execute function dead_letter_told();
