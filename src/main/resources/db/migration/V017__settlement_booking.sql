-- Matching and booking: a file as a whole or not at all.

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

  -- Lines of a bank that are payouts of providers.
  create temp table settlement_payout (line_no integer, file_id bigint, payout_line integer, rule text, result text, difference bigint) on commit drop;
  if exists (select from payout_in_transit v where v.bank = f.provider) then
    insert into settlement_payout select * from settlement_payouts_named(booked);
    delete from settlement_pair q using settlement_payout y where y.line_no = q.line_no;
    insert into settlement_payout select * from settlement_payouts_near(booked);
  end if;
  analyze settlement_payout;

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
         case when j.result in ('AMOUNT_DIFFERS', 'TOLERATED') then j.amount_minor - j.expected when j.result = 'PAYOUT_DIFFERS' then j.payout_difference end,
         j.state is distinct from 'SUCCEEDED' and j.part = 'MOVE' and j.rule in ('REFERENCE', 'ORIGINAL', 'PROVIDER_ID')
           and j.result in ('RESOLVES', 'SETTLED_BUT_FAILED', 'DOUBLE_PAY', 'AMOUNT_DIFFERS', 'CURRENCY_DIFFERS')
    from (
      select r.*, r.result in ('MATCHED', 'TOLERATED', 'RESOLVES') as ours
        from (
          select t.line_no, t.identity, t.amount_minor, p.payment_id, p.state, e.part, e.expected, y.difference as payout_difference,
                 coalesce(s.holds, true) as holds,
                 case when s.line_no is not null then 'IDENTITY' when t.kind in ('FEE', 'PAYOUT', 'ADJUSTMENT') then 'KIND'
                      else coalesce(y.rule, q.rule, 'NONE') end as rule,
                 case
                   when s.line_no is not null then s.result
                   when t.kind in ('FEE', 'PAYOUT', 'ADJUSTMENT') then t.kind
                   when y.line_no is not null then y.result
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
            left join settlement_other o on o.line_no = t.line_no
            left join (select distinct on (line_no) * from settlement_payout order by line_no) y on y.line_no = t.line_no) r) j
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
  insert into payout_arrival (file_id, line_no, bank_file_id, bank_line_no, rule)
  select y.file_id, y.payout_line, booked, y.line_no, y.rule from settlement_payout y where y.result = 'PAYOUT_ARRIVED';
  perform settlement_post(booked, to_bank);

  -- 6. Differences become questions for people.
  insert into review_case (payment_id, subject, category, reason)
  select coalesce(m.payment_id, m.candidate_id), 'settlement-line:' || booked * 100000000 + m.line_no, 'DIFFERENCE',
         m.result || ': line ' || m.line_no || ' of settlement file ' || booked || ', ' || t.kind || ' of ' || t.amount_minor || ' ' || t.currency
           || ' (minor units)' || case when m.candidate_id is not null then ', by ' || m.rule else '' end
           || coalesce(', may be payout ' || y.payouts, '')
    from settlement_match m join settlement_todo t using (line_no)
    left join (select y.line_no, string_agg((y.file_id * 100000000 + y.payout_line)::text, ', ' order by y.file_id, y.payout_line) as payouts
                 from settlement_payout y where y.file_id is not null group by y.line_no) y on y.line_no = m.line_no
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
    settlement_claimed, settlement_other, settlement_payout;
  update settlement_file set state = 'BOOKED', booked_at = clock_timestamp(),
         all_told = not exists (select from settlement_match m where m.file_id = booked and m.tells)
   where file_id = booked;
  return query select m.result, count(*) from settlement_match m where m.file_id = booked group by 1;
end $$;

-- The postings of a file's lines, or of one of them against an account that people chose. money is where it lies: at the
-- bank, or still at the provider until a PAYOUT, and then on its way to a bank that has to confirm it.
--   1 the amount   2 the fee   3 what was exchanged, or kept as a discount   4 an accepted difference
create function settlement_post(booked bigint, to_bank boolean, only_line integer default null, against text default null)
returns void language sql as $$
  insert into ledger_posting (event, fact, line, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
  select e.event, 'settlement:' || booked || ':' || m.line_no, n.line, m.payment_id, case when n.line = 1 then coalesce(a.payer, m.provider) else m.provider end,
         case when e.amount > 0 then e.debit else e.credit end, case when e.amount > 0 then e.credit else e.debit end,
         abs(e.amount), e.currency, 'line ' || m.line_no || ' of settlement file ' || booked || ': ' || m.result || ' by ' || m.rule, 'settlement'
    from settlement_match m
    join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
    left join (select r.bank_line_no, v.provider as payer from payout_arrival r join payout_in_transit v using (file_id, line_no)
                where r.bank_file_id = booked) arrived on arrived.bank_line_no = m.line_no and m.result = 'PAYOUT_ARRIVED'
    cross join (select coalesce((select 'payouts_in_transit' from settlement_file f join settlement_contract c on c.provider = f.provider
                                  where f.file_id = booked and c.payouts_at is not null), 'bank') as account) paid_out
    cross join lateral (select arrived.payer,
      l.settle_currency is not null and l.settle_currency <> l.currency as exchanged,
      coalesce(l.settle_currency, l.currency) as settled_in,
      coalesce(l.settle_amount_minor, case when l.settle_currency is null or l.settle_currency = l.currency then l.amount_minor
                                           else l.net_minor + coalesce(l.fee_minor, 0) end) as settled,
      case when l.kind = 'PAYOUT' then paid_out.account when to_bank then 'bank' else 'provider_clearing' end as money,
      case when against is not null then against when arrived.payer is not null then 'payouts_in_transit' when l.kind = 'PAYOUT' or m.payment_id is not null then 'provider_clearing' when l.kind = 'FEE' then 'fees' else 'suspense' end as counter) a
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
   order by m.line_no, n.line;

  -- Payouts that a bank's statement has to confirm.
  insert into payout_in_transit (file_id, line_no, provider, bank, amount_minor, currency, names, at, due_at)
  select booked, l.line_no, f.provider, c.payouts_at, p.amount, p.currency,
         payout_names(array[l.reference, l.provider_payment_id, l.provider_line_id, l.batch_id]), coalesce(l.at, f.received_at),
         least(coalesce(l.at, f.received_at), clock_timestamp()) + c.payout_lag_ms * interval '1 millisecond'
    from settlement_file f
    join settlement_contract c on c.provider = f.provider
    join settlement_line l on l.file_id = f.file_id and l.kind = 'PAYOUT' and (only_line is null or l.line_no = only_line)
    cross join lateral (
      select g.currency, sum(case when g.debit_account = 'payouts_in_transit' then g.amount_minor else -g.amount_minor end) as amount
        from ledger_posting g
       where g.fact = 'settlement:' || booked || ':' || l.line_no and 'payouts_in_transit' in (g.debit_account, g.credit_account)
       group by g.currency) p
   where f.file_id = booked and (select c.payouts_at from settlement_file f join settlement_contract c on c.provider = f.provider
                                  where f.file_id = booked) is not null
     and p.amount <> 0
  on conflict do nothing
$$;
