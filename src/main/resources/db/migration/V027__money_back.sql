-- Money that goes back: refunds, which are payments of their own, and reversals, which others tell us of.

-- What people booked away of a payment when they closed a conflict of it: it did not happen after all, or was taken back in
-- a way that could not be booked; and what they booked of refunds of it that are FAILED and moved all the same.
create function adjusted_away(subject payment) returns numeric language sql stable as $$
  select coalesce(sum(greatest(0, m.minor)), 0)
    from (select case when p.payment_id = subject.payment_id and p.operation <> 'CHARGE' then 1 else -1 end * sum(
                   case when l.debit_account in ('provider_clearing', 'bank') then l.amount_minor else -l.amount_minor end) as minor
            from payment p join ledger_posting l on l.payment_id = p.payment_id
           where (p.payment_id = subject.payment_id or p.refund_of = subject.payment_id and p.state = 'FAILED')
             and l.event = 'ReconciliationAdjusted' and l.fact like 'decision:%'
             and (l.debit_account in ('provider_clearing', 'bank')) <> (l.credit_account in ('provider_clearing', 'bank'))
             and (l.debit_account in ('requested', 'reversed', 'receivable', 'payable')
               or l.credit_account in ('requested', 'reversed', 'receivable', 'payable'))
             and exists (select from decision d where d.decision_id = split_part(l.fact, ':', 2)::bigint and d.kind = 'CLOSE_WITH_ADJUSTMENT')
           group by p.payment_id, p.operation) m
$$;

-- Whether people are looking at what is left of a payment: at the payment, or at a refund of it that is FAILED and may have
-- been made.
create function what_is_left_is_reviewed(paid uuid) returns boolean language sql stable as $$
  select exists (
    select from payment p join review_case c on c.payment_id = p.payment_id and c.subject = 'payment' and c.closed_at is null
     where p.payment_id = paid or p.refund_of = paid and p.state = 'FAILED')
$$;

-- Whether a refund of this payment is not sent now, because together with what went back otherwise it may be more than the
-- payment. It waits for people, at most as long as a payment may wait to be sent.
create function refund_waits(paid uuid) returns boolean language sql stable as $$
  select what_is_left_is_reviewed(paid)
      or (select p.given_back_minor + adjusted_away(p) > p.amount_minor from payment p where p.payment_id = paid)
$$;

-- A refund takes its amount of what is left of its payment, as soon as it exists and until it is FAILED. The row of the
-- payment is locked first (not its key, which the foreign key of a concurrent refund holds), so that refunds at the same
-- time take turns; never_more_back_than_paid holds whatever came before.
create function refund_counted() returns trigger language plpgsql as $$
declare
  o   payment;
  why text;
begin
  select * into o from payment where payment_id = new.refund_of for no key update;
  why := case
    when o.operation = 'REFUND' then 'it is a refund itself'
    when (new.provider, new.account, new.currency) is distinct from (o.provider, o.account, o.currency)
      then 'a refund goes by the provider, account and currency of its payment'
    when o.state <> 'SUCCEEDED' then 'it is ' || o.state || ', and only a payment that is SUCCEEDED is refunded'
    when what_is_left_is_reviewed(o.payment_id)
      then 'people are looking at whether it succeeded, or at what came back of it'
    when not (select can_refund from provider where name = o.provider) then 'provider ' || o.provider || ' has no refunds'
    when new.amount_minor > o.amount_minor - o.given_back_minor - adjusted_away(o) then 'more than is left of it' end;
  if why is not null then
    raise exception 'payment %: not refunded: %', o.payment_id, why
      using errcode = 'PR010', detail = json_build_object('why', why, 'state', o.state,
        'leftMinor', case when o.state = 'SUCCEEDED' and o.operation <> 'REFUND' then greatest(0, o.amount_minor - o.given_back_minor - adjusted_away(o)) end);
  end if;
  update payment set given_back_minor = given_back_minor + new.amount_minor where payment_id = o.payment_id;
  return null;
end $$;
create trigger refund_counted after insert on payment for each row when (new.refund_of is not null)
  execute function refund_counted();

-- A refund that is FAILED takes nothing but the part that is proven to have moved; one that is tried again takes its amount
-- again, if it is still there.
create function refund_recounted() returns trigger language plpgsql as $$
begin
  update payment
     set given_back_minor = given_back_minor + case when new.state = 'FAILED' then -1 else 1 end * (new.amount_minor - new.confirmed_minor)
   where payment_id = new.refund_of;
  return null;
