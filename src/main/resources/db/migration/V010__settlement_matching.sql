-- Checks, matches and books the lines of settlement files, set by set: each step is a few statements over all lines of a
-- file, and checking, matching and booking a file is one transaction, so that it is applied as a whole or not at all.

-- How the files of a provider are read against our books; written from the provider's YAML. Without a row, the defaults.
create table settlement_contract (
  provider         text primary key references provider (name),
  -- What the provider has as reference: the key we gave it, or (too) what the caller names its order by.
  reference        text not null default 'PROVIDER_KEY' check (reference in ('PROVIDER_KEY', 'SOURCE_REFERENCE')),
  -- LINES: each line's money is at the bank. PAYOUTS: it stays at the provider until a PAYOUT line moves it to the bank.
  -- FILE: PAYOUTS for a file with such lines, else LINES.
  settles          text not null default 'FILE' check (settles in ('LINES', 'PAYOUTS', 'FILE')),
  -- A payment must be in a file for a period that contains the time it was sent at, or so much later.
  lag_ms           bigint not null default 0 check (lag_ms >= 0),
  -- Lines without a reference are matched by amount and currency when their time differs by no more. Null: never.
  window_ms        bigint check (window_ms > 0),
  -- Differences of an amount that are accepted and booked, in minor units for each currency: {"EUR": 2}.
  tolerance        jsonb not null default '{}' check (jsonb_typeof(tolerance) = 'object'),
  -- A file is expected for each period of this length, at the latest so long after its end. Null: none is expected.
  every_ms         bigint check (every_ms > 0),
  late_ms          bigint not null default 86400000 check (late_ms >= 0),
  registered_at    timestamptz not null default clock_timestamp()
);

-- What became of each line, decided when its file is booked. A line is decided once; a payment is claimed by one line for
-- its own money and by one for each way back of it; a line that the provider repeats is booked once. payment_id is set
-- where the line is that payment's; candidate_id where it only may be.
create table settlement_match (
  file_id          bigint not null,
  line_no          integer not null,
  provider         text not null,
  identity         text,
  result           text not null check (result in (
                     'MATCHED', 'TOLERATED', 'RESOLVES', 'FEE', 'PAYOUT', 'KNOWN_LINE', 'DUPLICATE_LINE',
                     'SETTLED_BUT_FAILED', 'DOUBLE_PAY', 'AMOUNT_DIFFERS', 'CURRENCY_DIFFERS', 'AMBIGUOUS', 'CANDIDATE',
                     'UNKNOWN_TO_US', 'ADJUSTMENT', 'KNOWN_LINE_DIFFERS', 'DUPLICATE_DIFFERS', 'NO_IDENTITY')),
  rule             text not null check (rule in ('KIND', 'IDENTITY', 'REFERENCE', 'ORIGINAL', 'PROVIDER_ID', 'WINDOW', 'NONE')),
  payment_id       uuid,
  candidate_id     uuid,
  part             text check (part in ('MOVE', 'RETURN', 'CHARGEBACK', 'CHARGEBACK_REVERSED', 'REFUND_FAILED')),
  -- For AMOUNT_DIFFERS and TOLERATED: line less payment, in minor units.
  difference_minor bigint,
  -- The payment is not SUCCEEDED with us: the line is evidence for it.
  tells            boolean not null default false,
  decision_id      bigint references decision,
  primary key (file_id, line_no),
  check ((payment_id is null) = (part is null)),
  check (payment_id is not null or result not in ('MATCHED', 'TOLERATED', 'RESOLVES'))
);
create unique index provider_line_is_booked_once on settlement_match (provider, identity) where identity is not null;
create unique index payment_is_settled_once on settlement_match (payment_id, part) where payment_id is not null;
create index settlement_match_tells on settlement_match (file_id) where tells;
create index settlement_match_candidate on settlement_match (candidate_id) where candidate_id is not null;
create trigger append_only before delete or truncate on settlement_match for each statement execute function refuse_change();

-- In place of foreign keys, which would look a million rows up one by one: neither lines nor payments are ever deleted.
create function match_has_line_and_payment() returns trigger language plpgsql as $$
declare bad text;
begin
  -- Planned for each statement, because a file of three lines and one of a million need other plans; and an aggregate,
  -- because with a limit the planner looks rows up one by one in hope of an early end.
  execute 'select min(n.file_id || '', line '' || n.line_no) from new_rows n
    left join settlement_line l on (l.file_id, l.line_no) = (n.file_id, n.line_no)
    left join payment p on p.payment_id = n.payment_id
   where l.line_no is null or n.payment_id is not null and (p.payment_id is null or p.provider <> n.provider)' into bad;
  if bad is not null then
    raise exception 'settlement file %: a match needs its line and a payment of its provider', bad using errcode = 'PR011';
  end if;
  select min(n.file_id)::text into bad from (select distinct file_id, provider from new_rows) n
    left join settlement_file f on (f.file_id, f.provider, f.state) = (n.file_id, n.provider, 'STAGED') where f.file_id is null;
  if bad is not null then
    raise exception 'settlement file %: its lines are matched when it is booked, and not again', bad using errcode = 'PR011';
  end if;
  return null;
end $$;
create trigger has_line_and_payment after insert on settlement_match referencing new table as new_rows
  for each statement execute function match_has_line_and_payment();

-- A match never changes, but that people say whose a line is that was nobody's, once.
create function match_guard() returns trigger language plpgsql as $$
begin
  if old.decision_id is not null or new.decision_id is null
     or (new.file_id, new.line_no, new.provider, new.identity, new.result, new.rule, new.candidate_id, new.difference_minor)
        is distinct from
        (old.file_id, old.line_no, old.provider, old.identity, old.result, old.rule, old.candidate_id, old.difference_minor)
     or old.tells and not new.tells
     or old.payment_id is not null and (new.payment_id, new.part) is distinct from (old.payment_id, old.part)
     or not exists (select from decision d join review_case c on c.case_id = d.case_id
                     where d.decision_id = new.decision_id and d.effective_at is not null
                       and c.subject = 'settlement-line:' || old.file_id * 100000000 + old.line_no) then
    raise exception 'settlement file %, line %: a match is changed by one decision only', old.file_id, old.line_no using errcode = 'PR011';
  end if;
  return new;
end $$;
create trigger guard before update on settlement_match for each row execute function match_guard();

-- Periods of which everything is there: the file says which period it covers, its totals hold, and it is booked.
create table settlement_period (
  provider    text not null references provider (name),
  period_from timestamptz not null,
  period_to   timestamptz not null,
  file_id     bigint not null unique references settlement_file,
  check (period_from < period_to)
);
create index settlement_period_of_provider on settlement_period (provider, period_to);
create trigger append_only before update or delete or truncate on settlement_period for each statement execute function refuse_change();

