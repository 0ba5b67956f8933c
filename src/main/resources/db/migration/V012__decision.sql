-- What people decide about a case, and the money that came back after a final state.

-- The decisions that there are. two_people: a second person approves it, because it moves money or closes a conflict.
create table decision_kind (
  kind       text primary key,
  subject    text not null check (subject in ('payment', 'settlement-file', 'settlement-line', 'settlement-payout', 'webhook')),
  two_people boolean not null,
  meaning    text not null
);
insert into decision_kind (kind, subject, two_people, meaning) values
  ('CONFIRM_SUCCEEDED',     'payment',         true,  'the money moved; names the payment id of the provider'),
  ('CONFIRM_FAILED',        'payment',         true,  'the money did not move and will not'),
  ('ALLOW_RESEND',          'payment',         true,  'the money did not move; it is sent again (permit TWO_PEOPLE)'),
  ('CLOSE_WITH_ADJUSTMENT', 'payment',         true,  'a conflict is closed, with the ledger entries that put the books right'),
  ('KEEP_WAITING',          'payment',         false, 'nothing is decided yet; it is looked at again at a time'),
  ('BOOK_ANYWAY',           'settlement-file', true,  'the file is booked although its control totals differ'),
  ('REJECT_FILE',           'settlement-file', false, 'the file is not booked'),
  ('ACKNOWLEDGE_MISSING',   'settlement-file', false, 'payments that the provider does not have are looked into outside'),
  ('MATCH_LINE',            'settlement-line', true,  'the line belongs to the payment that is named'),
  ('BOOK_LINE_TO_SUSPENSE', 'settlement-line', true,  'nobody knows what the line is; its money stands in suspense'),
  ('WRITE_OFF_LINE',        'settlement-line', true,  'the difference of the line is accepted and booked as an adjustment'),
  ('MATCH_PAYOUT',          'settlement-line', true,  'the line of the bank is the payout that is named; a difference is booked as an adjustment'),
  ('WRITE_OFF_PAYOUT',      'settlement-payout', true, 'the payout will not arrive; it is booked as an adjustment'),
  ('ACKNOWLEDGE_PAYOUT',    'settlement-payout', false, 'the payout is looked into outside, and still awaited'),
  ('CLOSE_WEBHOOK',         'webhook',         false, 'the webhook is of no payment of ours');
create trigger fixed before insert or update or delete or truncate on decision_kind for each statement execute function refuse_write();

-- One proposal for a case. The second person is never the first. Takes effect when the second person approves it; a kind
-- that needs none takes effect at once. What it does then, triggers on these two columns do, in the same transaction.
create table decision (
  decision_id bigint generated always as identity primary key,
  case_id     bigint not null references review_case,
  kind        text not null references decision_kind,
  details     jsonb not null default '{}' check (jsonb_typeof(details) = 'object'),
  reason      text not null check (length(reason) between 5 and 2000),
  proposed_by text not null check (length(btrim(proposed_by)) between 1 and 200),
  proposed_at timestamptz not null default clock_timestamp(),
  -- The last evidence and the last reversal of the payment that were on record when it was proposed. Kept by the schema.
  seen_evidence bigint not null default 0,
  seen_reversal bigint not null default 0,
  approved_by text,
  approved_at timestamptz,
  refused_by  text,
  refused_at  timestamptz,
  refused_why text check (length(refused_why) between 5 and 2000),
  effective_at timestamptz,
  constraint second_person_is_another check (approved_by is null or btrim(approved_by) <> '' and lower(btrim(approved_by)) <> lower(btrim(proposed_by))),
  check ((approved_by is null) = (approved_at is null)),
  check ((refused_by is null) = (refused_at is null)),
  check ((refused_by is null) = (refused_why is null)),
  check (approved_by is null or effective_at is not null),
  check (refused_by is null or effective_at is null),
  check (num_nonnulls(approved_by, refused_by) <= 1)
);
create unique index decision_open_once on decision (case_id) where effective_at is null and refused_by is null;
create index decision_of_case on decision (case_id, decision_id);
create trigger append_only before delete or truncate on decision for each statement execute function refuse_change();

-- What people decided about a payment is evidence, and names their decision.
alter table evidence add column decision_id bigint references decision;
alter table evidence add constraint decision_is_named check ((source = 'DECISION') = (decision_id is not null));

-- Money that came back after a payment was final, or was taken back again: a record of its own, never a change of the
-- payment. Unique by its fact, whoever tells of it.
create table reversal (
  reversal_id          bigint generated always as identity primary key,
  payment_id           uuid not null references payment,
  kind                 text not null check (kind in ('RETURN', 'CHARGEBACK', 'CHARGEBACK_REVERSED', 'REFUND_FAILED')),
  amount_minor         bigint not null check (amount_minor > 0),
  currency             text not null references currency (code),
  provider_reversal_id text,
  fact                 text not null unique check (length(fact) between 1 and 300),
  source               text not null check (source in ('WEBHOOK', 'QUERY', 'SETTLEMENT', 'DECISION')),
  reason               text not null,
  actor                text not null,
  recorded_at          timestamptz not null default clock_timestamp()
);
create index reversal_of_payment on reversal (payment_id);
create trigger append_only before update or delete or truncate on reversal for each statement execute function refuse_change();
