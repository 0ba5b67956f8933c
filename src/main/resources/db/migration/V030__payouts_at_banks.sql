-- Payouts in two hops: the provider's file says that it paid out, the bank's statement says that it arrived. Between them
-- the money stands in payouts_in_transit, so that it is at the bank once.

-- What a line of a bank names: what the contract of the file takes out of its text, and its reference when it is long
-- enough to be no number of another kind.
create function payout_tokens(reference text, hints jsonb) returns text[] language sql immutable return
  payout_names(string_to_array(hints ->> 'payout', ' ') || array(select n from unnest(payout_names(array[reference])) n where length(n) >= 8));

-- What a line of a bank comes to in the currency of its account, when nothing was exchanged.
create function payout_amount(l settlement_line) returns bigint language sql immutable return
  case when l.settle_currency is null or l.settle_currency = l.currency then coalesce(l.settle_amount_minor, l.amount_minor) end;

-- Lines of the file that is being booked which name payouts, and what that comes to. Named by two, or naming two: nobody
-- picks. Of another amount or currency, or arrived already: a difference. A payout and the one that takes it back have names in
-- common: money to us is the first, money from us the second.
create function settlement_payouts_named(booked bigint)
returns table (line_no integer, file_id bigint, payout_line integer, rule text, result text, difference bigint) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with known as materialized (
    select v.*, n.name, a.file_id is not null as arrived
      from settlement_file f join payout_in_transit v on v.bank = f.provider cross join unnest(v.names) n (name)
      left join payout_arrival a on (a.file_id, a.line_no) = (v.file_id, v.line_no)
     where f.file_id = booked),
  pair as materialized (
    select distinct l.line_no, payout_amount(l) as amount, l.currency, k.file_id, k.line_no as payout_line, k.amount_minor, k.currency as paid_in, k.arrived
      from settlement_todo t
      join settlement_line l on (l.file_id, l.line_no) = (booked, t.line_no)
      cross join unnest(payout_tokens(l.reference, l.hints)) n (name)
      join known k on k.name = n.name
     where t.kind = 'PAYMENT' and not t.reference_truncated
       and not exists (select from settlement_skip s where s.line_no = t.line_no)
       and not exists (select from settlement_pair q where q.line_no = t.line_no and q.rule in ('REFERENCE', 'ORIGINAL', 'PROVIDER_ID')))
  select p.line_no, p.file_id, p.payout_line, 'REFERENCE',
         case when count(*) over (partition by p.line_no) > 1 or count(*) over (partition by p.file_id, p.payout_line) > 1 then 'AMBIGUOUS'
              when p.arrived or p.currency <> p.paid_in or p.amount is distinct from p.amount_minor then 'PAYOUT_DIFFERS'
              else 'PAYOUT_ARRIVED' end,
         case when p.currency = p.paid_in then p.amount - case when p.arrived then 0 else p.amount_minor end end
    from pair p
   where (p.amount > 0) = (p.amount_minor > 0)
      or not exists (select from pair o where o.line_no = p.line_no and (o.amount > 0) = (o.amount_minor > 0));
end $$;

-- Lines that name nothing, by amount, currency and time: only when one line and one payout have nobody else, among the
-- lines of earlier files that nobody has explained too, and the line may be no payment.
create function settlement_payouts_near(booked bigint)
returns table (line_no integer, file_id bigint, payout_line integer, rule text, result text, difference bigint) language plpgsql as $$
#variable_conflict use_column
declare
  of_bank text;
  window_by interval;
