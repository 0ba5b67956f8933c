-- Files of providers and banks about what they did with our money, and what we make of them.

-- One row for each content that a provider delivered, whatever the file was called and however often it came.
--   STAGING  its lines are being loaded, by the session that holds its advisory lock; a dead session leaves no lines
--   STAGED   all lines are there, nothing is checked or booked
--   REFUSED  unreadable, or people rejected it; nothing is booked
--   WAITING  in order so far, but other pages of its statement are not there yet
--   REVIEW   its control totals differ: people decide, nothing is booked
--   BOOKED   applied as a whole
create table settlement_file (
  file_id      bigint generated always as identity primary key,
  provider     text not null references provider (name),
  format       text not null check (length(format) between 1 and 100),
  name         text not null check (length(name) between 1 and 255),
  content_hash text not null check (content_hash ~ '^[0-9a-f]{64}$'),
  bytes        bigint not null check (bytes >= 0),
  received_at  timestamptz not null default clock_timestamp(),
  state        text not null default 'STAGING' check (state in ('STAGING', 'STAGED', 'REFUSED', 'WAITING', 'REVIEW', 'BOOKED')),
  state_since  timestamptz not null default clock_timestamp(),
  refused_why  text check (length(refused_why) between 1 and 2000),
  -- The file is about [period_from, period_to), if it says so.
  period_from  timestamptz,
  period_to    timestamptz,
  statement_id text,
  page_no      integer check (page_no > 0),
  last_page    boolean,
  -- What the file says about itself, as SettlementHeader words it, in minor units; what it does not say is not there.
  -- controls: [{name, currency, declared, counted}]. opening, closing: balances by currency. entries: what lies between
  -- them, the net amounts of all lines but IGNORED, by settlement currency.
  declared     jsonb not null default '{}' check (jsonb_typeof(declared) = 'object'),
  -- While STAGING: how many are loaded so far.
  line_count   bigint not null default 0 check (line_count >= 0),
  -- The decision of two people to book it although its totals differ.
  override_id  bigint references decision,
  booked_at    timestamptz,
  -- All payments that its lines are evidence for have been told of them.
  all_told     boolean not null default true,
  constraint content_is_known_once unique (provider, content_hash),
  constraint only_a_page_may_be_last check (last_page is null or page_no is not null),
  constraint period_is_a_period check (period_from < period_to),
  constraint refused_says_why check ((state = 'REFUSED') = (refused_why is not null)),
  constraint booked_has_a_time check ((state = 'BOOKED') = (booked_at is not null))
);
create index settlement_file_of_provider on settlement_file (provider, file_id);
create index settlement_file_received on settlement_file (received_at);
create index settlement_file_not_done on settlement_file (file_id) where state = 'STAGED' or not all_told;

-- What the lines say, as read by the contract of the provider; nothing here is ours or judged. Loaded by COPY.
--   amount_minor         before fees; from our view: what comes to us is positive. A PAYOUT is negative when it leaves
--                        our balance at the provider for our bank.
--   settle_amount_minor  the same in the currency in which it was settled, when the file tells; less than the amount
--                        when the provider kept a discount
--   fee_minor            what was kept from it, in the settlement currency: positive is a cost; null when not told
--   net_minor            settled amount less fee; null when not told
--   provider_line_id     what makes the line one of a kind at the provider, among lines of its kind
--   hints                {"original": our reference of the payment that is refunded or returned, "reason": a code ...}
create table settlement_line (
  file_id             bigint not null,
  line_no             integer not null check (line_no between 1 and 99999999),
  -- How review cases name it: 'settlement-line:<line_id>'.
  line_id             bigint not null generated always as (file_id * 100000000 + line_no) stored,
  kind                text not null check (kind in ('PAYMENT', 'REFUND', 'FEE', 'PAYOUT', 'RETURN', 'CHARGEBACK', 'ADJUSTMENT', 'IGNORED')),
  reference           text check (length(reference) between 1 and 300),
  reference_truncated boolean not null default false,
  provider_payment_id text check (length(provider_payment_id) between 1 and 255),
  provider_line_id    text check (length(provider_line_id) between 1 and 255),
  amount_minor        bigint not null,
  currency            text not null check (currency ~ '^[A-Z]{3}$'),
  fee_minor           bigint,
  net_minor           bigint,
  settle_currency     text check (settle_currency ~ '^[A-Z]{3}$'),
  settle_amount_minor bigint,
  at                  timestamptz,
  -- The payout that the line was paid out with.
  batch_id            text check (length(batch_id) between 1 and 255),
  raw                 text check (length(raw) <= 4000),
  hints               jsonb not null default '{}' check (jsonb_typeof(hints) = 'object'),
  primary key (file_id, line_no),
  check (settle_amount_minor is null or settle_currency is not null)
);
create trigger append_only before update or delete or truncate on settlement_line for each statement execute function refuse_change();

