-- How people decide about a payment: what the evidence lets them choose, and what follows from it in the same commit.
--
-- Refusals of this file: PR020 the case is closed, PR021 somebody decided or proposed already, PR022 the evidence does not
-- allow this decision, PR023 a field of the decision is wrong. Each carries a JSON object as detail.

-- The posting that moves an amount from one position to another, as a JSON array of none or one line.
create function ledger_lines(operation text, position_from text, position_to text, amount_minor bigint, currency text)
returns jsonb language sql stable return coalesce((
  select jsonb_agg(jsonb_build_object(
           'event', ledger_event($1, position_from, position_to),
           'debit', case $1 when 'CHARGE' then n.account else o.account end,
           'credit', case $1 when 'CHARGE' then o.account else n.account end,
           'amountMinor', $4, 'currency', $5))
    from ledger_position o, ledger_position n
   where (o.operation, o.position) = ($1, position_from) and (n.operation, n.position) = ($1, position_to)
     and position_from <> position_to), '[]');

-- What is on record about the payment of a case, as far as decisions are judged by it. Answers about another payment and
-- earlier decisions of people prove nothing here.
create type review_fact as (
  case_id bigint, subject text, closed_at timestamptz, closed_by text, category text, payment_id uuid, state text,
  "position" text, operation text, amount_minor bigint, currency text, provider_payment_id text, attempts integer,
  succeeded_at timestamptz, rejected_at timestamptz, accepted_at timestamptz, not_found integer, mismatch text,
  against_resend boolean, paid_otherwise uuid, may_arrive_until timestamptz, other_permit text);
create function review_facts(for_case bigint) returns review_fact language sql stable as $$
  select c.case_id, c.subject, c.closed_at, c.closed_by, c.category, p.payment_id, p.state,
         p.position, p.operation, p.amount_minor - p.confirmed_minor, p.currency, p.provider_payment_id, p.attempts,
         e.succeeded_at, e.rejected_at, e.accepted_at, coalesce(e.not_found, 0), e.mismatch,
         speaks_against_resend(p.payment_id, p.attempts),
         (select s.payment_id from payment s
           where (s.source_reference, s.caller, s.operation) = (p.source_reference, p.caller, p.operation)
             and s.payment_id <> p.payment_id
             and (s.state = 'SUCCEEDED' or exists (
                   select from evidence x where x.payment_id = s.payment_id and x.verdict = 'SUCCEEDED' and x.mismatch is null))
           limit 1),
         (select greatest(a.lease_until, a.started_at + coalesce(v.arrival_limit_ms, 0) * interval '1 millisecond')
            from attempt a left join provider_operation v on (v.provider, v.operation) = (p.provider, p.operation)
           where (a.payment_id, a.attempt_no) = (p.payment_id, p.attempts)),
         (select r.kind from resend_permit r
           where (r.payment_id, r.for_attempt) = (p.payment_id, p.attempts + 1) and r.kind <> 'TWO_PEOPLE')
    from review_case c left join payment p on p.payment_id = c.payment_id
    left join lateral (
      select max(received_at) filter (where verdict = 'SUCCEEDED' and x.mismatch is null) as succeeded_at,
             max(received_at) filter (where verdict = 'REJECTED' and x.mismatch is null) as rejected_at,
             max(received_at) filter (where verdict = 'ACCEPTED' and x.mismatch is null) as accepted_at,
             (count(*) filter (where verdict = 'NOT_FOUND'))::integer as not_found,
             string_agg(distinct x.mismatch, ', ') as mismatch
        from evidence x where x.payment_id = p.payment_id and x.source <> 'DECISION') e on true
   where c.case_id = for_case;
$$;

-- Each decision that there is about the subject of a case: whether the evidence allows it, and if not why; whose evidence
-- supports it and speaks against it; whether money is sent again; and the ledger lines that would follow.
create function decisions_allowed(for_case bigint) returns table (
  kind text, meaning text, two_people boolean, allowed boolean, why_not text, supports jsonb, speaks_against jsonb,
  money_sent_again boolean, preview jsonb)
