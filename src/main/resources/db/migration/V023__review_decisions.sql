-- What a decision must say, who may make it, and what follows from it in the same commit.

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

-- What speaks against a decision and was told after it was proposed: the first person did not know it, and the second one
-- may have looked before it came. What says again what was on record does not count. Null when there is nothing.
create function told_since_proposed(d decision, payment uuid) returns text language sql stable as $$
  select 'since it was proposed, ' || said || ': propose what fits that'
    from (
      select e.evidence_id as place, e.source || ' says ' || e.verdict || coalesce(' of another ' || e.mismatch, '') as said
        from evidence e
       where e.payment_id = payment and e.evidence_id > d.seen_evidence and e.source <> 'DECISION'
         and (e.mismatch is not null
           or e.verdict = any (case d.kind when 'CONFIRM_SUCCEEDED' then array['REJECTED', 'NOT_EXECUTED', 'NOT_FOUND']
                                           when 'CLOSE_WITH_ADJUSTMENT' then array['SUCCEEDED', 'REJECTED']
                                           else array['SUCCEEDED', 'ACCEPTED'] end))
         and not exists (
           select from evidence o
            where o.payment_id = payment and o.evidence_id <= d.seen_evidence
              and (o.verdict, o.mismatch, o.provider_payment_id) is not distinct from (e.verdict, e.mismatch, e.provider_payment_id)
              and (e.mismatch is distinct from 'amount' or o.amount_minor is not distinct from e.amount_minor))
      union all
      select r.reversal_id, r.source || ' tells of a ' || r.kind || ' that is not booked'
        from reversal r
       where d.kind = 'CLOSE_WITH_ADJUSTMENT' and r.payment_id = payment and r.reversal_id > d.seen_reversal
         and not exists (select from ledger_posting l where l.fact = 'reversal:' || r.reversal_id)) news
   order by place limit 1
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
    if (new.decision_id, new.case_id, new.kind, new.details, new.reason, new.proposed_by, new.proposed_at, new.seen_evidence, new.seen_reversal)
       is distinct from (old.decision_id, old.case_id, old.kind, old.details, old.reason, old.proposed_by, old.proposed_at, old.seen_evidence,
         old.seen_reversal) then
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
    new.seen_evidence := coalesce((select max(e.evidence_id) from evidence e where e.payment_id = about.payment_id), 0);
    new.seen_reversal := coalesce((select max(r.reversal_id) from reversal r where r.payment_id = about.payment_id), 0);
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
  if judged.allowed and tg_op = 'UPDATE' and about.subject = 'payment' and two then
    judged.why_not := told_since_proposed(old, about.payment_id);
  end if;
  if judged.why_not is not null then
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
