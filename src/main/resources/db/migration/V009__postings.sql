-- What a ledger posting must refer to, and what it is called.

-- What foreign keys would say, for all rows of a statement at once. The payment is looked up row by row on purpose: a join
-- that is planned for a million rows would be kept for the next statement of one.
create function posting_refers() returns trigger language plpgsql as $$
declare bad bigint;
begin
  select min(n.posting_id) into bad from new_rows n
   where n.payment_id is not null and (select p.payment_id from payment p where p.payment_id = n.payment_id) is null
      or n.debit_account not in (select code from ledger_account) or n.credit_account not in (select code from ledger_account)
      or n.currency not in (select code from currency);
  if bad is not null then
    raise exception 'posting %: there is no such payment, account or currency', bad using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;
create trigger refers after insert on ledger_posting referencing new table as new_rows
  for each statement execute function posting_refers();

-- Postings about payments follow from their states, and adjustments from what two people decided. Statements post the
-- lines of the settlement file that is being booked, and nothing else.
create function posting_is_ours() returns trigger language plpgsql as $$
declare bad record;
begin
  if pg_trigger_depth() < 2 then
    -- The first condition looks at every posting of a file, the last one at each file once.
    select event, fact into bad from new_rows
     where event not in ('SettlementBooked', 'FeeCharged', 'ReconciliationAdjusted')
        or fact !~ '^settlement:[0-9]{1,18}:[0-9]{1,8}$' or 'in_doubt_in' in (debit_account, credit_account)
        or 'in_doubt_out' in (debit_account, credit_account) limit 1;
    if not found then
      select 'of a file' as event, n.fact into bad
        from (select split_part(fact, ':', 2)::bigint as file_id, min(fact) as fact from new_rows group by 1) n
       where not exists (select from settlement_file f where f.file_id = n.file_id and f.state = 'STAGED') limit 1;
    end if;
    if found then
      raise exception 'posting % of fact %: it is written by the rules of the schema, not by a statement', bad.event, bad.fact
        using errcode = 'PR002';
    end if;
  end if;
  return null;
end $$;
create trigger is_ours after insert on ledger_posting referencing new table as new_rows
  for each statement execute function posting_is_ours();

create function ledger_event(operation text, position_from text, position_to text) returns text
language sql immutable return
  case when operation = 'REFUND' then 'Refund' else 'Payment' end ||
  case when position_to = 'REQUESTED' and position_from = 'IN_DOUBT' then 'DoubtLifted'
       when position_to = 'REQUESTED' then 'Requested'
       when position_to = 'IN_DOUBT' then 'InDoubt'
       when position_to = 'CONFIRMED' then 'Confirmed'
       else 'Failed' end;
