-- What evidence does when it is written, and what may happen to the case that it opens.

-- Evidence carries the database's time, and a success or an acceptance stops what waits to be sent: the payment itself
-- (never sent, for all we know, after a restore from a backup),
-- and a new payment for an obligation whose FAILED payment turns out paid. People decide then.
create function evidence_stops_sending() returns trigger language plpgsql as $$
declare bad uuid;
begin
  select payment_id into bad from new_rows
   where received_at not between now() - interval '1 minute' and clock_timestamp() + interval '1 minute' limit 1;
  if found then
    raise exception 'payment %: evidence carries the time of the database', bad using errcode = 'PR003';
  end if;
  if exists (select from new_rows where verdict in ('SUCCEEDED', 'ACCEPTED') and coalesce(mismatch, 'amount') = 'amount') then
    update payment p
       set state = 'REVIEW', category = 'STATE_CONFLICT', reason = 'waiting to be sent, but: ' || e.reason,
           actor = e.recorded_by, evidence_id = e.evidence_id
      from new_rows e
     where e.payment_id = p.payment_id and p.state = 'PENDING'
       and speaks_against_resend(p.payment_id, p.attempts);
    if exists (select from new_rows e join payment f using (payment_id) where e.verdict = 'SUCCEEDED' and f.state = 'FAILED') then
      with sibling as materialized (
        select p.payment_id, e.evidence_id, e.reason, e.recorded_by
          from new_rows e join payment f on f.payment_id = e.payment_id and f.state = 'FAILED'
          join payment p on (p.source_reference, p.caller, p.operation) = (f.source_reference, f.caller, f.operation)
           and p.state = 'PENDING'
         where e.verdict = 'SUCCEEDED' and coalesce(e.mismatch, 'amount') = 'amount'
           for update of p skip locked)
      update payment p
         set state = 'REVIEW', category = 'STATE_CONFLICT', reason = 'an earlier payment for it may have been made: ' || s.reason,
             actor = s.recorded_by, evidence_id = s.evidence_id
        from sibling s where s.payment_id = p.payment_id;
    end if;
  end if;
  return null;
end $$;
create trigger stops_sending after insert on evidence referencing new table as new_rows
  for each statement execute function evidence_stops_sending();

-- Two different payment ids of the provider that both say success: the money moved twice.
create function double_pay_is_noticed() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows where verdict = 'SUCCEEDED' and provider_payment_id is not null) then
    perform raise_alert('DOUBLE_PAY', d.payment_id::text, 'CRITICAL', 'the provider says success twice, as ' || d.one || ' and as ' || d.other)
       from (select distinct on (n.payment_id) n.payment_id, e.provider_payment_id as one, n.provider_payment_id as other
               from new_rows n join payment p using (payment_id)
               join evidence e on e.payment_id = n.payment_id and e.verdict = 'SUCCEEDED' and e.provider_payment_id <> n.provider_payment_id
                and coalesce(e.mismatch, 'provider_payment_id') = 'provider_payment_id'
              where n.verdict = 'SUCCEEDED' and coalesce(n.mismatch, 'provider_payment_id') = 'provider_payment_id'
                and not exists (select from provider_payment x
                                 where (x.provider, x.account, x.operation) = (p.provider, p.account, p.operation)
                                   and x.provider_payment_id in (n.provider_payment_id, e.provider_payment_id) and x.payment_id <> n.payment_id)
              order by n.payment_id, n.evidence_id, e.evidence_id) d;
  end if;
  return null;
end $$;
create trigger double_pay after insert on evidence referencing new table as new_rows
  for each statement execute function double_pay_is_noticed();

-- A case is opened with what is known and closed once: by what becomes of its payment, or by what people decided. Only
-- the case of a file that is read again is closed by a statement.
create function review_case_guard() returns trigger language plpgsql as $$
begin
  if (new.case_id, new.payment_id, new.subject, new.category, new.reason, new.evidence_id, new.opened_at)
     is distinct from (old.case_id, old.payment_id, old.subject, old.category, old.reason, old.evidence_id, old.opened_at)
     or old.closed_at is not null then
    raise exception 'review case %: what was asked and answered never changes', old.case_id using errcode = 'PR001';
  end if;
  if new.closed_at is not null and pg_trigger_depth() < 2 and not (old.subject like 'settlement-file:%' and exists (
       select from settlement_file f where f.file_id = split_part(old.subject, ':', 2)::bigint and f.state = 'STAGING')) then
    raise exception 'review case %: it is closed by what becomes of its payment, or by a decision', old.case_id using errcode = 'PR002';
  end if;
  return new;
end $$;
create trigger guard before update on review_case for each row execute function review_case_guard();