-- Payments that SUCCEEDED with us and that a complete period should contain and does not. One that comes later is matched
-- then; it stays here as the record that it was late.
create table settlement_missing (
  payment_id uuid primary key references payment,
  file_id    bigint not null references settlement_file,
  found_at   timestamptz not null default clock_timestamp()
);
create index settlement_missing_of_file on settlement_missing (file_id);
create trigger append_only before update or delete or truncate on settlement_missing for each statement execute function refuse_change();

-- Results that people must look at.
create function settlement_is_difference(result text) returns boolean language sql immutable
  return result not in ('MATCHED', 'TOLERATED', 'RESOLVES', 'FEE', 'PAYOUT', 'KNOWN_LINE', 'DUPLICATE_LINE');

-- Results whose line is posted when its file is booked. The others are there already, or may be: people decide.
create function settlement_is_booked(result text) returns boolean language sql immutable
  return result not in ('KNOWN_LINE', 'KNOWN_LINE_DIFFERS', 'DUPLICATE_LINE', 'DUPLICATE_DIFFERS', 'NO_IDENTITY');

-- The part of a reference that is a payment id of ours, whatever its generation and case. Stable, not immutable, so that
-- it is inlined.
create function settlement_payment_id(reference text) returns uuid language sql stable
  return case when length(reference) >= 32 and pg_input_is_valid(left(reference, 32), 'uuid')
                and (length(reference) = 32 or substr(reference, 33) ~ '^-[0-9]{1,4}$') then left(reference, 32)::uuid end;

-- Which part of a payment a line of this kind and direction is: its own money, or a way back of it. Null: none.
create function settlement_part(kind text, amount_minor bigint, operation text) returns text language sql immutable return
  case when kind = 'PAYMENT' or kind = 'REFUND' and amount_minor <= 0 then 'MOVE'
       when operation = 'REFUND' and amount_minor > 0 then 'REFUND_FAILED'
       when kind = 'CHARGEBACK' and operation = 'CHARGE' and amount_minor < 0 then 'CHARGEBACK'
       when kind = 'CHARGEBACK' and operation = 'CHARGE' then 'CHARGEBACK_REVERSED'
       when (operation = 'CHARGE') = (amount_minor < 0) then 'RETURN' end;

-- What makes a line one of a kind at its provider. After '#' it is built from the content, because the provider gives no
-- id: enough to see that a line may be there twice, not to say that it is the same.
create function settlement_identity(kind text, line_id text, payment_id text, at timestamptz, batch text, amount bigint,
                                    currency text, reference text)
returns text language sql stable return
  kind || case when line_id is not null then ':' || line_id
               when payment_id is not null then '=' || payment_id
               else '#' || md5(concat_ws('|', extract(epoch from at)::text, batch, amount::text, currency, reference)) end;

-- Everything that is wrong with the totals of a file, in words, with the two numbers that should be one.
create function settlement_problems(checked bigint) returns table (check_name text, currency text, declared numeric, counted numeric, detail text)
language sql stable as $$
  with f as materialized (select * from settlement_file where file_id = checked),
  l as materialized (
    select l.line_no, l.kind, l.batch_id, l.currency as paid_in, coalesce(l.settle_currency, l.currency) as currency, l.fee_minor, l.net_minor,
           case when l.settle_amount_minor is not null then l.settle_amount_minor
                when l.settle_currency is null or l.settle_currency = l.currency then l.amount_minor
                when l.net_minor is not null then l.net_minor + coalesce(l.fee_minor, 0) end as settled
      from settlement_line l join f on f.file_id = l.file_id where l.kind <> 'IGNORED'),
  sums as materialized (
    select currency, sum(coalesce(net_minor, settled - coalesce(fee_minor, 0))) as net from l group by currency),
  batch as materialized (
    select batch_id, currency, sum(coalesce(net_minor, settled - coalesce(fee_minor, 0))) filter (where kind <> 'PAYOUT') as rows_net,
           sum(coalesce(net_minor, settled - coalesce(fee_minor, 0))) filter (where kind = 'PAYOUT') as payout
      from l where batch_id is not null group by batch_id, currency)
  select 'control ' || (c ->> 'name'), c ->> 'currency', (c ->> 'declared')::numeric, (c ->> 'counted')::numeric, null
    from f, jsonb_array_elements(f.declared -> 'controls') c where (c ->> 'declared') is distinct from (c ->> 'counted')
  union all
  select 'entries', e.key, e.value::numeric, coalesce(s.net, 0), 'what the reader added up and what is staged'
    from f, jsonb_each_text(f.declared -> 'entries') e left join sums s on s.currency = e.key
   where e.value::numeric <> coalesce(s.net, 0)
  union all
  select 'closing balance', o.key, (f.declared -> 'closing' ->> o.key)::numeric, o.value::numeric + coalesce(s.net, 0), 'opening + entries'
    from f, jsonb_each_text(f.declared -> 'opening') o left join sums s on s.currency = o.key
   where f.page_no is not distinct from 1 and f.last_page and f.declared -> 'closing' ? o.key
     and (f.declared -> 'closing' ->> o.key)::numeric <> o.value::numeric + coalesce(s.net, 0)
  union all
  select 'net', currency, net_minor, settled - fee_minor, 'line ' || line_no || ': amount less fee'
    from (select * from l where settled - fee_minor <> net_minor order by line_no limit 20) wrong
  union all
  select 'payout', currency, -payout, coalesce(rows_net, 0), 'payout ' || batch_id || ': the sum of its rows'
    from batch where payout is not null and rows_net is not null and payout + rows_net <> 0
  union all
  select 'currency', l.paid_in, null, count(*), 'no currency of ISO 4217'
    from l where not exists (select from currency y where y.code = l.paid_in) group by l.paid_in
  union all
  select 'currency', l.currency, null, count(*), 'no currency of ISO 4217'
    from l where l.currency <> l.paid_in and not exists (select from currency y where y.code = l.currency) group by l.currency
$$;

-- At its commit a booked file is whole: each line has its match, all pages of its statement are there, and its totals hold
-- unless two people said otherwise. Not before, so that booking can be tried and taken back.
create function settlement_file_is_whole() returns trigger language plpgsql as $$
begin
  if (select count(*) from settlement_line l where l.file_id = new.file_id) <> new.line_count
     or (select count(*) from settlement_line l where l.file_id = new.file_id and l.kind <> 'IGNORED')
        <> (select count(*) from settlement_match m where m.file_id = new.file_id)
     or new.override_id is null and exists (select from settlement_problems(new.file_id))
     or new.statement_id is not null and (new.page_no > 1 or not new.last_page) and not (
       select coalesce(max(g.page_no) = count(distinct g.page_no) and bool_or(g.last_page), false)
         from settlement_pages(new.file_id) g where g.state in ('STAGED', 'BOOKED')) then
    raise exception 'settlement file %: it is booked as a whole, and with its totals', new.file_id using errcode = 'PR010';
  end if;
  return null;
end $$;
create constraint trigger is_whole after update on settlement_file deferrable initially deferred for each row
  when (new.state = 'BOOKED' and old.state <> 'BOOKED') execute function settlement_file_is_whole();

