-- What is told of a settlement file, of a day, and of the clearing account of a provider.

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

-- What a provider paid out, or is paid out to a bank, and no statement has yet; the oldest first, the first 1000.
create function settlement_in_transit(of_provider text) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(to_jsonb(t) order by t.at, t."lineId"), '[]')
    from (select v.line_id as "lineId", v.file_id as "fileId", v.line_no as "lineNo", v.provider, v.bank, v.amount_minor as "amountMinor", v.currency, v.at,
                 v.due_at as "dueAt", v.due_at < clock_timestamp() as late
            from payout_in_transit v
           where of_provider in (v.provider, v.bank) and not exists (select from payout_arrival a where (a.file_id, a.line_no) = (v.file_id, v.line_no))
           order by v.at, v.line_id limit 1000) t
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
                                when p.debit_account = 'payouts_in_transit' then p.amount_minor when p.credit_account = 'payouts_in_transit' then -p.amount_minor
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
    'payouts', coalesce((
      select jsonb_agg(to_jsonb(d)) from (
        select v.line_id as "lineId", v.provider, v.bank, v.amount_minor as "amountMinor", v.currency, v.at, v.due_at as "dueAt", a.rule as "arrivedBy",
               a.bank_file_id as "bankFileId", a.bank_line_no as "bankLineNo", a.decision_id as "decisionId"
          from payout_in_transit v left join payout_arrival a using (file_id, line_no)
         where v.file_id = told or a.bank_file_id = told order by v.line_id limit 1000) d), '[]'),
    'inTransit', settlement_in_transit(f.provider),
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
    'inTransit', coalesce((select jsonb_object_agg(p.provider, settlement_in_transit(p.provider)) from (select distinct provider from files) p), '{}'),
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
        -- The last send is before the first one when the clock of the database was set back between them.
        @> tstzrange(least(p.first_sent_at, sent.last_at),
                     greatest(p.first_sent_at, sent.last_at) + make_interval(secs => coalesce(c.lag_ms, 0) / 1000.0), '[]')
      and not exists (select from settlement_match m where m.payment_id = p.payment_id or m.candidate_id = p.payment_id)
      -- A line of this amount that is no other payment's may be it, also when people do not know what it is.
      and not exists (
        select from settlement_match m join settlement_line l on (l.file_id, l.line_no) = (m.file_id, m.line_no)
         where m.provider = p.provider and settlement_is_difference(m.result) and m.payment_id is null
           and (abs(l.amount_minor), l.currency) = (p.amount_minor, p.currency)
           and (l.at is null or l.at >= p.first_sent_at - interval '2 days'))), false)
    from payment p left join settlement_contract c on c.provider = p.provider
    cross join lateral (select max(a.started_at) as last_at from attempt a where a.payment_id = p.payment_id) sent
   where p.payment_id = $1 and p.first_sent_at is not null and sent.last_at is not null
$$;
