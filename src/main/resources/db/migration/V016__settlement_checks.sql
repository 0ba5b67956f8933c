-- What a settlement file must satisfy before anything of it is booked: totals, pages, periods.

-- Results that people must look at.
create function settlement_is_difference(result text) returns boolean language sql immutable
  return result not in ('MATCHED', 'TOLERATED', 'RESOLVES', 'FEE', 'PAYOUT', 'PAYOUT_ARRIVED', 'KNOWN_LINE', 'DUPLICATE_LINE');

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
        <> (select count(*) filter (where m.result <> 'PAYOUT_ARRIVED' or exists (
              select from payout_arrival a where (a.bank_file_id, a.bank_line_no) = (m.file_id, m.line_no)))
              from settlement_match m where m.file_id = new.file_id)
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

-- Whether the lines of a file are at the bank, or at the provider until a PAYOUT: always there when a bank's statement tells.
create function settlement_to_bank(asked bigint) returns boolean language sql stable as $$
  select c.payouts_at is null and (coalesce(c.settles, 'FILE') = 'LINES'
      or coalesce(c.settles, 'FILE') = 'FILE' and not exists (select from settlement_line l where l.file_id = asked and l.kind = 'PAYOUT'))
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