language sql stable as $$
  select k.kind, k.meaning, k.two_people, j.why_not is null, j.why_not,
         said.supports, said.speaks_against, k.kind = 'ALLOW_RESEND', coalesce(case k.kind
           when 'CONFIRM_SUCCEEDED' then ledger_lines(f.operation, f.position, 'CONFIRMED', f.amount_minor, f.currency)
           when 'CONFIRM_FAILED' then ledger_lines(f.operation, f.position, 'RELEASED', f.amount_minor, f.currency)
           when 'ALLOW_RESEND' then ledger_lines(f.operation, f.position, 'REQUESTED', f.amount_minor, f.currency)
           when 'CLOSE_WITH_ADJUSTMENT' then (
             select jsonb_agg(line || '{"event": "ReconciliationAdjusted"}')
               from jsonb_array_elements(case
                 when f.state = 'FAILED' and f.succeeded_at is not null
                   then ledger_lines(f.operation, 'RELEASED', 'CONFIRMED', f.amount_minor, f.currency)
                 when f.state = 'SUCCEEDED' and f.rejected_at > f.succeeded_at
                   then ledger_lines(f.operation, 'CONFIRMED', 'RELEASED', f.amount_minor, f.currency)
                 else '[]' end) as line)
           end, '[]')
    from review_facts(for_case) f
    join decision_kind k on k.subject = split_part(f.subject, ':', 1)
    cross join lateral (
      select case
        when f.closed_at is not null then 'the case is closed'
        when k.subject <> 'payment' or k.kind = 'KEEP_WAITING' then null
        when k.kind = 'CLOSE_WITH_ADJUSTMENT' then
          case when f.state not in ('SUCCEEDED', 'FAILED') then 'the payment is ' || f.state || ': say first what became of it' end
        when f.state in ('SUCCEEDED', 'FAILED') then 'the payment is ' || f.state || ', and a final state is not overwritten'
        when f.state <> 'REVIEW' then 'the payment is ' || f.state || ': automation is at work'
        when k.kind = 'CONFIRM_SUCCEEDED' then
          case when f.attempts = 0 and f.succeeded_at is null then 'it was never sent'
               when f.category = 'NOT_EXECUTED' and f.succeeded_at is null and f.accepted_at is null
                 then 'every attempt provably did not execute' end
        when k.kind = 'CONFIRM_FAILED' then
          case when f.succeeded_at is not null and (f.rejected_at is null or f.rejected_at <= f.succeeded_at)
                 then 'the newest proof on record says that the money moved' end
        when k.kind = 'ALLOW_RESEND' then
          case when f.against_resend then 'evidence says that the money moved or is moving'
               when f.paid_otherwise is not null then 'payment ' || f.paid_otherwise || ' may have been made for the same reference'
               when f.may_arrive_until > clock_timestamp() then 'the last request may still arrive until '
                 || to_char(f.may_arrive_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
               when f.other_permit is not null and f.category = 'STATE_CONFLICT'
                 then 'its next attempt has a permit of kind ' || f.other_permit || ' from before the conflict' end
        end as why_not) j
    cross join lateral (
      select coalesce(jsonb_agg(x.said order by x.evidence_id) filter (where x.sense > 0), '[]') as supports,
             coalesce(jsonb_agg(x.said order by x.evidence_id) filter (where x.sense < 0), '[]') as speaks_against
        from (select e.evidence_id,
                     jsonb_build_object('evidenceId', e.evidence_id, 'source', e.source, 'verdict', e.verdict,
                       'reason', left(e.reason, 200), 'receivedAt', e.received_at) as said,
                     case when k.kind = 'CONFIRM_SUCCEEDED' then
                            case when e.verdict in ('SUCCEEDED', 'ACCEPTED') then 1
                                 when e.verdict in ('REJECTED', 'NOT_EXECUTED', 'NOT_FOUND') then -1 else 0 end
                          when k.kind in ('CONFIRM_FAILED', 'ALLOW_RESEND') then
                            case when e.verdict in ('SUCCEEDED', 'ACCEPTED') then -1
                                 when e.verdict in ('REJECTED', 'NOT_EXECUTED', 'NOT_FOUND') then 1 else 0 end
                          else 0 end as sense
                from evidence e
               where e.payment_id = f.payment_id and e.mismatch is null and e.source <> 'DECISION'
               order by e.evidence_id desc limit 50) x) said
   order by array_position(array['CONFIRM_SUCCEEDED', 'CONFIRM_FAILED', 'ALLOW_RESEND', 'CLOSE_WITH_ADJUSTMENT',
              'KEEP_WAITING'], k.kind), k.kind;
$$;

-- Refuses one field of a decision.
create function refuse_decision_field(field text, given text, wanted text) returns void language plpgsql as $$
begin
  raise exception '%: %', field, wanted using errcode = 'PR023',
    detail = json_build_object('field', field, 'found', left(given, 40), 'allowed', wanted)::text;
end $$;

-- The ledger lines of a decision: from one account to another, in the payment's currency, never between accounts that
-- hold what is in doubt, because the states of payments say what is in there.
create function check_decision_lines(lines jsonb) returns void language plpgsql as $$
declare
  line jsonb;
  n integer := 0;
begin
  if jsonb_typeof(lines) is distinct from 'array' or jsonb_array_length(lines) > 20 then
    perform refuse_decision_field('details.lines', jsonb_typeof(lines), 'an array of at most 20 lines; none when the books are right');
  end if;
  for line in select * from jsonb_array_elements(lines) loop
    if jsonb_typeof(line) <> 'object' or exists (
         select from jsonb_object_keys(line) k where k not in ('debit', 'credit', 'amountMinor')) then
      perform refuse_decision_field('details.lines[' || n || ']', jsonb_typeof(line), 'debit, credit and amountMinor');
    end if;
    if jsonb_typeof(line -> 'amountMinor') is distinct from 'number' or line ->> 'amountMinor' !~ '^[1-9][0-9]{0,14}$' then
      perform refuse_decision_field('details.lines[' || n || '].amountMinor', line ->> 'amountMinor', 'a whole number of minor units above 0');
    end if;
    if not exists (select from ledger_account a where a.code = line ->> 'debit' and a.code not like 'in\_doubt%') then
      perform refuse_decision_field('details.lines[' || n || '].debit', line ->> 'debit', 'an account that is not in doubt');
    end if;
    if not exists (select from ledger_account a where a.code = line ->> 'credit' and a.code not like 'in\_doubt%')
       or line ->> 'credit' = line ->> 'debit' then
      perform refuse_decision_field('details.lines[' || n || '].credit', line ->> 'credit', 'another account that is not in doubt');
    end if;
    n := n + 1;
  end loop;
end $$;

-- What each decision about a payment must say.
create function check_decision_details(d decision) returns void language plpgsql as $$
declare
  subject payment;
  fields text[] := case d.kind when 'CONFIRM_SUCCEEDED' then array['providerPaymentId', 'lines']
                               when 'CLOSE_WITH_ADJUSTMENT' then array['lines']
                               when 'KEEP_WAITING' then array['until', 'handBack'] else array[]::text[] end;
  other text;
  until timestamptz;
begin
  select k into other from jsonb_object_keys(d.details) k where k <> all (fields) limit 1;
  if found then
    perform refuse_decision_field('details.' || left(other, 40), 'an unknown field',
      case when cardinality(fields) = 0 then 'no fields' else 'one of ' || array_to_string(fields, ', ') end);
  end if;
  select p.* into subject from review_case c join payment p using (payment_id) where c.case_id = d.case_id;

  if d.kind = 'CONFIRM_SUCCEEDED' then
    if not d.details ? 'providerPaymentId' and subject.provider_payment_id is not null then
      null;
    elsif jsonb_typeof(d.details -> 'providerPaymentId') is distinct from 'string'
       or length(d.details ->> 'providerPaymentId') not between 1 and 255
       or d.details ->> 'providerPaymentId' ~ '[[:cntrl:]]' then
      perform refuse_decision_field('details.providerPaymentId', d.details ->> 'providerPaymentId',
        'the payment id of the provider, 1 to 255 characters');
    elsif d.details ->> 'providerPaymentId' <> subject.provider_payment_id then
      perform refuse_decision_field('details.providerPaymentId', d.details ->> 'providerPaymentId',
        subject.provider_payment_id || ', by which the provider knows this payment');
    elsif exists (select from provider_payment x
                   where (x.provider, x.account, x.operation, x.provider_payment_id)
                       = (subject.provider, subject.account, subject.operation, d.details ->> 'providerPaymentId')
                     and x.payment_id <> subject.payment_id) then
      perform refuse_decision_field('details.providerPaymentId', d.details ->> 'providerPaymentId',
        'an id that is not the one of another payment');
    end if;
    if d.details ? 'lines' then
      perform check_decision_lines(d.details -> 'lines');
    end if;
  elsif d.kind = 'CLOSE_WITH_ADJUSTMENT' then
    perform check_decision_lines(d.details -> 'lines');
  elsif d.kind = 'KEEP_WAITING' then
    begin
      until := d.details ->> 'until';
    exception when others then
      until := null;
    end;
    if until is null or jsonb_typeof(d.details -> 'until') <> 'string' or not isfinite(until) or until <= clock_timestamp()
       or until > clock_timestamp() + interval '30 days' then
      perform refuse_decision_field('details.until', d.details ->> 'until', 'a time from now on, at most 30 days ahead');
    end if;
    if jsonb_typeof(d.details -> 'handBack') not in ('boolean')
       or d.details -> 'handBack' = 'true' and (subject.state <> 'REVIEW' or subject.category <> 'RECEIPT_MISSING') then
      perform refuse_decision_field('details.handBack', d.details ->> 'handBack',
        'true or false; true only while the payment is in REVIEW because its receipt is missing');
    end if;
  end if;
end $$;

-- A decision as screens, messages, and the refusal of whoever came too late show it.
create function decision_shown(d decision) returns jsonb language sql stable as $$
  select jsonb_build_object('decisionId', d.decision_id, 'caseId', d.case_id, 'kind', d.kind, 'reason', d.reason, 'details', d.details,
    'proposedBy', d.proposed_by, 'proposedAt', d.proposed_at, 'approvedBy', d.approved_by, 'approvedAt', d.approved_at,
    'refusedBy', d.refused_by, 'refusedAt', d.refused_at, 'refusedWhy', d.refused_why, 'effectiveAt', d.effective_at,
    'state', case when d.effective_at is not null then 'EFFECTIVE' when d.refused_by is not null then 'REFUSED'
                  when exists (select from review_case c where c.case_id = d.case_id and c.closed_at is not null) then 'OVERTAKEN'
                  else 'PROPOSED' end,
    'links', jsonb_build_object('case', '/api/review/cases/' || d.case_id))
$$;

-- Who may decide what, and when. Locks the payment before its case is judged, so that an answer, a webhook or another
-- person is either seen here, or waits and sees this decision.
create function decision_guard() returns trigger language plpgsql as $$
declare
  about review_case;
  other decision;
  judged record;
  two boolean;
begin
  if tg_op = 'UPDATE' then
    if (new.decision_id, new.case_id, new.kind, new.details, new.reason, new.proposed_by, new.proposed_at)
       is distinct from (old.decision_id, old.case_id, old.kind, old.details, old.reason, old.proposed_by, old.proposed_at) then
      raise exception 'decision %: what was proposed never changes', old.decision_id using errcode = 'PR001';
    end if;
    if old.effective_at is not null or old.refused_by is not null then
      raise exception '% of % was % by % at %', old.kind, old.proposed_by,
        case when old.refused_by is not null then 'refused' when old.approved_by is not null then 'approved' else 'made' end,
        coalesce(old.refused_by, old.approved_by, old.proposed_by), coalesce(old.refused_at, old.effective_at)
        using errcode = 'PR021', detail = decision_shown(old)::text;
    end if;
  elsif num_nonnulls(new.approved_by, new.approved_at, new.refused_by, new.refused_at, new.effective_at) > 0 then
    raise exception 'a decision begins as a proposal' using errcode = 'PR001';
  end if;

  perform from payment p join review_case c using (payment_id) where c.case_id = new.case_id for update of p;
  select c.* into about from review_case c where c.case_id = new.case_id for no key update;
  if about.case_id is null then
    raise exception 'there is no case %', new.case_id using errcode = '23503';
  end if;
  select k.two_people into two from decision_kind k
   where k.kind = new.kind and k.subject = split_part(about.subject, ':', 1);
  if not found then
    perform refuse_decision_field('kind', new.kind, 'one of ' || (
      select string_agg(k.kind, ', ' order by k.kind) from decision_kind k where k.subject = split_part(about.subject, ':', 1)));
  end if;

  if tg_op = 'INSERT' then
    -- The same once more is a double click; the other one says so.
    select d.* into other from decision d
     where d.case_id = new.case_id and d.refused_by is null
       and (d.effective_at is null
         or not two and (d.kind, d.proposed_by, d.details, d.reason) = (new.kind, new.proposed_by, new.details, new.reason)
            and d.proposed_at > clock_timestamp() - interval '1 minute')
     order by d.decision_id desc limit 1;
    if found and about.closed_at is null or other.effective_at is not null then
      raise exception '% was proposed by % at %', other.kind, other.proposed_by, other.proposed_at
        using errcode = 'PR021', detail = decision_shown(other)::text;
    end if;
    new.proposed_at := clock_timestamp();
  end if;
  if about.closed_at is not null then
    select d.* into other from decision d where d.case_id = new.case_id and d.effective_at is not null
     order by d.effective_at desc limit 1;
    raise exception 'the case was closed by % at %', about.closed_by, about.closed_at using errcode = 'PR020',
      detail = jsonb_build_object('closedBy', about.closed_by, 'closedAt', about.closed_at, 'paymentState',
        (select p.state from payment p where p.payment_id = about.payment_id),
        'decision', case when other.decision_id is not null then decision_shown(other) end)::text;
  end if;

  if new.refused_by is not null then
    new.refused_at := clock_timestamp();
    return new;
  end if;
  if tg_op = 'UPDATE' and two <> (new.approved_by is not null)
     or tg_op = 'UPDATE' and not two and pg_trigger_depth() < 2 then
    raise exception 'decision %: a second person approves it, if its kind needs one', old.decision_id using errcode = 'PR002';
  end if;
  select a.* into judged from decisions_allowed(new.case_id) a where a.kind = new.kind;
  if not judged.allowed then
    raise exception '%: %', new.kind, judged.why_not using errcode = 'PR022',
      detail = jsonb_build_object('kind', new.kind, 'whyNot', judged.why_not, 'speaksAgainst', judged.speaks_against)::text;
  end if;
  if split_part(about.subject, ':', 1) = 'payment' then
    perform check_decision_details(new);
  end if;
  if new.approved_by is not null then
    new.approved_at := clock_timestamp();
    new.effective_at := new.approved_at;
  end if;
  return new;
end $$;
create trigger guard before insert or update on decision for each row execute function decision_guard();

-- A kind that needs no second person takes effect at once, by an update, so that whoever acts on decisions has one event
-- to wait for: effective_at is set.
create function decision_made() returns trigger language plpgsql as $$
begin
  update decision d set effective_at = clock_timestamp()
    from decision_kind k where d.decision_id = new.decision_id and k.kind = d.kind and not k.two_people;
  return null;
end $$;
create trigger made after insert on decision for each row execute function decision_made();

-- Evidence of a decision is written by what applies the decision, and by nothing else.
create function decision_evidence_is_ours() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'evidence of a decision is written by the rules of the schema, not by a statement' using errcode = 'PR002';
  end if;
  return new;
end $$;
create trigger decision_is_ours before insert on evidence for each row when (new.source = 'DECISION')
  execute function decision_evidence_is_ours();

-- What follows from a decision about a payment. History, outbox, event, ledger and case follow from the payment's move.
create function payment_decided() returns trigger language plpgsql as $$
declare
  about review_case;
  subject payment;
  proof bigint;
  actors text := concat_ws(' and ', new.proposed_by, new.approved_by);
  given_id text := new.details ->> 'providerPaymentId';
begin
  select c.* into about from review_case c where c.case_id = new.case_id;
  if about.subject <> 'payment' then
    return null;
  end if;
  select p.* into subject from payment p where p.payment_id = about.payment_id;
  if given_id is not null then
    insert into provider_payment (provider, account, operation, provider_payment_id, payment_id)
    values (subject.provider, subject.account, subject.operation, given_id, subject.payment_id)
    on conflict (provider, account, operation, provider_payment_id) do nothing;
  end if;
  insert into evidence (payment_id, attempt_no, source, verdict, provider_payment_id, fact, code, reason, recorded_by, decision_id)
  values (subject.payment_id, subject.current_attempt, 'DECISION',
          case new.kind when 'CONFIRM_SUCCEEDED' then 'SUCCEEDED' when 'CONFIRM_FAILED' then 'REJECTED'
                        when 'ALLOW_RESEND' then 'NOT_EXECUTED' else 'AMBIGUOUS' end,
          given_id, 'decision:' || new.decision_id, new.kind, new.reason, actors, new.decision_id)
  returning evidence_id into proof;

  insert into ledger_posting (event, fact, line, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
  select 'ReconciliationAdjusted', 'decision:' || new.decision_id, n, subject.payment_id, subject.provider,
         line ->> 'debit', line ->> 'credit', (line ->> 'amountMinor')::bigint, subject.currency, new.reason, actors
    from jsonb_array_elements(coalesce(new.details -> 'lines', '[]')) with ordinality as l (line, n);

  if new.kind = 'CLOSE_WITH_ADJUSTMENT' then
    update review_case c set closed_at = clock_timestamp(), closed_by = actors where c.case_id = new.case_id;
  elsif new.kind = 'ALLOW_RESEND' then
    insert into resend_permit (payment_id, for_attempt, kind, evidence_id, granted_by, reason)
    values (subject.payment_id, subject.attempts + 1, 'TWO_PEOPLE', proof, actors, new.reason)
    on conflict (payment_id, for_attempt) do nothing;
    update payment p set state = 'PENDING', category = null, reason = new.reason, actor = actors, evidence_id = proof,
           due_at = clock_timestamp()
     where p.payment_id = subject.payment_id;
  elsif new.kind in ('CONFIRM_SUCCEEDED', 'CONFIRM_FAILED') then
    update payment p set state = case new.kind when 'CONFIRM_SUCCEEDED' then 'SUCCEEDED' else 'FAILED' end,
           category = null, reason = new.reason, actor = actors, evidence_id = proof,
           provider_payment_id = coalesce(p.provider_payment_id, given_id)
     where p.payment_id = subject.payment_id;
  elsif new.details -> 'handBack' = 'true' then
    update payment p set state = 'UNKNOWN', category = null, reason = new.reason, actor = actors, evidence_id = proof,
           queries = 0, inconclusive = 0, due_at = clock_timestamp()
     where p.payment_id = subject.payment_id;
  end if;
  return null;
end $$;
create trigger payment_decided after update of approved_by, effective_at on decision for each row
  when (old.effective_at is null and new.effective_at is not null) execute function payment_decided();

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

-- What the queue payments.review has not been told yet; emptied by the publisher. The message is made when it is sent, of
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

-- Whether the money of a case may have moved twice, or may move twice: the most urgent ones.
create function review_double_pay(f review_fact) returns boolean language sql stable as $$
  select coalesce(f.closed_at is null and f.category = 'STATE_CONFLICT' and (
    f.state = 'FAILED' and f.succeeded_at is not null or f.paid_otherwise is not null
    or (select count(distinct e.provider_payment_id) > 1 from evidence e
         where e.payment_id = f.payment_id and e.verdict = 'SUCCEEDED'
           and coalesce(e.mismatch, 'provider_payment_id') = 'provider_payment_id')), false)
$$;

-- What we would decide, and why. Silence recommends to wait, never that nothing happened.
create function review_recommendation(f review_fact, out kind text, out why text) language sql stable as $$
  select r.kind, r.why from (select case
    when f.closed_at is not null then null
    when f.payment_id is null or f.subject <> 'payment' then null
    when f.state = 'FAILED' and f.succeeded_at is not null then array['CLOSE_WITH_ADJUSTMENT',
      'the payment failed for us and the provider says that it was made: have it returned or book it, and close the case']
    when f.state in ('SUCCEEDED', 'FAILED') then array['KEEP_WAITING',
      'evidence contradicts a final state: ask the provider which of the two is right, then close the case with what corrects the books']
    when f.state <> 'REVIEW' then array['KEEP_WAITING', 'automation is at work']
    when f.mismatch is not null then array['KEEP_WAITING',
      'an answer names another ' || f.mismatch || ': ask the provider whom its payment is for before anything is decided']
    when f.paid_otherwise is not null then array['CONFIRM_FAILED',
      'payment ' || f.paid_otherwise || ' for the same reference was made or may have been: this one must not be sent']
    when f.succeeded_at is not null and f.rejected_at is null then array['CONFIRM_SUCCEEDED',
      'the provider says that the money moved, and nothing on record says otherwise']
    when f.succeeded_at is not null then array['KEEP_WAITING',
      'the provider said both that the money moved and that it did not: ask for a written statement']
    when f.category = 'NOT_EXECUTED' then array['ALLOW_RESEND',
      'nothing moved, as is proven, and the payment was not sent in time: send it now, or call it off with CONFIRM_FAILED']
    when f.rejected_at is not null and f.accepted_at is null then array['CONFIRM_FAILED',
      'the provider refused it, and nothing on record says that the money moved']
    when f.not_found > 0 then array['KEEP_WAITING',
      'the provider does not find it, which alone proves nothing: wait for the settlement file of its day, or for a statement of the provider']
    else array['KEEP_WAITING',
      'nothing on record proves anything: look at the provider''s own pages, its settlement file and its support'] end as said) x,
    lateral (select x.said[1] as kind, x.said[2] as why) r
$$;

create function review_category_why(category text) returns text language sql immutable return case category
  when 'NOT_EXECUTED' then 'Every attempt provably did not execute, or none was made: no money moved, and it was not sent in time.'
  when 'RECEIPT_MISSING' then 'A request left or may have left, and nothing on record proves what became of it.'
  when 'STATE_CONFLICT' then 'What is on record contradicts itself: people must say which of it is true.'
  when 'DIFFERENCE' then 'What the provider settled and what our books hold differ.' end;

-- What a screen or a message shows of an amount.
create function shown_amount(amount_minor bigint, currency text) returns text language sql stable as $$
  select round(amount_minor * (10::numeric ^ -c.exponent), c.exponent)::text from currency c where c.code = currency
$$;

-- A case with everything that one needs to decide it, of bounded size: the latest attempts and evidence, and of each
-- redacted answer its beginning.
create function review_context(for_case bigint, most integer, answer_max integer) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'caseId', c.case_id, 'subject', c.subject, 'category', f.category, 'categoryWhy', review_category_why(f.category),
    'reason', left(c.reason, 1000), 'state', case when c.closed_at is null then 'OPEN' else 'CLOSED' end,
    'openedAt', c.opened_at, 'closedAt', c.closed_at, 'closedBy', c.closed_by,
    'ageSeconds', greatest(0, extract(epoch from coalesce(c.closed_at, now()) - c.opened_at))::bigint,
    'doublePay', review_double_pay(f), 'waitsUntil', review_waits_until(c.case_id),
    'escalations', coalesce((
      select jsonb_agg(jsonb_build_object('reason', x.reason, 'detail', x.detail, 'at', x.escalated_at) order by x.escalated_at)
        from review_escalation x where x.case_id = c.case_id), '[]'),
    'payment', case when p.payment_id is not null then jsonb_build_object(
      'paymentId', p.payment_id, 'caller', p.caller, 'sourceReference', p.source_reference, 'operation', p.operation,
      'provider', p.provider, 'account', p.account, 'amountMinor', p.amount_minor,
      'amount', shown_amount(p.amount_minor, p.currency), 'currency', p.currency, 'state', p.state, 'category', p.category,
      'reason', left(p.reason, 1000), 'stateSince', p.state_since, 'acceptedAt', p.accepted_at, 'firstSentAt', p.first_sent_at,
      'providerKey', p.provider_key, 'providerPaymentId', p.provider_payment_id, 'attemptCount', p.attempts,
      'queryCount', p.queries, 'nextQueryAt', (select q.due_at from outbox q where q.payment_id = p.payment_id),
      'links', jsonb_build_object('self', '/api/payments/' || p.payment_id)) end,
    'attempts', coalesce((
      select jsonb_agg(jsonb_build_object('attemptNo', a.attempt_no, 'providerKey', a.provider_key, 'startedAt', a.started_at,
               'leaseUntil', a.lease_until, 'outcome', coalesce(e.verdict, 'NONE'), 'reason', left(e.reason, 300), 'code', left(e.code, 100),
               'httpStatus', e.http_status, 'answer', left(e.answer, answer_max), 'elapsedMs', e.elapsed_ms,
               'answeredAt', e.received_at) order by a.attempt_no)
        from (select * from attempt x where x.payment_id = p.payment_id order by x.attempt_no desc limit most) a
        left join lateral (
          select * from evidence y where (y.payment_id, y.attempt_no) = (a.payment_id, a.attempt_no) and y.source in ('ANSWER', 'LEASE')
           order by y.source limit 1) e on true), '[]'),
    'evidence', coalesce((
      select jsonb_agg(jsonb_build_object('evidenceId', e.evidence_id, 'source', e.source, 'verdict', e.verdict,
               'attemptNo', e.attempt_no, 'mismatch', e.mismatch, 'providerPaymentId', e.provider_payment_id,
               'amountMinor', e.amount_minor, 'fact', e.fact, 'code', left(e.code, 100), 'reason', left(e.reason, 300),
               'httpStatus', e.http_status, 'answer', left(e.answer, answer_max), 'decisionId', e.decision_id,
               'receivedAt', e.received_at, 'opensCase', e.evidence_id is not distinct from c.evidence_id) order by e.evidence_id)
        from (select * from evidence x where x.payment_id = p.payment_id order by x.evidence_id desc limit most) e), '[]'),
    'decisions', (
      select coalesce(jsonb_agg(jsonb_build_object('kind', a.kind, 'meaning', a.meaning, 'twoPeople', a.two_people,
               'allowed', a.allowed, 'whyNot', a.why_not, 'moneySentAgain', a.money_sent_again, 'preview', a.preview,
               'supports', a.supports, 'speaksAgainst', a.speaks_against) order by a.ordinality), '[]')
        from decisions_allowed(c.case_id) with ordinality a),
    'recommended', (select case when r.kind is not null then jsonb_build_object('kind', r.kind, 'why', r.why) end
                      from review_recommendation(f) r),
    'proposal', (select decision_shown(d) from decision d
                  where d.case_id = c.case_id and d.effective_at is null and d.refused_by is null and c.closed_at is null),
    'links', jsonb_build_object('self', '/api/review/cases/' || c.case_id))
    from review_case c cross join lateral review_facts(c.case_id) f left join payment p on p.payment_id = c.payment_id
   where c.case_id = for_case
$$;