-- The pages of the statement that a file is a page of, in order; itself when it is the only one.
create function settlement_pages(page bigint) returns table (file_id bigint, page_no integer, last_page boolean, state text)
language sql stable as $$
  select g.file_id, g.page_no, g.last_page, g.state
    from settlement_file f join settlement_file g on g.file_id = f.file_id
      or g.provider = f.provider and g.statement_id = f.statement_id and f.statement_id is not null
         and (f.page_no > 1 or not f.last_page) and (g.page_no > 1 or not g.last_page)
         and g.state in ('STAGED', 'WAITING', 'REVIEW', 'BOOKED') and abs(extract(epoch from g.received_at - f.received_at)) < 40 * 86400
   where f.file_id = page order by g.page_no
$$;

-- At its commit a complete period is what its booked file says it is, with all pages of its statement.
create function settlement_period_is_booked() returns trigger language plpgsql as $$
begin
  if not exists (
       select from settlement_file f
        where f.file_id = new.file_id and (f.provider, f.period_from, f.period_to) = (new.provider, new.period_from, new.period_to)
          and f.last_page is not false)
     or exists (
       select from settlement_pages(new.file_id) g join settlement_file o using (file_id)
        where o.state <> 'BOOKED' or o.override_id is not null or not o.declared ?| array['controls', 'opening']) then
    raise exception 'settlement file %: a period is complete when its file is booked, with totals that hold', new.file_id
      using errcode = 'PR010';
  end if;
  return null;
end $$;
create constraint trigger is_booked after insert on settlement_period deferrable initially deferred for each row
  execute function settlement_period_is_booked();

-- Opens one case for a file, with what was found, and an alert.
create function settlement_stops(stopped bigint, problems text) returns void language plpgsql as $$
begin
  insert into review_case (subject, category, reason)
  values ('settlement-file:' || stopped, 'DIFFERENCE', left('Nothing of the file is booked. ' || problems, 2000))
  on conflict (subject) where closed_at is null and subject <> 'payment' do nothing;
  perform raise_alert('CONTROL_TOTALS', 'settlement-file:' || stopped, 'CRITICAL', left(problems, 2000));
end $$;

-- Checks a staged file and says which files can be booked now, in order: itself, or all pages of its statement, or none
-- when it waits for a page (WAITING) or for people (REVIEW).
create function settlement_check(checked bigint) returns setof bigint language plpgsql as $$
declare
  f settlement_file;
  before settlement_file;
  problems text;
  pages bigint[];
  complete boolean;
begin
  select * into f from settlement_file where file_id = checked;
  perform pg_advisory_xact_lock(hashtextextended('settlement:' || f.provider, 0));
  select * into f from settlement_file where file_id = checked for update;
  if f.state <> 'STAGED' then
    return;
  end if;

  select string_agg(concat_ws(' ', check_name, p.currency, 'is', coalesce(p.declared::text, 'given'), 'and should be', p.counted::text, '(' || p.detail || ')'), '; ')
    into problems from (select * from settlement_problems(checked) limit 20) p;

  if (problems is null or f.override_id is not null) and f.statement_id is not null and (f.page_no > 1 or not f.last_page) then
    select array_agg(g.file_id order by g.page_no), max(g.page_no) = count(distinct g.page_no) and bool_or(g.last_page) and bool_and(g.state <> 'REVIEW')
      into pages, complete from settlement_pages(checked) g;
    if (select count(*) > count(distinct g.page_no) from settlement_pages(checked) g) then
      problems := 'page ' || f.page_no || ' of statement ' || f.statement_id || ' came twice with different content';
    elsif not complete then
      update settlement_file set state = 'WAITING' where file_id = checked;
      return;
    else
      -- The pages together must lead from the opening to the closing balance.
      select string_agg(concat_ws(' ', 'closing balance', o.key, 'is', last.declared -> 'closing' ->> o.key, 'and should be', o.value::numeric + t.net, '(opening + entries of all pages)'), '; ')
        into problems
        from settlement_file first cross join jsonb_each_text(first.declared -> 'opening') o
        cross join settlement_file last
        cross join lateral (
          select coalesce(sum(coalesce(l.net_minor, coalesce(l.settle_amount_minor, l.amount_minor) - coalesce(l.fee_minor, 0))), 0) as net
            from settlement_line l
           where l.file_id = any (pages) and l.kind <> 'IGNORED' and coalesce(l.settle_currency, l.currency) = o.key) t
       where first.file_id = pages[1] and first.override_id is null and last.override_id is null and last.file_id = pages[cardinality(pages)]
         and last.declared -> 'closing' ? o.key and (last.declared -> 'closing' ->> o.key)::numeric <> o.value::numeric + t.net;
    end if;
  else
    pages := array[checked];
  end if;

  if problems is not null and f.override_id is null then
    perform settlement_stops(checked, problems);
    update settlement_file set state = 'REVIEW' where file_id = checked;
    return;
  end if;

  -- A gap says nothing against this file, but somebody should look for the one between.
  if f.period_from is not null and f.page_no is not distinct from 1 then
    select * into before from settlement_file
     where provider = f.provider and file_id <> checked and state in ('STAGED', 'WAITING', 'REVIEW', 'BOOKED') and period_to <= f.period_from
     order by period_to desc limit 1;
    if before.period_to < f.period_from then
      perform raise_alert('SETTLEMENT_GAP', f.provider, 'WARNING', 'no file for ' || before.period_to || ' to ' || f.period_from
        || ': between settlement files ' || before.file_id || ' and ' || checked);
    end if;
  end if;
  update settlement_file set state = 'STAGED' where file_id = any (pages) and state = 'WAITING';
  return query select p from unnest(pages) with ordinality u (p, n) join settlement_file g on g.file_id = p and g.state = 'STAGED' order by n;
end $$;

-- Whether the lines of a file are at the bank, or at the provider until a PAYOUT.
create function settlement_to_bank(asked bigint) returns boolean language sql stable as $$
  select coalesce(c.settles, 'FILE') = 'LINES'
      or coalesce(c.settles, 'FILE') = 'FILE' and not exists (select from settlement_line l where l.file_id = asked and l.kind = 'PAYOUT')
    from settlement_file f left join settlement_contract c on c.provider = f.provider where f.file_id = asked
$$;

-- A file that cannot be read is a question for people, until it is read again under a corrected contract.
create function settlement_refused(refused bigint) returns void language plpgsql as $$
declare f settlement_file;
begin
  select * into f from settlement_file where file_id = refused;
  insert into review_case (subject, category, reason)
  values ('settlement-file:' || refused, 'DIFFERENCE', left('The file cannot be read, nothing of it is booked. ' || f.refused_why, 2000))
  on conflict (subject) where closed_at is null and subject <> 'payment' do nothing;
  perform raise_alert('SETTLEMENT_REFUSED', 'settlement-file:' || refused, 'CRITICAL', left(f.provider || ': ' || f.refused_why, 2000));
end $$;