end $$;
create trigger refund_recounted after update on payment for each row
  when (new.refund_of is not null and (new.state = 'FAILED') is distinct from (old.state = 'FAILED'))
  execute function refund_recounted();

-- The reversals that there are, with their posting, and whether they take of what is left of the payment or give it back.
create table reversal_kind (
  kind           text not null,
  operation      text not null,
  event          text not null,
  debit_account  text not null references ledger_account (code),
  credit_account text not null references ledger_account (code),
  takes          smallint not null check (takes in (-1, 1)),
  meaning        text not null,
  primary key (kind, operation)
);
insert into reversal_kind (kind, operation, event, debit_account, credit_account, takes, meaning) values
  ('RETURN',              'CHARGE', 'PaymentReversed',    'reversed', 'provider_clearing', 1, 'a direct debit was returned by the bank'),
  ('RETURN',              'PAYOUT', 'PaymentReversed',    'provider_clearing', 'reversed', 1, 'a payout came back'),
  ('RETURN',              'REFUND', 'RefundReversed',     'provider_clearing', 'reversed', 1, 'a refund came back'),
  ('CHARGEBACK',          'CHARGE', 'PaymentReversed',    'reversed', 'provider_clearing', 1, 'the payer took the money back'),
  ('CHARGEBACK_REVERSED', 'CHARGE', 'ChargebackReversed', 'provider_clearing', 'reversed', -1, 'a chargeback was decided for us'),
  ('REFUND_FAILED',       'REFUND', 'RefundReversed',     'provider_clearing', 'reversed', 1, 'a refund that was confirmed did not arrive');
create trigger fixed before insert or update or delete or truncate on reversal_kind for each statement execute function refuse_write();

alter table event_outbox add foreign key (reversal_id) references reversal;

-- By which facts a reversal was told, at most once by each source. A webhook and a line of a settlement file tell of the
-- same chargeback, each under an id of its own.
create table reversal_fact (
  fact        text primary key check (length(fact) between 1 and 300),
  reversal_id bigint not null references reversal,
  source      text not null,
  told_at     timestamptz not null default clock_timestamp()
);
create index reversal_fact_of_reversal on reversal_fact (reversal_id);
create trigger append_only before update or delete or truncate on reversal_fact for each statement execute function refuse_change();
create trigger rules_only before insert on reversal_fact for each statement execute function written_by_rules_only();

-- A reversal that is known is not written again. It is known by its fact, by the provider's own id of it, and as the oldest
-- one of the same payment, kind, amount and currency that this source has not told of yet: so that of reversals that look
-- alike there are as many as the source that tells of most of them says, in whatever order they are told.
create function reversal_known() returns trigger language plpgsql as $$
declare known reversal;
begin
  perform from payment where payment_id = new.payment_id for no key update;
  select r.* into known from reversal_fact f join reversal r using (reversal_id) where f.fact = new.fact;
  if known.reversal_id is null then
    select * into known from reversal r
     where (r.payment_id, r.kind, r.provider_reversal_id) = (new.payment_id, new.kind, new.provider_reversal_id)
     order by r.reversal_id limit 1;
  end if;
  if known.reversal_id is null then
    select * into known from reversal r
     where (r.payment_id, r.kind, r.amount_minor, r.currency) = (new.payment_id, new.kind, new.amount_minor, new.currency)
       and not exists (select from reversal_fact f where f.reversal_id = r.reversal_id and f.source = new.source)
     order by r.reversal_id limit 1;
  end if;
  if known.reversal_id is null then
    return new;
  end if;
  insert into reversal_fact (fact, reversal_id, source) values (new.fact, known.reversal_id, new.source) on conflict do nothing;
  if (known.amount_minor, known.currency) is distinct from (new.amount_minor, new.currency) then
    perform raise_alert('REVERSAL_CONFLICT', new.payment_id::text, 'CRITICAL', new.kind || ' ' || known.reversal_id
      || ' is told by ' || new.source || ' as ' || new.amount_minor || ' ' || new.currency || ', and was ' || known.amount_minor
      || ' ' || known.currency);
  end if;
  return null;
end $$;
create trigger known before insert on reversal for each row execute function reversal_known();

-- Books a reversal: posting, what is left of the payment, event. Says why it cannot be booked (null: it is booked).
-- Effective in triggers only: no statement may write the posting.
create function book_reversal(which bigint) returns text language plpgsql as $$
declare
  r   reversal;
  p   payment;
  k   reversal_kind;
  why text;
