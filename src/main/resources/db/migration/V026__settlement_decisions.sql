-- What people decide about settlement files and their lines, and what follows in the same commit.

-- Decisions that were imported together have one number, and are approved together.
create sequence settlement_batch;
create index decision_of_batch on decision (((details ->> 'batch')::bigint)) where details ->> 'batch' is not null;

-- What a decision about a line or file must say, and of which it can be made at all.
create function settlement_decision_guard() returns trigger language plpgsql as $$
declare
  about text;
  f settlement_file;
  m settlement_match;
  l settlement_line;
  p payment;
  field text;
begin
  select c.subject into about from review_case c where c.case_id = new.case_id;
  if about not like 'settlement-%' then
    return new;
  end if;
  select k into field from jsonb_object_keys(new.details) k where not (new.kind = 'MATCH_LINE' and k = 'paymentId' or new.kind = 'MATCH_PAYOUT' and k = 'payoutLineId' or k = 'batch') limit 1;
  if found then
    perform refuse_decision_field('details.' || left(field, 40), 'an unknown field', case new.kind when 'MATCH_LINE' then 'paymentId' when 'MATCH_PAYOUT' then 'payoutLineId' else 'no fields' end);
  end if;

  if about like 'settlement-file:%' then
    select * into f from settlement_file where file_id = split_part(about, ':', 2)::bigint;
    if new.kind = 'BOOK_ANYWAY' and f.state <> 'REVIEW'
       or new.kind = 'REJECT_FILE' and f.state not in ('REVIEW', 'REFUSED')
       or new.kind = 'ACKNOWLEDGE_MISSING' and f.state <> 'BOOKED' then
      perform refuse_decision_field('kind', new.kind, case f.state when 'REVIEW' then 'BOOK_ANYWAY or REJECT_FILE'
        when 'BOOKED' then 'ACKNOWLEDGE_MISSING: the file is booked' else 'REJECT_FILE: the file cannot be read' end);
    end if;
    return new;
  end if;
  if about like 'settlement-payout:%' then
    return new;
  end if;

  select * into l from settlement_line
   where file_id = split_part(about, ':', 2)::bigint / 100000000 and line_no = split_part(about, ':', 2)::bigint % 100000000;
  select * into m from settlement_match where (file_id, line_no) = (l.file_id, l.line_no);
  if new.kind = 'MATCH_LINE' then
    begin
      select * into p from payment where payment_id = (new.details ->> 'paymentId')::uuid;
    exception when invalid_text_representation then
      p := null;
    end;
    if p.payment_id is null or p.provider <> m.provider or p.currency <> l.currency then
      perform refuse_decision_field('details.paymentId', new.details ->> 'paymentId', 'a payment of ' || m.provider || ' in ' || l.currency);
    end if;
    if settlement_part(l.kind, l.amount_minor, p.operation) is null then
      perform refuse_decision_field('details.paymentId', new.details ->> 'paymentId', 'a payment whose money can move this way');
    end if;
    if exists (select from settlement_match k where k.payment_id = p.payment_id and k.part = settlement_part(l.kind, l.amount_minor, p.operation)) then
      perform refuse_decision_field('details.paymentId', new.details ->> 'paymentId', 'a payment that no other line is matched with');
    end if;
  end if;
  if new.kind = 'MATCH_PAYOUT' and not exists (
       select from payout_in_transit v
        where v.line_id::text = new.details ->> 'payoutLineId' and (v.bank, v.currency) = (m.provider, l.currency)
          and (v.amount_minor > 0) = (payout_amount(l) > 0)
          and not exists (select from payout_arrival a where (a.file_id, a.line_no) = (v.file_id, v.line_no))) then
    perform refuse_decision_field('details.payoutLineId', new.details ->> 'payoutLineId',
      'the lineId of a payout in ' || l.currency || ' in transit to ' || m.provider);
  end if;
  return new;
end $$;
create trigger settlement_guard before insert on decision for each row execute function settlement_decision_guard();

create function settlement_decided() returns trigger language plpgsql as $$
declare
  about review_case;
  f settlement_file;
  m settlement_match;
  l settlement_line;
  p payment;
  way text;
  actors text := concat_ws(' and ', new.proposed_by, new.approved_by);
  was_posted boolean;