create function settlement_reread(again bigint) returns void language sql as $$
  update settlement_file set state = 'STAGING', refused_why = null, line_count = 0 where file_id = again;
  update review_case set closed_at = clock_timestamp(), closed_by = 'settlement' where subject = 'settlement-file:' || again and closed_at is null;
  select clear_alert('SETTLEMENT_REFUSED', 'settlement-file:' || again, 'settlement');
$$;

-- Decides every line of a staged file and books them, in one transaction. Returns how many lines got which result.
create function settlement_book(booked bigint) returns table (result text, lines bigint) language plpgsql as $$
declare
  f settlement_file;
  c settlement_contract;
  our_account text;
  to_bank boolean;
  window_by interval;
  actor constant text := 'settlement';
  trusted boolean;
  found_missing bigint;
  doubled record;
begin
  select * into f from settlement_file where file_id = booked;
  perform pg_advisory_xact_lock(hashtextextended('settlement:' || f.provider, 0));
  select * into f from settlement_file where file_id = booked for update;
  if f.state is distinct from 'STAGED' then
    return query select m.result, count(*) from settlement_match m where m.file_id = booked group by 1;
    return;
  end if;
  select * into c from settlement_contract where provider = f.provider;
  if not found then
    c.reference := 'PROVIDER_KEY'; c.settles := 'FILE'; c.lag_ms := 0; c.tolerance := '{}';
  end if;
  select account into our_account from provider where name = f.provider;
  window_by := c.window_ms * interval '1 millisecond';
  to_bank := settlement_to_bank(booked);

  -- 1. Lines with their identity, and those that are not to be matched: known from earlier files, twice in this one, or
  -- without an identity that would tell.
  create temp table settlement_todo on commit drop as
    select l.line_no, l.kind, l.amount_minor, l.currency, l.reference, l.reference_truncated, l.provider_payment_id, l.provider_line_id,
           l.at, l.hints ->> 'original' as original,
           case when l.kind in ('PAYMENT', 'REFUND', 'RETURN', 'CHARGEBACK') and not l.reference_truncated
                then settlement_payment_id(l.reference) end as names,
           settlement_identity(l.kind, l.provider_line_id, l.provider_payment_id, l.at, l.batch_id, l.amount_minor, l.currency, l.reference) as identity
      from settlement_line l where l.file_id = booked and l.kind <> 'IGNORED';
  analyze settlement_todo;

  create temp table settlement_twins on commit drop as
    select t.identity, min(t.line_no) as first_line,
           count(distinct (t.amount_minor, t.currency)) = 1 as same
      from settlement_todo t join (select d.identity from settlement_todo d group by d.identity having count(*) > 1) d using (identity)
     group by t.identity;
  analyze settlement_twins;

  create temp table settlement_skip on commit drop as
    select t.line_no,
           case when strpos(t.identity, '#') > 0 then 'NO_IDENTITY'
                when (e.amount_minor, e.currency) is distinct from (t.amount_minor, t.currency) then 'KNOWN_LINE_DIFFERS'
                else 'KNOWN_LINE' end as result, false as holds
      from settlement_todo t
      join settlement_match k on (k.provider, k.identity) = (f.provider, t.identity)
      join settlement_line e on (e.file_id, e.line_no) = (k.file_id, k.line_no)
    union all
    select t.line_no,
           case when strpos(t.identity, '#') > 0 then 'NO_IDENTITY' when w.same then 'DUPLICATE_LINE' else 'DUPLICATE_DIFFERS' end,
           t.line_no = w.first_line
      from settlement_todo t join settlement_twins w using (identity)
     where (strpos(t.identity, '#') > 0 or not w.same or t.line_no <> w.first_line)
       and not exists (select from settlement_match k where (k.provider, k.identity) = (f.provider, t.identity));
  analyze settlement_skip;

  -- 2. Pairs of a line and a payment that it names, by the strongest rule that finds any.
  create temp table settlement_pair on commit drop as
    select t.line_no, p.payment_id, 'REFERENCE' as rule,
           coalesce(nullif(substr(t.reference, 34), ''), '0')::integer as generation
      from settlement_todo t join payment p on p.payment_id = t.names
     where p.provider = f.provider and p.generation >= coalesce(nullif(substr(t.reference, 34), ''), '0')::integer
       and not exists (select from settlement_skip s where s.line_no = t.line_no);
  if c.reference = 'SOURCE_REFERENCE' then
    insert into settlement_pair
      select t.line_no, p.payment_id, 'REFERENCE', p.generation
        from settlement_todo t join payment p on p.source_reference = t.reference
       where t.kind in ('PAYMENT', 'REFUND', 'RETURN', 'CHARGEBACK') and not t.reference_truncated and p.provider = f.provider
         and case t.kind when 'REFUND' then p.operation = 'REFUND'
                         when 'PAYMENT' then (p.operation = 'CHARGE') = (t.amount_minor > 0)
                         else (p.operation = 'CHARGE') = (t.kind = 'CHARGEBACK' or t.amount_minor < 0) end
         -- One that FAILED is meant only when nothing else can be.
         and (p.state <> 'FAILED' or not exists (
               select from payment o where o.source_reference = p.source_reference and o.provider = p.provider
                  and o.operation = p.operation and o.state <> 'FAILED'))
         and not exists (select from settlement_skip s where s.line_no = t.line_no)
         and not exists (select from settlement_pair q where q.line_no = t.line_no);
  end if;
  analyze settlement_pair;

  -- A refund, or the return of one, that names the payment it is of: our refund of that payment and amount.
  if exists (select from settlement_todo t where t.kind = 'REFUND' or t.kind = 'RETURN' and t.amount_minor > 0) then
    create temp table settlement_original on commit drop as
      with named as materialized (
        select t.line_no, t.amount_minor, t.currency, coalesce(t.original, t.reference) as reference
          from settlement_todo t
         where (t.kind = 'REFUND' or t.kind = 'RETURN' and t.amount_minor > 0) and not t.reference_truncated
           and not exists (select from settlement_skip s where s.line_no = t.line_no)
           and not exists (select from settlement_pair q join payment p using (payment_id)
                            where q.line_no = t.line_no and p.operation <> 'CHARGE')),
      origin as materialized (
        select n.*, p.payment_id from named n join payment p on p.payment_id = settlement_payment_id(n.reference)
         where p.operation = 'CHARGE' and p.provider = f.provider
        union
        select n.*, p.payment_id from named n join payment p on p.source_reference = n.reference
         where p.operation = 'CHARGE' and p.provider = f.provider and c.reference = 'SOURCE_REFERENCE')
      select o.line_no, r.payment_id
        from origin o join payment r on r.refund_of = o.payment_id and (r.amount_minor, r.currency) = (abs(o.amount_minor), o.currency)
         and r.provider = f.provider;
    delete from settlement_pair q using settlement_original o where o.line_no = q.line_no;
    insert into settlement_pair select o.line_no, o.payment_id, 'ORIGINAL', 32767 from settlement_original o;
    drop table settlement_original;
  end if;

  insert into settlement_pair
    select t.line_no, x.payment_id, 'PROVIDER_ID', 32767
      from settlement_todo t
      cross join lateral (values (t.provider_payment_id), (t.provider_line_id)) i (id)
      join provider_payment x on (x.provider, x.account, x.provider_payment_id) = (f.provider, our_account, i.id)
       and x.operation = any (case when t.kind = 'REFUND' then array['REFUND'] else array['CHARGE', 'PAYOUT', 'REFUND'] end)
     where t.kind in ('PAYMENT', 'REFUND', 'RETURN', 'CHARGEBACK') and i.id is not null
       and not exists (select from settlement_skip s where s.line_no = t.line_no)
       and not exists (select from settlement_pair q where q.line_no = t.line_no)
     group by t.line_no, x.payment_id;

  -- Without a reference, or with one that may be cut: amount, currency, direction and time, and only when one line and one
  -- payment have nobody else. A cut reference must be the beginning of the payment's own.
  if exists (select from settlement_todo t where t.kind in ('PAYMENT', 'REFUND') and (t.reference is null or t.reference_truncated)) then
    create temp table settlement_near on commit drop as
      with lone as materialized (
        select t.line_no, t.amount_minor, t.currency, t.at, t.kind, lower(t.reference) as stem, t.reference
          from settlement_todo t
         where t.kind in ('PAYMENT', 'REFUND') and (t.reference is null or t.reference_truncated)
           and not exists (select from settlement_skip s where s.line_no = t.line_no)
           and not exists (select from settlement_pair q where q.line_no = t.line_no))
      select n.line_no, p.payment_id
        from lone n join payment p on (p.amount_minor, p.currency) = (abs(n.amount_minor), n.currency)
       where p.provider = f.provider and p.account = our_account and p.first_sent_at is not null
         and (p.operation = 'CHARGE') = (n.amount_minor > 0) and (n.kind = 'PAYMENT' or p.operation = 'REFUND')
         and (n.reference is null or starts_with(p.provider_key, n.stem) or starts_with(p.source_reference, n.reference))
         and p.accepted_at <= n.at + coalesce(window_by, interval '7 days')
         and p.first_sent_at between n.at - coalesce(window_by, interval '7 days') and n.at + coalesce(window_by, interval '7 days')
         and not exists (select from settlement_match k where k.payment_id = p.payment_id and k.part = 'MOVE')
         and not exists (select from settlement_pair q where q.payment_id = p.payment_id);
    analyze settlement_near;
    -- Without a declared window they are candidates, no match: two pairs of one line say the same as none.
    insert into settlement_pair
      select n.line_no, n.payment_id,
             case when window_by is not null
                   and not exists (select from settlement_near o where o.line_no = n.line_no and o.payment_id <> n.payment_id)
                   and not exists (select from settlement_near o where o.payment_id = n.payment_id and o.line_no <> n.line_no)
                  then 'WINDOW' else 'NONE' end, 32767
        from settlement_near n;
    drop table settlement_near;
  end if;
  analyze settlement_pair;

  -- 3. One result for each line.
  create temp table settlement_crowd on commit drop as
    select q.line_no from settlement_pair q group by q.line_no having count(*) > 1;
  create temp table settlement_rival on commit drop as
    select q.payment_id, t.kind from settlement_pair q join settlement_todo t using (line_no)
     where q.rule <> 'NONE' group by q.payment_id, t.kind, t.amount_minor > 0 having count(*) > 1;
  -- Claims of earlier files; read before the insert, which must not scan what it writes.
  create temp table settlement_claimed on commit drop as
    select m.payment_id, m.part from settlement_match m join settlement_pair q on q.payment_id = m.payment_id;
  -- Lines under another id of the provider than the payment has: no id of theirs is one of the payment's.
  create temp table settlement_other on commit drop as
    select t.line_no
      from settlement_todo t join settlement_pair q using (line_no) join payment p using (payment_id)
     where t.kind = 'PAYMENT' and q.rule <> 'NONE' and t.provider_payment_id <> p.provider_payment_id
       and t.provider_line_id is distinct from p.provider_payment_id
       and not exists (select from provider_payment x
             where (x.provider, x.account, x.operation, x.payment_id) = (p.provider, p.account, p.operation, p.payment_id)
               and x.provider_payment_id in (t.provider_payment_id, t.provider_line_id));
  analyze settlement_crowd;
  analyze settlement_rival;
  analyze settlement_claimed;
  analyze settlement_other;

  insert into settlement_match (file_id, line_no, provider, identity, result, rule, payment_id, candidate_id, part, difference_minor, tells)
  select booked, j.line_no, f.provider, case when j.holds then j.identity end, j.result, j.rule,
         case when j.ours then j.payment_id end, case when not j.ours then j.payment_id end, case when j.ours then j.part end,
         case when j.result in ('AMOUNT_DIFFERS', 'TOLERATED') then j.amount_minor - j.expected end,
         j.state is distinct from 'SUCCEEDED' and j.part = 'MOVE' and j.rule in ('REFERENCE', 'ORIGINAL', 'PROVIDER_ID')
           and j.result in ('RESOLVES', 'SETTLED_BUT_FAILED', 'DOUBLE_PAY', 'AMOUNT_DIFFERS', 'CURRENCY_DIFFERS')
    from (
      select r.*, r.result in ('MATCHED', 'TOLERATED', 'RESOLVES') as ours
        from (
          select t.line_no, t.identity, t.amount_minor, p.payment_id, p.state, e.part, e.expected,
                 coalesce(s.holds, true) as holds,
                 case when s.line_no is not null then 'IDENTITY' when t.kind in ('FEE', 'PAYOUT', 'ADJUSTMENT') then 'KIND'
                      else coalesce(q.rule, 'NONE') end as rule,
                 case
                   when s.line_no is not null then s.result
                   when t.kind in ('FEE', 'PAYOUT', 'ADJUSTMENT') then t.kind
                   when w.line_no is not null then 'AMBIGUOUS'
                   when q.line_no is null then 'UNKNOWN_TO_US'
                   when q.rule = 'NONE' or q.rule = 'WINDOW' and p.state <> 'SUCCEEDED' then 'CANDIDATE'
                   when t.currency <> p.currency then 'CURRENCY_DIFFERS'
                   when e.part is null then 'AMOUNT_DIFFERS'
                   when v.payment_id is not null then case when e.part = 'MOVE' then 'DOUBLE_PAY' else 'AMBIGUOUS' end
                   when k.payment_id is not null then case when e.part = 'MOVE' then 'DOUBLE_PAY' else 'AMBIGUOUS' end
                   when e.part = 'MOVE' and (q.generation < p.generation and p.state <> 'FAILED' or o.line_no is not null)
                        then 'DOUBLE_PAY'
                   when e.part = 'MOVE' and abs(t.amount_minor - e.expected) > coalesce((c.tolerance ->> t.currency)::bigint, 0)
                        then 'AMOUNT_DIFFERS'
                   when e.part <> 'MOVE' and abs(t.amount_minor) > p.amount_minor then 'AMOUNT_DIFFERS'
                   when e.part <> 'MOVE' and p.state <> 'SUCCEEDED' then 'AMBIGUOUS'
                   when p.state = 'FAILED' then 'SETTLED_BUT_FAILED'
                   when p.state <> 'SUCCEEDED' then 'RESOLVES'
                   when e.part = 'MOVE' and t.amount_minor <> e.expected then 'TOLERATED'
                   else 'MATCHED' end as result
            from settlement_todo t
            left join settlement_skip s on s.line_no = t.line_no
            left join settlement_crowd w on w.line_no = t.line_no
            left join settlement_pair q on q.line_no = t.line_no and w.line_no is null
            left join payment p on p.payment_id = q.payment_id
            left join lateral (select settlement_part(t.kind, t.amount_minor, p.operation) as part,
              case when p.operation = 'CHARGE' then p.amount_minor else -p.amount_minor end as expected) e on true
            left join settlement_rival v on (v.payment_id, v.kind) = (q.payment_id, t.kind)
            left join settlement_claimed k on (k.payment_id, k.part) = (p.payment_id, e.part)
            left join settlement_other o on o.line_no = t.line_no) r) j
   order by j.line_no;

  if f.line_count > 10000 then
    analyze settlement_match;
  end if;

  -- The ids by which the provider knows payments whose answers named none; those that are another's stay as they are.
  insert into provider_payment (provider, account, operation, provider_payment_id, payment_id)
  select p.provider, p.account, p.operation, min(t.provider_payment_id), p.payment_id
    from settlement_match m join settlement_todo t using (line_no) join payment p using (payment_id)
   where m.file_id = booked and m.result in ('MATCHED', 'TOLERATED') and m.part = 'MOVE' and t.kind = 'PAYMENT'
     and p.provider_payment_id is null and t.provider_payment_id is not null
   group by p.payment_id
  on conflict do nothing;

  -- 4. What came back is a record of its own.
  insert into reversal (payment_id, kind, amount_minor, currency, provider_reversal_id, fact, source, reason, actor)
  select m.payment_id, m.part, abs(t.amount_minor), t.currency, t.provider_line_id,
         'settlement:' || booked || ':' || m.line_no, 'SETTLEMENT',
         'line ' || m.line_no || ' of settlement file ' || booked, actor
    from settlement_match m join settlement_todo t using (line_no)
   where m.file_id = booked and m.part <> 'MOVE' and m.payment_id is not null and t.amount_minor <> 0
  on conflict (fact) do nothing;

  -- 5. Postings: for each line its own fact, with the rule that placed it.
  perform settlement_post(booked, to_bank);

  -- 6. Differences become questions for people.
  insert into review_case (payment_id, subject, category, reason)
  select coalesce(m.payment_id, m.candidate_id), 'settlement-line:' || booked * 100000000 + m.line_no, 'DIFFERENCE',
         m.result || ': line ' || m.line_no || ' of settlement file ' || booked || ', ' || t.kind || ' of ' || t.amount_minor || ' ' || t.currency
           || ' (minor units)' || case when m.candidate_id is not null then ', by ' || m.rule else '' end
    from settlement_match m join settlement_todo t using (line_no)
   where m.file_id = booked and settlement_is_difference(m.result)
  on conflict (subject) where closed_at is null and subject <> 'payment' do nothing;
  for doubled in
    select m.candidate_id, min(m.line_no) as line_no, count(*) as lines from settlement_match m
     where m.file_id = booked and m.result = 'DOUBLE_PAY' group by m.candidate_id loop
    perform raise_alert('DOUBLE_PAY', doubled.candidate_id::text, 'CRITICAL', 'settlement file ' || booked || ', line ' || doubled.line_no
      || ': the provider moved the money of this payment more than once, or under two ids');
  end loop;
  if exists (select from settlement_match m where m.file_id = booked and m.result = 'SETTLED_BUT_FAILED') then
    perform raise_alert('SETTLED_BUT_FAILED', 'settlement-file:' || booked, 'CRITICAL',
      'payments that FAILED with us are settled by the provider; see the report of the file');
  end if;

  -- 7. A complete period: what should be in it and is not, is missing. Only so far as the periods before are complete too.
  trusted := f.period_from is not null and f.override_id is null and coalesce(f.page_no, 1) = 1
    and f.declared ?| array['controls', 'opening'];
  if trusted or f.period_from is not null and f.page_no > 1 and f.last_page then
    insert into settlement_period (provider, period_from, period_to, file_id)
    select f.provider, f.period_from, f.period_to, booked
     where f.last_page is not false
       and not exists (select from settlement_pages(booked) g join settlement_file o using (file_id)
                        where o.override_id is not null or o.file_id <> booked and o.state <> 'BOOKED'
                           or not o.declared ?| array['controls', 'opening']);
    if found then
      insert into settlement_missing (payment_id, file_id)
      select p.payment_id, booked
        from payment p join provider v on v.name = p.provider
       where p.provider = f.provider and p.state = 'SUCCEEDED'
         and p.accepted_at < f.period_to
         and p.accepted_at >= f.period_from - c.lag_ms * interval '1 millisecond' - v.send_time_limit_ms * interval '1 millisecond'
         and p.first_sent_at >= f.period_from - c.lag_ms * interval '1 millisecond'
         and p.first_sent_at < f.period_to - c.lag_ms * interval '1 millisecond'
         and p.first_sent_at >= (select min(d.period_from) from settlement_period d where d.provider = f.provider)
         and not exists (select from settlement_match m where m.payment_id = p.payment_id and m.part = 'MOVE')
         and not exists (select from settlement_match m where m.candidate_id = p.payment_id)
      on conflict do nothing;
      get diagnostics found_missing = row_count;
      if found_missing > 0 then
        insert into review_case (subject, category, reason)
        values ('settlement-file:' || booked, 'DIFFERENCE', found_missing || ' payments that SUCCEEDED with us are missing at the provider; see the report')
        on conflict (subject) where closed_at is null and subject <> 'payment' do nothing;
        perform raise_alert('MISSING_AT_PROVIDER', 'settlement-file:' || booked, 'WARNING', found_missing || ' payments that SUCCEEDED with us are not in the file');
      end if;
    end if;
  end if;

  drop table settlement_todo, settlement_twins, settlement_skip, settlement_pair, settlement_crowd, settlement_rival,
    settlement_claimed, settlement_other;
  update settlement_file set state = 'BOOKED', booked_at = clock_timestamp(),
         all_told = not exists (select from settlement_match m where m.file_id = booked and m.tells)
   where file_id = booked;
  return query select m.result, count(*) from settlement_match m where m.file_id = booked group by 1;
