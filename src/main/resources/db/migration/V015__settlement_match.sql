-- What becomes of the lines of settlement files: their matches, the periods they complete and what is missing from them.
-- Checking, matching and booking a file (the next files) is a few statements over all its lines in one transaction, so that
-- it is applied as a whole or not at all.

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
  -- The provider (a bank) whose statements confirm the payouts of this one: until then they are in transit. Null: a PAYOUT
  -- line is proof enough, its money is at the bank.
  payouts_at       text check (payouts_at <> provider),
  -- A payout that is not in such a statement so long after its time is a question for people.
  payout_lag_ms    bigint not null default 432000000 check (payout_lag_ms >= 0),
  -- Of a bank: a line that names no payout is one of this amount and currency when their times differ by no more, and both
  -- have nobody else. Null: never.
  payout_window_ms bigint check (payout_window_ms > 0),
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
                     'MATCHED', 'TOLERATED', 'RESOLVES', 'FEE', 'PAYOUT', 'PAYOUT_ARRIVED', 'KNOWN_LINE', 'DUPLICATE_LINE',
                     'SETTLED_BUT_FAILED', 'DOUBLE_PAY', 'AMOUNT_DIFFERS', 'CURRENCY_DIFFERS', 'AMBIGUOUS', 'CANDIDATE',
                     'UNKNOWN_TO_US', 'ADJUSTMENT', 'PAYOUT_DIFFERS', 'KNOWN_LINE_DIFFERS', 'DUPLICATE_DIFFERS', 'NO_IDENTITY')),
  rule             text not null check (rule in ('KIND', 'IDENTITY', 'REFERENCE', 'ORIGINAL', 'PROVIDER_ID', 'WINDOW', 'NONE')),
  payment_id       uuid,
  candidate_id     uuid,
  part             text check (part in ('MOVE', 'RETURN', 'CHARGEBACK', 'CHARGEBACK_REVERSED', 'REFUND_FAILED')),
  -- For AMOUNT_DIFFERS and TOLERATED: line less payment, in minor units; for PAYOUT_DIFFERS: line less payout.
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
create index settlement_match_unknown on settlement_match (provider) where result = 'UNKNOWN_TO_US' and decision_id is null;
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

-- Payouts that a provider's file tells of and that a bank's statement has yet to confirm, as they were posted to
-- payouts_in_transit; which bank, and until when, as the contract said then.
--   amount_minor  from our view, as the bank will have it: what comes to us is positive
--   names         by what a bank may name it: the ids of its line and its batch, letters and digits only
create table payout_in_transit (
  file_id      bigint not null,
  line_no      integer not null,
  -- How review cases name it: 'settlement-payout:<line_id>'; the id of the PAYOUT line.
  line_id      bigint not null generated always as (file_id * 100000000 + line_no) stored unique,
  provider     text not null references provider (name),
  bank         text not null,
  amount_minor bigint not null check (amount_minor <> 0),
  currency     text not null references currency (code),
  names        text[] not null,
  at           timestamptz not null,
  due_at       timestamptz not null,
  primary key (file_id, line_no)
);
create index payout_in_transit_to on payout_in_transit (bank);
create trigger append_only before update or delete or truncate on payout_in_transit for each statement execute function refuse_change();

-- What became of a payout: one line of the bank, or two people say that it will not come. A payout and a line of the bank
-- are each claimed once.
create table payout_arrival (
  file_id      bigint not null,
  line_no      integer not null,
  bank_file_id bigint,
  bank_line_no integer,
  rule         text not null check (rule in ('REFERENCE', 'WINDOW', 'DECISION', 'WRITTEN_OFF')),
  decision_id  bigint unique references decision,
  recorded_at  timestamptz not null default clock_timestamp(),
  primary key (file_id, line_no),
  foreign key (file_id, line_no) references payout_in_transit,
  foreign key (bank_file_id, bank_line_no) references settlement_match,
  constraint bank_line_is_one_payout unique (bank_file_id, bank_line_no),
  check ((rule = 'WRITTEN_OFF') = (bank_file_id is null) and (bank_file_id is null) = (bank_line_no is null)),
  check ((rule in ('DECISION', 'WRITTEN_OFF')) = (decision_id is not null))
);
create trigger append_only before update or delete or truncate on payout_arrival for each statement execute function refuse_change();

-- Names as they can be compared: banks change the case and leave out characters.
create function payout_names(names text[]) returns text[] language sql immutable return
  (select coalesce(array_agg(distinct t.name), '{}') from (
     select nullif(regexp_replace(lower(n), '[^a-z0-9]', '', 'g'), '') as name from unnest(names) n) t where t.name is not null);