-- Lines enter only while their file is STAGING. A check for each statement stands for a foreign key, which would look a
-- million lines up one by one; files are never deleted.
create function line_has_its_file() returns trigger language plpgsql as $$
declare bad bigint;
begin
  select n.file_id into bad from (select distinct file_id from new_rows) n
    left join settlement_file f on f.file_id = n.file_id and f.state = 'STAGING' where f.file_id is null limit 1;
  if found then
    raise exception 'settlement file %: lines are loaded while it is STAGING only', bad using errcode = 'PR010';
  end if;
  return null;
end $$;
create trigger has_its_file after insert on settlement_line referencing new table as new_rows
  for each statement execute function line_has_its_file();

create function settlement_file_guard() returns trigger language plpgsql as $$
begin
  if (new.provider, new.content_hash, new.bytes, new.received_at)
     is distinct from (old.provider, old.content_hash, old.bytes, old.received_at) then
    raise exception 'settlement file %: what was delivered never changes', old.file_id using errcode = 'PR010';
  end if;
  if old.state <> 'STAGING' and old.state <> 'REFUSED'
     and (new.format, new.period_from, new.period_to, new.statement_id, new.page_no, new.last_page, new.declared, new.line_count)
         is distinct from
         (old.format, old.period_from, old.period_to, old.statement_id, old.page_no, old.last_page, old.declared, old.line_count) then
    raise exception 'settlement file %: what it says never changes', old.file_id using errcode = 'PR010';
  end if;
  if new.override_id is distinct from old.override_id and not exists (
       select from decision d join review_case c on c.case_id = d.case_id
        where d.decision_id = new.override_id and d.kind = 'BOOK_ANYWAY' and d.approved_by is not null
          and c.subject = 'settlement-file:' || old.file_id) then
    raise exception 'settlement file %: two people decide to book it anyway', old.file_id using errcode = 'PR010';
  end if;
  if new.all_told and not old.all_told and exists (
       select from settlement_match m
        where m.file_id = old.file_id and m.tells and not exists (
          select from evidence e where e.payment_id = coalesce(m.payment_id, m.candidate_id)
             and e.fact = 'settlement:' || m.file_id || ':' || m.line_no)) then
    raise exception 'settlement file %: not all payments have been told of its lines', old.file_id using errcode = 'PR010';
  end if;
  if old.state = 'BOOKED' and new.booked_at is distinct from old.booked_at then
    raise exception 'settlement file %: when it was booked never changes', old.file_id using errcode = 'PR010';
  end if;
  if new.state <> old.state then
    if not (case old.state
             when 'STAGING' then new.state in ('STAGED', 'REFUSED')
             when 'STAGED' then new.state in ('WAITING', 'REVIEW', 'BOOKED')
             when 'WAITING' then new.state in ('STAGED', 'REVIEW', 'REFUSED')
             -- Only two people let it be booked; see override_id.
             when 'REVIEW' then new.state = 'REFUSED' or new.state = 'STAGED' and new.override_id is not null
             -- Read again under a corrected contract, if it could not be read; what people rejected stays rejected.
             when 'REFUSED' then new.state = 'STAGING'
                  and not exists (select from settlement_line l where l.file_id = old.file_id)
             else false end) then
      raise exception 'settlement file %: % -> % is not a way', old.file_id, old.state, new.state using errcode = 'PR010';
    end if;
    if new.state = 'STAGED' and old.state = 'STAGING'
       and new.line_count <> (select count(*) from settlement_line l where l.file_id = new.file_id) then
      raise exception 'settlement file %: not all of its lines are there', old.file_id using errcode = 'PR010';
    end if;
    new.state_since := clock_timestamp();
  end if;
  return new;
end $$;
create trigger guard before update on settlement_file for each row execute function settlement_file_guard();
create trigger append_only before delete or truncate on settlement_file for each statement execute function refuse_change();