end $$;

-- The postings of a file's lines, or of one of them against an account that people chose. money is where it lies: at the
-- bank, or still at the provider until a PAYOUT.
--   1 the amount   2 the fee   3 what was exchanged, or kept as a discount   4 an accepted difference
create function settlement_post(booked bigint, to_bank boolean, only_line integer default null, against text default null)
returns void language sql as $$
  insert into ledger_posting (event, fact, line, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
  select e.event, 'settlement:' || booked || ':' || m.line_no, n.line, m.payment_id, m.provider,
         case when e.amount > 0 then e.debit else e.credit end, case when e.amount > 0 then e.credit else e.debit end,
         abs(e.amount), e.currency, 'line ' || m.line_no || ' of settlement file ' || booked || ': ' || m.result || ' by ' || m.rule, 'settlement'
    from settlement_match m
    join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
    cross join lateral (select
      l.settle_currency is not null and l.settle_currency <> l.currency as exchanged,
      coalesce(l.settle_currency, l.currency) as settled_in,
      coalesce(l.settle_amount_minor, case when l.settle_currency is null or l.settle_currency = l.currency then l.amount_minor
                                           else l.net_minor + coalesce(l.fee_minor, 0) end) as settled,
      case when to_bank or l.kind = 'PAYOUT' then 'bank' else 'provider_clearing' end as money,
      case when against is not null then against when l.kind = 'PAYOUT' or m.payment_id is not null then 'provider_clearing' when l.kind = 'FEE' then 'fees' else 'suspense' end as counter) a
    -- Not a lateral list of values, which would be planned for every line.
    cross join (values (1), (2), (3), (4)) n (line)
    cross join lateral (select
      case n.line when 1 then case when l.kind = 'FEE' then 'FeeCharged' else 'SettlementBooked' end when 2 then 'FeeCharged'
                  when 3 then case when a.exchanged then 'SettlementBooked' else 'ReconciliationAdjusted' end
                  else 'ReconciliationAdjusted' end as event,
      case n.line when 1 then a.money when 2 then 'fees' when 3 then case when a.exchanged then 'exchange' else 'adjustments' end
                  else 'adjustments' end as debit,
      case n.line when 1 then case when a.exchanged then 'exchange' else a.counter end when 2 then a.money else a.counter end as credit,
      case n.line when 1 then case when l.kind = 'PAYOUT' then -a.settled else a.settled end
                  when 2 then l.fee_minor
                  when 3 then case when a.exchanged then case when l.kind = 'PAYOUT' then -l.amount_minor else l.amount_minor end
                                   when l.kind in ('PAYOUT', 'FEE') then 0 else l.amount_minor - a.settled end
                  else case when m.result = 'TOLERATED' then -m.difference_minor end end as amount,
      case when n.line in (1, 2) then a.settled_in else l.currency end as currency) e
   where m.file_id = booked and e.amount <> 0 and e.debit <> e.credit
     and case when only_line is null then settlement_is_booked(m.result) else m.line_no = only_line end
   order by m.line_no, n.line
$$;

-- What stands in the clearing account of a provider, by currency, and what it consists of.
create function settlement_clearing(of_provider text) returns jsonb language sql stable as $$
  with entry as materialized (
    select e.currency, e.amount_minor,
           case when e.event like '%Confirmed' and m.payment_id is null then 'confirmed, in no settlement file yet'
                when e.event like '%Confirmed' then 'confirmed, and in a settlement file'
                when e.event in ('SettlementBooked', 'FeeCharged', 'ReconciliationAdjusted') then e.event
                else 'came back' end as what
      from (select event, payment_id, currency, amount_minor from ledger_posting
             where debit_account = 'provider_clearing' and provider = of_provider
            union all
            select event, payment_id, currency, -amount_minor from ledger_posting
             where credit_account = 'provider_clearing' and provider = of_provider) e
      left join settlement_match m on e.event like '%Confirmed' and m.payment_id = e.payment_id and m.part = 'MOVE'),
  part as (select currency, what, sum(amount_minor) as amount, count(*) as entries from entry group by currency, what)
  select coalesce(jsonb_agg(jsonb_build_object('currency', currency, 'balanceMinor', balance, 'consistsOf', parts) order by currency), '[]')
    from (select currency, sum(amount) as balance,
                 jsonb_agg(jsonb_build_object('what', what, 'amountMinor', amount, 'entries', entries) order by what) as parts
            from part group by currency) c
$$;

-- The control equation of a file, for each settlement currency: what its lines come to is what was booked and what was
-- not, to the last minor unit.
create function settlement_equation(told bigint)
returns table (currency text, lines_net numeric, booked_net numeric, not_booked_net numeric, holds boolean) language sql stable as $$
  with line as materialized (
    select coalesce(l.settle_currency, l.currency) as currency, l.kind, m.result,
           m.decision_id is not null and exists (select from ledger_posting p where p.fact = 'settlement:' || m.file_id || ':' || m.line_no) as posted,
           coalesce(l.net_minor, coalesce(l.settle_amount_minor, l.amount_minor) - coalesce(l.fee_minor, 0)) as net
      from settlement_line l join settlement_match m on (m.file_id, m.line_no) = (l.file_id, l.line_no) where l.file_id = told),
  lines as (
    select currency, sum(case when kind = 'PAYOUT' then -net else net end) as net,
           coalesce(sum(case when kind = 'PAYOUT' then -net else net end) filter (where not settlement_is_booked(result) and not posted), 0) as not_booked
      from line group by currency),
  -- Lines whose two sides are both the clearing account have no posting; the match is their record.
  posted as (
    select p.currency, sum(case when p.debit_account = 'bank' then p.amount_minor when p.credit_account = 'bank' then -p.amount_minor
                                when 'exchange' in (p.debit_account, p.credit_account) and p.line = 3 then 0
                                when p.line in (3, 4) then 0
                                when p.debit_account = 'provider_clearing' then p.amount_minor
                                else -p.amount_minor end) as net
      from settlement_match m join ledger_posting p on p.fact = 'settlement:' || m.file_id || ':' || m.line_no where m.file_id = told group by p.currency),
  unposted as (
    select l.currency, sum(l.net) as net from (
      select coalesce(l.settle_currency, l.currency) as currency, coalesce(l.settle_amount_minor, l.amount_minor) as net
        from settlement_line l join settlement_match m on (m.file_id, m.line_no) = (l.file_id, l.line_no)
       where l.file_id = told and m.payment_id is not null
         and not exists (select from ledger_posting p where (p.fact, p.line) = ('settlement:' || m.file_id || ':' || m.line_no, 1))) l group by l.currency)
  select l.currency, l.net, coalesce(p.net, 0) + coalesce(u.net, 0), l.not_booked, l.net = coalesce(p.net, 0) + coalesce(u.net, 0) + l.not_booked
    from lines l left join posted p using (currency) left join unposted u using (currency)
$$;

-- Everything there is to say about a file, as one document; lists end after 1000 entries, and say so.
create function settlement_report(told bigint) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'fileId', f.file_id, 'provider', f.provider, 'format', f.format, 'name', f.name, 'contentHash', f.content_hash, 'bytes', f.bytes,
    'receivedAt', f.received_at, 'state', f.state, 'refusedWhy', f.refused_why, 'periodFrom', f.period_from, 'periodTo', f.period_to,
    'statementId', f.statement_id, 'pageNo', f.page_no, 'lastPage', f.last_page, 'declared', f.declared, 'lineCount', f.line_count,
    'bookedAt', f.booked_at, 'overriddenBy', f.override_id,
    'problems', coalesce((select jsonb_agg(jsonb_strip_nulls(to_jsonb(p))) from settlement_problems(told) p where f.state <> 'STAGING'), '[]'),
    'results', coalesce((
      select jsonb_agg(jsonb_build_object('result', r.result, 'kind', r.kind, 'currency', r.currency, 'lines', r.lines,
               'amountMinor', r.amount, 'feeMinor', r.fee, 'differenceMinor', r.difference, 'needsPeople', settlement_is_difference(r.result)) order by r.result, r.kind, r.currency)
        from (select m.result, l.kind, l.currency, count(*) as lines, sum(l.amount_minor) as amount, sum(l.fee_minor) as fee, sum(m.difference_minor) as difference
                from settlement_match m join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
               where m.file_id = told group by 1, 2, 3) r), '[]'),
    'ignoredLines', (select count(*) from settlement_line l where l.file_id = told and l.kind = 'IGNORED'),
    'equation', coalesce((
      select jsonb_agg(jsonb_build_object('currency', e.currency, 'linesNetMinor', e.lines_net, 'bookedNetMinor', e.booked_net,
               'notBookedNetMinor', e.not_booked_net, 'holds', e.holds) order by e.currency) from settlement_equation(told) e), '[]'),
    'differences', coalesce((
      select jsonb_agg(to_jsonb(d) order by d."lineNo") from (
        select m.line_no as "lineNo", l.line_id as "lineId", m.result, m.rule, l.kind, l.reference, l.provider_payment_id as "providerPaymentId",
               l.provider_line_id as "providerLineId", l.amount_minor as "amountMinor", l.currency, l.at, m.difference_minor as "differenceMinor",
               coalesce(m.payment_id, m.candidate_id) as "paymentId", r.case_id as "caseId", m.decision_id as "decisionId",
               r.case_id is null and m.decision_id is null as "closed"
          from settlement_match m join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
          left join review_case r on r.subject = 'settlement-line:' || l.line_id and r.closed_at is null
         where m.file_id = told and settlement_is_difference(m.result) order by m.line_no limit 1000) d), '[]'),
    'differenceLines', (select count(*) from settlement_match m where m.file_id = told and settlement_is_difference(m.result)),
    'missing', coalesce((
      select jsonb_agg(to_jsonb(d)) from (
        select s.payment_id as "paymentId", p.source_reference as "sourceReference", p.operation, p.amount_minor as "amountMinor", p.currency,
               p.first_sent_at as "sentAt", exists (select from settlement_match m where m.payment_id = s.payment_id and m.part = 'MOVE') as "cameLater"
          from settlement_missing s join payment p using (payment_id) where s.file_id = told order by p.first_sent_at limit 1000) d), '[]'),
    'missingPayments', (select count(*) from settlement_missing s where s.file_id = told),
    'notToldYet', (select count(*) from settlement_match m where m.file_id = told and m.tells
                      and not exists (select from evidence e where e.payment_id = coalesce(m.payment_id, m.candidate_id)
                                         and e.fact = 'settlement:' || m.file_id || ':' || m.line_no)),
    'clearing', settlement_clearing(f.provider))
    from settlement_file f where f.file_id = told