begin
  select * into r from reversal where reversal_id = which;
  select * into p from payment where payment_id = r.payment_id for no key update;
  select * into k from reversal_kind where (kind, operation) = (r.kind, p.operation);
  why := case
    when k.kind is null then 'there is no ' || r.kind || ' of a ' || p.operation
    when r.currency <> p.currency then 'it is in another currency'
    when p.state <> 'SUCCEEDED' then 'the payment is ' || p.state
    when k.takes = 1 and r.amount_minor > p.amount_minor - p.given_back_minor
      then 'only ' || p.amount_minor - p.given_back_minor || ' is left of the payment'
    when k.takes = -1 and r.amount_minor > (
      select coalesce(sum(case b.kind when 'CHARGEBACK' then b.amount_minor else -b.amount_minor end), 0)
        from reversal b join ledger_posting l on l.fact = 'reversal:' || b.reversal_id
       where b.payment_id = p.payment_id and b.kind in ('CHARGEBACK', 'CHARGEBACK_REVERSED'))
      then 'so much was not charged back' end;
  if why is not null then
    return why;
  end if;
  insert into ledger_posting (event, fact, payment_id, provider, debit_account, credit_account, amount_minor, currency, reason, actor)
  values (k.event, 'reversal:' || r.reversal_id, p.payment_id, p.provider, k.debit_account, k.credit_account, r.amount_minor,
          r.currency, r.reason, r.actor);
  update payment set given_back_minor = given_back_minor + k.takes * r.amount_minor where payment_id = p.payment_id;
  if p.refund_of is not null then
    -- What did not arrive can be refunded again.
    update payment set given_back_minor = given_back_minor - k.takes * r.amount_minor where payment_id = p.refund_of;
  end if;
  insert into event_outbox (reversal_id) values (r.reversal_id);
  return null;
end $$;

-- Books the reversals of a payment that wait, as far as they can be booked now: with its success, or with one that they
-- take back. When none is left, the case that they opened is over.
create function book_waiting_reversals(payment uuid) returns void language plpgsql as $$
declare
  r      bigint;
  rest   integer;
  booked integer;
begin
  loop
    rest := 0;
    booked := 0;
    for r in select v.reversal_id from reversal v
              where v.payment_id = payment
                and not exists (select from ledger_posting l where l.fact = 'reversal:' || v.reversal_id)
              order by v.reversal_id loop
      if book_reversal(r) is null then
        booked := booked + 1;
      else
        rest := rest + 1;
      end if;
    end loop;
    exit when rest = 0 or booked = 0;
  end loop;
  if rest = 0 then
    update payment p set reversal_waits = false where p.payment_id = payment and p.reversal_waits;
    update review_case c set closed_at = clock_timestamp(), closed_by = 'rules: booked with the success of the payment'
     where c.payment_id = payment and c.closed_at is null and c.subject = 'payment' and c.category = 'STATE_CONFLICT'
       and c.reason like '% is not booked: %';
    perform clear_alert('REVERSAL_CONFLICT', payment::text, 'rules');
  end if;
end $$;

-- A reversal is booked when it is told. One that does not fit its payment is kept all the same, and people look at it.
create function reversal_told() returns trigger language plpgsql as $$
declare why text;
begin
  insert into reversal_fact (fact, reversal_id, source) values (new.fact, new.reversal_id, new.source);
  why := book_reversal(new.reversal_id);
  if why is not null then
    why := left(new.kind || ' of ' || new.amount_minor || ' ' || new.currency || ' is not booked: ' || why, 2000);
    update payment set reversal_waits = true where payment_id = new.payment_id and state <> 'SUCCEEDED';
    insert into review_case (payment_id, category, reason) values (new.payment_id, 'STATE_CONFLICT', why)
    on conflict (payment_id) where closed_at is null and subject = 'payment' do nothing;
    perform raise_alert('REVERSAL_CONFLICT', new.payment_id::text, 'CRITICAL', why);
  elsif exists (select from reversal v where v.payment_id = new.payment_id
                   and not exists (select from ledger_posting l where l.fact = 'reversal:' || v.reversal_id)) then
    perform book_waiting_reversals(new.payment_id);
  end if;
  return null;
end $$;
create trigger told after insert on reversal for each row execute function reversal_told();

-- Reversals that were told before their payment was proven are booked with its success: later in the same transaction,
-- so that the success comes first in the history and in the events.
create function waiting_reversals_booked() returns trigger language plpgsql as $$
begin
  perform book_waiting_reversals(new.payment_id);
  return null;
end $$;
create constraint trigger waiting_reversals after update on payment deferrable initially deferred for each row
  when (new.reversal_waits and new.state = 'SUCCEEDED' and old.state <> 'SUCCEEDED')
  execute function waiting_reversals_booked();