begin
  select f.provider, c.payout_window_ms * interval '1 millisecond' into of_bank, window_by
    from settlement_file f join settlement_contract c on c.provider = f.provider where f.file_id = booked;
  if window_by is null then
    return;
  end if;
  return query
  with open as materialized (
    select v.* from payout_in_transit v
     where v.bank = of_bank and not exists (select from payout_arrival a where (a.file_id, a.line_no) = (v.file_id, v.line_no))
       and not exists (select from settlement_payout y where (y.file_id, y.payout_line) = (v.file_id, v.line_no))),
  lone as materialized (
    select l.line_no, payout_amount(l) as amount, l.currency, l.at
      from settlement_todo t join settlement_line l on (l.file_id, l.line_no) = (booked, t.line_no)
     where t.kind = 'PAYMENT' and not t.reference_truncated and l.hints -> 'payout' is null
       and not exists (select from settlement_skip s where s.line_no = t.line_no)
       and not exists (select from settlement_payout y where y.line_no = t.line_no)
       and not exists (select from settlement_pair q where q.line_no = t.line_no and q.rule in ('REFERENCE', 'ORIGINAL', 'PROVIDER_ID'))),
  pair as materialized (
    select n.line_no, v.file_id, v.line_no as payout_line, v.bank, v.amount_minor, v.currency, v.at
      from lone n join open v on (v.amount_minor, v.currency) = (n.amount, n.currency) and v.at between n.at - window_by and n.at + window_by)
  select p.line_no, p.file_id, p.payout_line,
         case when j.lone then 'WINDOW' else 'NONE' end, case when j.lone then 'PAYOUT_ARRIVED' else 'AMBIGUOUS' end, null::bigint
    from (select p.*, count(*) over (partition by p.line_no) = 1 and count(*) over (partition by p.file_id, p.payout_line) = 1 as single from pair p) p
    cross join lateral (select p.single and not exists (select from settlement_pair q where q.line_no = p.line_no)
      and not exists (select from payout_rivals(p.bank, p.amount_minor, p.currency, p.at, window_by)) as lone) j;
end $$;

-- Lines of a bank in booked files that nobody has explained and that may be a payout of this amount and time.
create function payout_rivals(of_bank text, amount bigint, in_currency text, around timestamptz, window_by interval)
returns table (file_id bigint, line_no integer) language sql stable as $$
  select m.file_id, m.line_no
    from settlement_match m join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
   where m.provider = of_bank and m.result = 'UNKNOWN_TO_US' and m.decision_id is null and l.kind = 'PAYMENT'
     and payout_amount(l) = amount and l.currency = in_currency and l.at between around - window_by and around + window_by
     and not exists (select from payout_arrival a where (a.bank_file_id, a.bank_line_no) = (m.file_id, m.line_no))
$$;

-- What is in transit is what was posted there, to the bank that the contract names.
create function payout_in_transit_guard() returns trigger language plpgsql as $$
begin
  if not exists (select from settlement_file f where (f.file_id, f.provider) = (new.file_id, new.provider))
     or new.amount_minor is distinct from (
       select sum(case when g.debit_account = 'payouts_in_transit' then g.amount_minor else -g.amount_minor end)
         from ledger_posting g where g.fact = 'settlement:' || new.file_id || ':' || new.line_no and g.currency = new.currency
          and 'payouts_in_transit' in (g.debit_account, g.credit_account)) then
    raise exception 'payout of line % of settlement file %: it is not what was posted', new.line_no, new.file_id using errcode = 'PR015';
  end if;
  return new;
end $$;
create trigger guard before insert on payout_in_transit for each row execute function payout_in_transit_guard();

-- A claim is what its rule says, whoever writes it: the money is in transit to this bank, the line is of that amount and
-- nobody has explained it, and it names the payout or has nobody else; or two people decided.
create function payout_arrival_guard() returns trigger language plpgsql as $$
declare
  v payout_in_transit;
  m settlement_match;
  l settlement_line;
  window_by interval;
  said decision;
  about text;