$$;

-- All files that were received on a day of UTC, what became of their lines together, and the clearing accounts.
create function settlement_day(told date) returns jsonb language sql stable as $$
  with files as materialized (
    select * from settlement_file where received_at >= told::timestamp at time zone 'UTC' and received_at < (told + 1)::timestamp at time zone 'UTC')
  select jsonb_build_object('date', told,
    'files', coalesce((select jsonb_agg(jsonb_build_object('fileId', f.file_id, 'provider', f.provider, 'name', f.name, 'state', f.state,
                'lineCount', f.line_count, 'refusedWhy', f.refused_why) order by f.file_id) from files f), '[]'),
    'results', coalesce((
      select jsonb_agg(jsonb_build_object('provider', r.provider, 'result', r.result, 'currency', r.currency, 'lines', r.lines, 'amountMinor', r.amount,
               'needsPeople', settlement_is_difference(r.result)) order by r.provider, r.result, r.currency)
        from (select m.provider, m.result, l.currency, count(*) as lines, sum(l.amount_minor) as amount
                from files f join settlement_match m using (file_id) join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
               group by 1, 2, 3) r), '[]'),
    'equation', coalesce((
      select jsonb_agg(jsonb_build_object('currency', e.currency, 'linesNetMinor', e.lines_net, 'bookedNetMinor', e.booked_net,
               'notBookedNetMinor', e.not_booked_net, 'holds', e.holds) order by e.currency)
        from (select q.currency, sum(q.lines_net) as lines_net, sum(q.booked_net) as booked_net, sum(q.not_booked_net) as not_booked_net, bool_and(q.holds) as holds
                from files f cross join lateral settlement_equation(f.file_id) q where f.state = 'BOOKED' group by q.currency) e), '[]'),
    'missingPayments', (select count(*) from settlement_missing s join files f using (file_id)),
    'clearing', coalesce((select jsonb_object_agg(p.provider, settlement_clearing(p.provider)) from (select distinct provider from files) p), '{}'))