begin
  select c.* into about from review_case c where c.case_id = new.case_id;
  if about.subject like 'settlement-file:%' then
    select * into f from settlement_file where file_id = split_part(about.subject, ':', 2)::bigint for update;
    if new.kind = 'BOOK_ANYWAY' then
      update settlement_file set state = 'STAGED', override_id = new.decision_id where file_id = f.file_id;
    elsif new.kind = 'REJECT_FILE' and f.state = 'REVIEW' then
      update settlement_file set state = 'REFUSED', refused_why = left('Rejected by ' || actors || ': ' || new.reason, 2000) where file_id = f.file_id;
    end if;
    perform clear_alert(k, about.subject, actors)
       from unnest(case when new.kind = 'ACKNOWLEDGE_MISSING' then array['MISSING_AT_PROVIDER'] else array['CONTROL_TOTALS', 'SETTLEMENT_REFUSED'] end) k;
  elsif about.subject like 'settlement-line:%' then
    select * into l from settlement_line
     where file_id = split_part(about.subject, ':', 2)::bigint / 100000000 and line_no = split_part(about.subject, ':', 2)::bigint % 100000000;
    select * into m from settlement_match where (file_id, line_no) = (l.file_id, l.line_no) for update;
    was_posted := settlement_is_booked(m.result);
    -- A difference of the amount that is accepted: the line is its payment's.
    if new.kind = 'MATCH_LINE' or new.kind = 'WRITE_OFF_LINE' and m.result = 'AMOUNT_DIFFERS'
       and not exists (select from settlement_match k where k.payment_id = m.candidate_id and k.part = 'MOVE') then
      select * into p from payment where payment_id = coalesce((new.details ->> 'paymentId')::uuid, m.candidate_id);
      way := settlement_part(l.kind, l.amount_minor, p.operation);
    end if;
    -- The line is booked against the whole amount of its payment. Where only a part is known to have moved, people first
    -- decide what became of the rest.
    if way is not null and p.confirmed_minor > 0 and p.state <> 'SUCCEEDED' then
      raise exception 'payment %: a part of it moved and the rest is %; decide that first', p.payment_id, p.state
        using errcode = 'PR022', detail = json_build_object('kind', new.kind,
          'whyNot', 'a part of the payment moved and the rest is ' || p.state || '; decide that first')::text;
    end if;
    if new.kind = 'MATCH_PAYOUT' then
      if exists (select from payout_arrival a join payout_in_transit v using (file_id, line_no) where v.line_id::text = new.details ->> 'payoutLineId') then
        raise exception 'payout %: it has arrived meanwhile', new.details ->> 'payoutLineId'
          using errcode = 'PR022', detail = json_build_object('kind', new.kind, 'whyNot', 'the payout has arrived meanwhile')::text;
      end if;
      update settlement_match set decision_id = new.decision_id where (file_id, line_no) = (l.file_id, l.line_no);
      if not was_posted then
        perform settlement_post(l.file_id, settlement_to_bank(l.file_id), l.line_no, 'suspense');
      end if;
      insert into payout_arrival (file_id, line_no, bank_file_id, bank_line_no, rule, decision_id)
      select v.file_id, v.line_no, l.file_id, l.line_no, 'DECISION', new.decision_id
        from payout_in_transit v where v.line_id::text = new.details ->> 'payoutLineId';
    elsif way is not null then
      update settlement_match set payment_id = p.payment_id, part = way, decision_id = new.decision_id,
             tells = tells or way = 'MOVE' and p.state <> 'SUCCEEDED'
       where (file_id, line_no) = (l.file_id, l.line_no);
      update settlement_file set all_told = false where file_id = l.file_id and way = 'MOVE' and p.state <> 'SUCCEEDED';
      if way <> 'MOVE' then
        insert into reversal (payment_id, kind, amount_minor, currency, provider_reversal_id, fact, source, reason, actor)
        values (p.payment_id, way, abs(l.amount_minor), l.currency, l.provider_line_id,
                'settlement:' || l.file_id || ':' || l.line_no, 'SETTLEMENT', new.reason, actors) on conflict (fact) do nothing;
      end if;
      if not was_posted then
        perform settlement_post(l.file_id, settlement_to_bank(l.file_id), l.line_no, 'provider_clearing');
      end if;
      insert into ledger_posting (event, fact, line, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
      select 'ReconciliationAdjusted', 'decision:' || new.decision_id, n, p.payment_id, m.provider,
             case when a > 0 then d else 'provider_clearing' end, case when a > 0 then 'provider_clearing' else d end, abs(a), l.currency, new.reason, actors
        from (values (1, 'suspense', case when was_posted then l.amount_minor else 0 end),
                     (2, 'adjustments', case when way = 'MOVE' then case when p.operation = 'CHARGE' then p.amount_minor else -p.amount_minor end
                                                                     - l.amount_minor else 0 end)) x (n, d, a)
       where a <> 0;
    else
      update settlement_match set decision_id = new.decision_id where (file_id, line_no) = (l.file_id, l.line_no);
      if not was_posted then
        perform settlement_post(l.file_id, settlement_to_bank(l.file_id), l.line_no,
          case new.kind when 'WRITE_OFF_LINE' then 'adjustments' else 'suspense' end);
      elsif new.kind = 'WRITE_OFF_LINE' and l.amount_minor <> 0 then
        insert into ledger_posting (event, fact, line, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
        values ('ReconciliationAdjusted', 'decision:' || new.decision_id, 1, null, m.provider,
                case when l.amount_minor > 0 then 'suspense' else 'adjustments' end,
                case when l.amount_minor > 0 then 'adjustments' else 'suspense' end, abs(l.amount_minor), l.currency, new.reason, actors);
      end if;
    end if;
  elsif about.subject like 'settlement-payout:%' then
    if new.kind = 'WRITE_OFF_PAYOUT' then
      insert into payout_arrival (file_id, line_no, rule, decision_id)
      select v.file_id, v.line_no, 'WRITTEN_OFF', new.decision_id from payout_in_transit v where 'settlement-payout:' || v.line_id = about.subject;
    end if;
    perform clear_alert('PAYOUT_NOT_ARRIVED', about.subject, actors);
  else
    return null;
  end if;
  update review_case c set closed_at = clock_timestamp(), closed_by = actors where c.case_id = new.case_id and c.closed_at is null;
  return null;
end $$;
create trigger settlement_decided after update of approved_by, effective_at on decision for each row
  when (old.effective_at is null and new.effective_at is not null) execute function settlement_decided();