begin
  select * into v from payout_in_transit p where (p.file_id, p.line_no) = (new.file_id, new.line_no);
  select * into m from settlement_match p where (p.file_id, p.line_no) = (new.bank_file_id, new.bank_line_no);
  select * into l from settlement_line p where (p.file_id, p.line_no) = (new.bank_file_id, new.bank_line_no);
  if new.decision_id is not null then
    select d.* into said from decision d where d.decision_id = new.decision_id;
    select c.subject into about from review_case c where c.case_id = said.case_id;
    if said.effective_at is not null and said.approved_by is not null
       and (new.rule = 'WRITTEN_OFF' and said.kind = 'WRITE_OFF_PAYOUT' and about = 'settlement-payout:' || v.line_id
            or new.rule = 'DECISION' and said.kind = 'MATCH_PAYOUT' and about = 'settlement-line:' || l.line_id
               and said.details ->> 'payoutLineId' = v.line_id::text and (m.provider, l.currency) = (v.bank, v.currency)
               and m.payment_id is null and payout_amount(l) is not null) then
      return new;
    end if;
  else
    select c.payout_window_ms * interval '1 millisecond' into window_by from settlement_contract c where c.provider = v.bank;
    if m.provider = v.bank and m.result in ('PAYOUT_ARRIVED', 'UNKNOWN_TO_US') and m.decision_id is null and l.kind = 'PAYMENT'
       and (payout_amount(l), l.currency) = (v.amount_minor, v.currency)
       and not exists (select from decision d join review_case c on c.case_id = d.case_id
                        where c.subject = 'settlement-line:' || l.line_id and c.closed_at is null and d.refused_by is null)
       and (case new.rule
             when 'REFERENCE' then payout_tokens(l.reference, l.hints) && v.names
             when 'WINDOW' then l.hints -> 'payout' is null and l.at between v.at - window_by and v.at + window_by
                  and not exists (select from payout_rivals(v.bank, v.amount_minor, v.currency, v.at, window_by) o
                                   where (o.file_id, o.line_no) <> (l.file_id, l.line_no))
                  and not exists (select from payout_in_transit o
                                   where (o.bank, o.amount_minor, o.currency) = (v.bank, v.amount_minor, v.currency)
                                     and (o.file_id, o.line_no) <> (v.file_id, v.line_no) and l.at between o.at - window_by and o.at + window_by
                                     and not exists (select from payout_arrival a where (a.file_id, a.line_no) = (o.file_id, o.line_no)))
           end) then
      return new;
    end if;
  end if;
  raise exception 'payout %: it is not what has arrived there', v.line_id using errcode = 'PR015';
end $$;
create trigger guard before insert on payout_arrival for each row execute function payout_arrival_guard();

-- The money leaves payouts_in_transit. A line that is booked now is posted with its file; one that stood in suspense is
-- taken out of there first, in the books of the bank, and then comes from the payout, in the books of who paid out.
create function payout_arrived() returns trigger language plpgsql as $$
declare
  v payout_in_transit;
  m settlement_match;
  came bigint;
  actors text := 'settlement';
  why text;
