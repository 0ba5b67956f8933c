-- Double entry, append-only. A posting moves one amount from its credit account to its debit account, so that it
-- balances by construction: there is no statement that could record one side alone.

create table ledger_account (
  code        text primary key,
  kind        text not null check (kind in ('ASSET', 'LIABILITY', 'EXPENSE', 'CONTROL')),
  description text not null
);
insert into ledger_account (code, kind, description) values
  ('requested',         'CONTROL',   'Counter account of all payment intents: what was asked for and not called off.'),
  ('receivable',        'ASSET',     'Charges that were requested and are not yet confirmed: others owe it to us.'),
  ('payable',           'LIABILITY', 'Payouts and refunds that were requested and are not yet confirmed: we owe it.'),
  ('in_doubt_in',       'CONTROL',   'Charges that may or may not have happened: incoming money at risk.'),
  ('in_doubt_out',      'CONTROL',   'Payouts and refunds that may or may not have happened: outgoing money at risk.'),
  ('provider_clearing', 'ASSET',     'Confirmed by the provider and not yet settled with the bank. Credit: we owe the provider.'),
  ('bank',              'ASSET',     'Settled with the bank.'),
  ('payouts_in_transit', 'ASSET',    'Paid out by a provider, and not yet in the statement of the bank that confirms it.'),
  ('fees',              'EXPENSE',   'What providers and banks keep.'),
  ('reversed',          'CONTROL',   'Counter account of money that went back or came back after a payment was final.'),
  ('suspense',          'CONTROL',   'What a settlement file contains and nobody has explained yet.');
insert into ledger_account (code, kind, description) values
  ('exchange',    'CONTROL', 'Counter account of amounts that a provider settled in another currency: its two sides are the rate.'),
  ('adjustments', 'EXPENSE', 'Differences that were accepted: discounts that a provider kept, declared tolerances, write-offs.');

-- Where the amount of a payment stands, for each operation and each position that its state gives it.
create table ledger_position (
  operation text not null,
  position  text not null,
  account   text not null references ledger_account (code),
  primary key (operation, position)
);
insert into ledger_position (operation, position, account) values
  ('CHARGE', 'RELEASED', 'requested'), ('PAYOUT', 'RELEASED', 'requested'), ('REFUND', 'RELEASED', 'requested'),
  ('CHARGE', 'REQUESTED', 'receivable'), ('PAYOUT', 'REQUESTED', 'payable'), ('REFUND', 'REQUESTED', 'payable'),
  ('CHARGE', 'IN_DOUBT', 'in_doubt_in'), ('PAYOUT', 'IN_DOUBT', 'in_doubt_out'), ('REFUND', 'IN_DOUBT', 'in_doubt_out'),
  ('CHARGE', 'CONFIRMED', 'provider_clearing'), ('PAYOUT', 'CONFIRMED', 'provider_clearing'),
  ('REFUND', 'CONFIRMED', 'provider_clearing');

-- What it refers to is checked for each statement (trigger refers), in place of foreign keys: payments are never deleted,
-- accounts and currencies change by migrations only, and a settlement file posts millions of rows.
create table ledger_posting (
  posting_id     bigint generated always as identity primary key,
  event          text not null check (event in
                   ('PaymentRequested', 'PaymentInDoubt', 'PaymentDoubtLifted', 'PaymentConfirmed', 'PaymentFailed',
                    'RefundRequested', 'RefundInDoubt', 'RefundDoubtLifted', 'RefundConfirmed', 'RefundFailed',
                    'PaymentPartlyConfirmed', 'RefundPartlyConfirmed',
                    'PaymentReversed', 'ChargebackReversed', 'RefundReversed',
                    'SettlementBooked', 'FeeCharged', 'ReconciliationAdjusted')),
  -- Postings of one ledger transaction share their fact; a fact is posted once, whoever reports it.
  fact           text not null,
  line           smallint not null default 1,
  payment_id     uuid,
  provider       text,
  debit_account  text not null,
  credit_account text not null,
  amount_minor   bigint not null check (amount_minor > 0),
  currency       text not null,
  reason         text not null,
  actor          text not null,
  posted_at      timestamptz not null default clock_timestamp(),
  constraint fact_is_posted_once unique (fact, line),
  check (debit_account <> credit_account)
);
create index ledger_posting_of_payment on ledger_posting (payment_id);

-- The two sides of each posting: debit positive, credit negative. The sum for each fact and currency is always 0.
create view ledger_entry as
select posting_id, event, fact, line, payment_id, provider, debit_account as account, amount_minor, currency, posted_at
  from ledger_posting
union all
select posting_id, event, fact, line, payment_id, provider, credit_account, -amount_minor, currency, posted_at
  from ledger_posting;

create view ledger_balance as
select account, provider, currency, sum(amount_minor)::numeric as balance_minor, count(*) as entries
  from ledger_entry group by account, provider, currency;