$$;

-- What booking a file would do, without doing it: everything is done, reported and taken back.
create function settlement_dry_run(tried bigint) returns jsonb language plpgsql as $$
declare report jsonb;
begin
  begin
    perform from settlement_book(tried);
    report := settlement_report(tried);
    raise exception 'taken back' using errcode = 'PR019';
  exception when sqlstate 'PR019' then
    null;
  end;
  return report || jsonb_build_object('dryRun', true);
end $$;

-- Whether a payment would stand in a booked, complete, totals-checked file if its money had moved: the complete periods
-- cover all the time from its first send to its last send and the lag, and no line is it or may be it.
create or replace function absent_from_settlement(payment uuid) returns boolean language sql stable as $$
  select coalesce(bool_and(
      (select range_agg(tstzrange(d.period_from, d.period_to)) from settlement_period d where d.provider = p.provider)
        @> tstzrange(p.first_sent_at, sent.last_at + make_interval(secs => coalesce(c.lag_ms, 0) / 1000.0), '[]')
      and not exists (select from settlement_match m where m.payment_id = p.payment_id or m.candidate_id = p.payment_id)
      -- A line of this amount that is no other payment's may be it, also when people do not know what it is.
      and not exists (
        select from settlement_match m join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
         where m.provider = p.provider and settlement_is_difference(m.result) and m.payment_id is null
           and (abs(l.amount_minor), l.currency) = (p.amount_minor, p.currency)
           and (l.at is null or l.at >= p.first_sent_at - interval '2 days'))), false)
    from payment p left join settlement_contract c on c.provider = p.provider
    cross join lateral (select max(a.started_at) as last_at from attempt a where a.payment_id = p.payment_id) sent
   where p.payment_id = $1 and p.first_sent_at is not null
$$;