begin
  select * into v from payout_in_transit p where (p.file_id, p.line_no) = (new.file_id, new.line_no);
  select * into m from settlement_match p where (p.file_id, p.line_no) = (new.bank_file_id, new.bank_line_no);
  if new.decision_id is not null then
    select concat_ws(' and ', d.proposed_by, d.approved_by) into actors from decision d where d.decision_id = new.decision_id;
  end if;
  if m.result is distinct from 'PAYOUT_ARRIVED' then
    select payout_amount(l) into came from settlement_line l where (l.file_id, l.line_no) = (new.bank_file_id, new.bank_line_no);
    why := 'payout ' || v.line_id || ': ' || case when new.rule = 'WRITTEN_OFF' then 'it will not arrive'
             else 'line ' || new.bank_line_no || ' of settlement file ' || new.bank_file_id || ' by ' || new.rule end;
    insert into ledger_posting (event, fact, line, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
    select 'ReconciliationAdjusted', 'payout:' || v.line_id, n, owner, case when a > 0 then d else c end, case when a > 0 then c else d end,
           abs(a), v.currency, why, actors
      from (values (1, m.provider, 'suspense', 'bank', coalesce(came, 0)),
                   (2, v.provider, 'bank', 'payouts_in_transit', coalesce(came, 0)),
                   (3, v.provider, 'adjustments', 'payouts_in_transit', v.amount_minor - coalesce(came, 0))) x (n, owner, d, c, a)
     where a <> 0;
    update review_case set closed_at = clock_timestamp(), closed_by = actors
     where subject = 'settlement-line:' || new.bank_file_id * 100000000 + new.bank_line_no and closed_at is null;
  end if;
  update review_case set closed_at = clock_timestamp(), closed_by = actors
   where subject = 'settlement-payout:' || v.line_id and closed_at is null;
  perform clear_alert('PAYOUT_NOT_ARRIVED', 'settlement-payout:' || v.line_id, actors);
  return null;
end $$;
create trigger arrived after insert on payout_arrival for each row execute function payout_arrived();

-- Looks for payouts in transit whose line stood in a statement before their file came, and notices those that are late.
-- Returns how many arrived, and how many are late.
create function payouts_look() returns table (arrived bigint, late bigint) language plpgsql as $$
declare
  one record;
  came bigint := 0;
  missed bigint := 0;
begin
  for one in
    select distinct v.bank from payout_in_transit v
     where not exists (select from payout_arrival a where (a.file_id, a.line_no) = (v.file_id, v.line_no)) order by v.bank loop
    -- Not while a statement of this bank is being booked, which may take minutes: the next look does it.
    continue when not pg_try_advisory_xact_lock(hashtextextended('settlement:' || one.bank, 0));
    insert into payout_arrival (file_id, line_no, bank_file_id, bank_line_no, rule)
    with open as materialized (
      select v.* from payout_in_transit v
       where v.bank = one.bank and not exists (select from payout_arrival a where (a.file_id, a.line_no) = (v.file_id, v.line_no))),
    line as materialized (
      select l.file_id, l.line_no, payout_amount(l) as amount, l.currency, l.at, l.reference_truncated,
             payout_tokens(l.reference, l.hints) as tokens, l.hints -> 'payout' is null as nameless
        from settlement_match m join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
       where m.provider = one.bank and m.result = 'UNKNOWN_TO_US' and m.decision_id is null and l.kind = 'PAYMENT' and not l.reference_truncated
         and not exists (select from payout_arrival a where (a.bank_file_id, a.bank_line_no) = (m.file_id, m.line_no))
         -- People are at it.
         and not exists (select from decision d join review_case c on c.case_id = d.case_id
                          where c.subject = 'settlement-line:' || l.line_id and c.closed_at is null and d.refused_by is null)),
    named as materialized (
      select v.file_id, v.line_no, l.file_id as bank_file_id, l.line_no as bank_line_no, (v.amount_minor, v.currency) = (l.amount, l.currency) as fits
        from open v join line l on l.tokens && v.names and (l.amount > 0) = (v.amount_minor > 0)),
    near as materialized (
      select v.file_id, v.line_no, l.file_id as bank_file_id, l.line_no as bank_line_no
        from settlement_contract c
        join open v on v.bank = c.provider
        join line l on (l.amount, l.currency) = (v.amount_minor, v.currency)
         and l.at between v.at - c.payout_window_ms * interval '1 millisecond' and v.at + c.payout_window_ms * interval '1 millisecond'
       where c.provider = one.bank and l.nameless),
    pair as (
      select *, 'REFERENCE' as rule from named
      union all
      select n.*, true, 'WINDOW' from near n
       where not exists (select from named o where (o.file_id, o.line_no) = (n.file_id, n.line_no) or (o.bank_file_id, o.bank_line_no) = (n.bank_file_id, n.bank_line_no)))
    select file_id, line_no, bank_file_id, bank_line_no, rule
      from (select p.*, count(*) over (partition by file_id, line_no) = 1 and count(*) over (partition by bank_file_id, bank_line_no) = 1 as single from pair p) p
     where single and fits;
    get diagnostics came = row_count;
    arrived := coalesce(arrived, 0) + came;
  end loop;

  with due as (
    select v.* from payout_in_transit v
     where v.due_at < clock_timestamp() and not exists (select from payout_arrival a where (a.file_id, a.line_no) = (v.file_id, v.line_no))
       and not exists (select from review_case c where c.subject = 'settlement-payout:' || v.line_id)),
  told as (
    insert into review_case (subject, category, reason)
    select 'settlement-payout:' || d.line_id, 'DIFFERENCE', d.provider || ' paid out ' || d.amount_minor || ' ' || d.currency || ' (minor units), line '
             || d.line_no || ' of settlement file ' || d.file_id || ', and no statement of ' || d.bank || ' has it'
      from due d on conflict (subject) where closed_at is null and subject <> 'payment' do nothing returning subject, reason),
  alerts as (select raise_alert('PAYOUT_NOT_ARRIVED', t.subject, 'CRITICAL', t.reason) from told t)
  select count(*) into missed from alerts;
  arrived := coalesce(arrived, 0);
  late := missed;
  return next;
end $$;
create index review_case_of_payout on review_case (subject) where subject like 'settlement-payout:%';
