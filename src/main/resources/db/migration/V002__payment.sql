-- The payment, its attempts, and everything we were told about it.

-- The transitions that exist at all. The history table refers to it, so that no statement can record another one.
create table legal_transition (
  from_state text not null,
  to_state   text not null,
  why        text not null,
  primary key (from_state, to_state)
);

insert into legal_transition (from_state, to_state, why) values
  ('NONE',       'PENDING',    'accepted'),
  ('PENDING',    'SUBMITTING', 'claimed by one worker, with its attempt'),
  ('PENDING',    'FAILED',     'cancelled or expired before any send, or refused while it waits for a resend'),
  ('PENDING',    'SUCCEEDED',  'proven by evidence while it waits for a resend'),
  ('PENDING',    'PROCESSING', 'the provider confirms that it has it while it waits for a resend'),
  ('PENDING',    'REVIEW',     'time limit passed before it could be sent'),
  ('SUBMITTING', 'SUCCEEDED',  'the answer proves that the money moved'),
  ('SUBMITTING', 'FAILED',     'the answer is a listed final refusal'),
  ('SUBMITTING', 'PROCESSING', 'the provider has it and is not done'),
  ('SUBMITTING', 'UNKNOWN',    'the answer proves nothing, or the lease is over'),
  ('SUBMITTING', 'REVIEW',     'the answer is about another payment, amount or currency, or the time limit passed'),
  ('SUBMITTING', 'PENDING',    'the attempt provably did not execute (permit NOT_EXECUTED)'),
  ('PROCESSING', 'SUCCEEDED',  'proven by evidence'),
  ('PROCESSING', 'FAILED',     'proven by evidence'),
  ('PROCESSING', 'UNKNOWN',    'the provider no longer confirms that it has it'),
  ('PROCESSING', 'REVIEW',     'contradicting evidence, or the time limit passed'),
  ('UNKNOWN',    'SUCCEEDED',  'proven by evidence'),
  ('UNKNOWN',    'FAILED',     'proven by evidence'),
  ('UNKNOWN',    'PROCESSING', 'the provider confirms that it has it'),
  ('UNKNOWN',    'REVIEW',     'contradicting evidence, or automation has run out of means'),
  ('UNKNOWN',    'PENDING',    'a resend is proven safe (permit)'),
  ('REVIEW',     'SUCCEEDED',  'proven by evidence, or decided by people'),
  ('REVIEW',     'FAILED',     'proven by evidence, or decided by people'),
  ('REVIEW',     'UNKNOWN',    'a person hands it back to automation'),
  ('REVIEW',     'PENDING',    'a resend is proven safe (permit)'),
  ('FAILED',     'PENDING',    'a listed rejection may be tried again under a new key (permit RETRY_AFTER_REJECTION)');

-- One intent to move money once. Everything above the state never changes.
create table payment (
  payment_id          uuid primary key,
  caller              text not null check (length(caller) between 1 and 200),
  request_key         text not null check (length(request_key) between 1 and 255),
  fingerprint         text not null,
  source_reference    text not null check (length(source_reference) between 1 and 200),
  operation           text not null check (operation in ('CHARGE', 'PAYOUT', 'REFUND')),
  provider            text not null references provider (name),
  account             text not null,
  amount_minor        bigint not null check (amount_minor > 0),
  currency            text not null references currency (code),
  instruction         jsonb not null default '{}',
  -- The payment that this one gives money back of.
  refund_of           uuid references payment,
  accepted_at         timestamptz not null default clock_timestamp(),
  generation          smallint not null default 0 check (generation >= 0),
  -- What the provider sees as idempotency key and reference: 32 hex characters, for ever.
  provider_key        text not null generated always as
                        (replace(payment_id::text, '-', '') || case when generation = 0 then '' else '-' || generation end) stored,

  state               text not null default 'PENDING' check (state in
                        ('PENDING', 'SUBMITTING', 'PROCESSING', 'UNKNOWN', 'SUCCEEDED', 'FAILED', 'REVIEW')),
  category            text check (category in ('NOT_EXECUTED', 'RECEIPT_MISSING', 'STATE_CONFLICT')),
  version             integer not null default 1,
  state_since         timestamptz not null default clock_timestamp(),
  reason              text not null default 'accepted',
  actor               text not null default 'intake',
  evidence_id         bigint,
  attempts            integer not null default 0 check (attempts >= 0),
  -- The first attempt of this generation, under this key.
  generation_since    integer not null default 1,
  current_attempt     integer generated always as (nullif(attempts, 0)) stored,
  -- The first send of this generation: the lifetime of its key begins here.
  first_sent_at       timestamptz,
  -- While it waits to be sent again, or is: earlier sends may have moved the money. Kept by the schema.
  in_doubt            boolean not null default false,
  -- When a resend, or a retry after a refusal, is considered; the permit decides then. Null for never.
  resend_at           timestamptz,
  queries             integer not null default 0,
  inconclusive        integer not null default 0,
  due_at              timestamptz not null default clock_timestamp(),
  provider_payment_id text,
  -- What of it is proven to have moved when a provider executed a part only; the rest is for people. Kept by the schema.
  confirmed_minor     bigint not null default 0,
  -- What refunds that are not FAILED, returns and chargebacks take of it. Kept by the schema.
  given_back_minor    bigint not null default 0,
  -- A reversal came before it could be booked.
  reversal_waits      boolean not null default false,

  constraint payment_request_is_unique unique (caller, request_key),
  constraint a_refund_names_its_payment check ((operation = 'REFUND') = (refund_of is not null)),
  constraint a_part_is_less_than_all check (confirmed_minor >= 0 and (confirmed_minor = 0 or confirmed_minor < amount_minor)),
  constraint never_more_back_than_paid check (given_back_minor >= 0 and (given_back_minor = 0 or given_back_minor <= amount_minor)),
  constraint review_has_category check ((state = 'REVIEW') = (category is not null)),
  -- Where the amount of this payment stands in the books; see ledger_position.
  position            text not null generated always as (
                        case when state = 'SUCCEEDED' then 'CONFIRMED'
                             when state = 'FAILED' then 'RELEASED'
                             when state = 'UNKNOWN' or in_doubt then 'IN_DOUBT'
                             when state = 'REVIEW' and category <> 'NOT_EXECUTED' then 'IN_DOUBT'
                             else 'REQUESTED' end) stored
) with (fillfactor = 75);

-- One open payment for each obligation (an invoice, an order, a payout line).
create unique index payment_obligation_is_open_once on payment (caller, operation, source_reference)
  where state not in ('SUCCEEDED', 'FAILED');
create index payment_newest_first on payment (accepted_at desc, payment_id desc);
create index payment_to_resend on payment (resend_at) where resend_at is not null;
create index payment_by_reference on payment (source_reference);
create index payment_refunds on payment (refund_of) where refund_of is not null;

-- What allows one more attempt. At most one for each attempt number. A first attempt needs one only when people looked
-- at its payment before it was ever sent.
create table resend_permit (
  payment_id  uuid not null references payment,
  for_attempt integer not null,
  kind        text not null check (kind in ('NOT_EXECUTED', 'SAME_KEY', 'NOT_FOUND_FINAL', 'ABSENT_FROM_SETTLEMENT',
                'RETRY_AFTER_REJECTION', 'AT_LEAST_ONCE', 'TWO_PEOPLE')),
  evidence_id bigint,
  granted_by  text not null,
  reason      text not null,
  granted_at  timestamptz not null default clock_timestamp(),
  primary key (payment_id, for_attempt),
  constraint resend_permit_for_attempt_check check (for_attempt > 1 or for_attempt = 1 and kind = 'TWO_PEOPLE')
);

-- One HTTP request. Committed before its first byte leaves. A second one needs a permit.
create table attempt (
  payment_id   uuid not null references payment,
  attempt_no   integer not null check (attempt_no > 0),
  permitted_by integer generated always as (case when attempt_no > 1 then attempt_no end) stored,
  provider_key text not null,
  worker       text not null,
  started_at   timestamptz not null default clock_timestamp(),
  lease_until  timestamptz not null,
  primary key (payment_id, attempt_no),
  constraint second_attempt_needs_permit foreign key (payment_id, permitted_by)
    references resend_permit (payment_id, for_attempt)
);

alter table payment add constraint payment_has_its_attempt
  foreign key (payment_id, current_attempt) references attempt (payment_id, attempt_no);

-- An attempt's answer, a query's answer, a webhook, a settlement line, a person's decision. Never changed.
create table evidence (
  evidence_id         bigint generated always as identity primary key,
  payment_id          uuid not null references payment,
  attempt_no          integer,
  source              text not null check (source in ('ANSWER', 'LEASE', 'QUERY', 'WEBHOOK', 'SETTLEMENT', 'DECISION',
                        'RECLASSIFICATION')),
  verdict             text not null check (verdict in
                        ('SUCCEEDED', 'REJECTED', 'ACCEPTED', 'NOT_EXECUTED', 'AMBIGUOUS', 'NOT_FOUND', 'UNREACHABLE')),
  -- The field in which the answer speaks of another payment: reference, amount, currency or provider_payment_id.
  mismatch            text check (mismatch in ('reference', 'amount', 'currency', 'provider_payment_id')),
  provider_payment_id text,
  -- What was told, whoever tells it and however often: the same fact is kept once. Null for an answer or a lease, which
  -- are unique by themselves.
  fact                text check (length(fact) between 1 and 300),
  -- The amount that the provider names, in minor units of the payment's currency, when it names one.
  amount_minor        bigint check (amount_minor >= 0),
  code                text,
  reason              text not null,
  http_status         integer,
  retry_after_ms      bigint,
  request_digest      text,
  answer              text check (length(answer) <= 16384),
  elapsed_ms          integer,
  recorded_by         text not null,
  -- When the query was claimed whose answer this is, on the database's clock.
  asked_at            timestamptz,
  received_at         timestamptz not null default clock_timestamp(),
  check (asked_at <= received_at),
  check (source not in ('ANSWER', 'LEASE') or attempt_no is not null),
  constraint lease_proves_nothing check (source <> 'LEASE' or verdict = 'AMBIGUOUS'),
  foreign key (payment_id, attempt_no) references attempt (payment_id, attempt_no)
);
create unique index evidence_answer_once on evidence (payment_id, attempt_no) where source = 'ANSWER';
create unique index evidence_fact_once on evidence (payment_id, fact) where fact is not null;
create index evidence_of_payment on evidence (payment_id, evidence_id);

alter table resend_permit add constraint permit_names_its_evidence
  foreign key (evidence_id) references evidence (evidence_id);

-- A provider's own payment id belongs to one payment of ours.
create table provider_payment (
  provider            text not null,
  account             text not null,
  operation           text not null,
  provider_payment_id text not null check (length(provider_payment_id) between 1 and 255),
  payment_id          uuid not null references payment,
  primary key (provider, account, operation, provider_payment_id)
);

-- Each change of state, in order for each payment. Written by trigger only.
create table transition (
  transition_id bigint generated always as identity primary key,
  payment_id    uuid not null,
  version       integer not null,
  from_state    text not null,
  to_state      text not null,
  category      text,
  reason        text not null,
  actor         text not null,
  attempt_no    integer,
  evidence_id   bigint references evidence,
  at            timestamptz not null,
  constraint transition_once unique (payment_id, version),
  constraint transition_is_legal foreign key (from_state, to_state) references legal_transition (from_state, to_state)
);

-- A question for people. The queue payments.review holds copies of it. Most are about a payment as a whole; others are
-- about a settlement file, one of its lines or a webhook, of a payment or of none.
create table review_case (
  case_id     bigint generated always as identity primary key,
  payment_id  uuid references payment,
  subject     text not null default 'payment'
                check (subject = 'payment' or subject ~ '^(settlement-file|settlement-line|settlement-payout|webhook):[0-9]+$'),
  category    text not null check (category in ('NOT_EXECUTED', 'RECEIPT_MISSING', 'STATE_CONFLICT', 'DIFFERENCE')),
  reason      text not null,
  evidence_id bigint references evidence,
  opened_at   timestamptz not null default clock_timestamp(),
  closed_at   timestamptz,
  closed_by   text,
  check ((closed_at is null) = (closed_by is null)),
  check (subject <> 'payment' or payment_id is not null and category <> 'DIFFERENCE')
);
create unique index review_case_open_once on review_case (payment_id) where closed_at is null and subject = 'payment';
create unique index review_case_of_subject_open_once on review_case (subject) where closed_at is null and subject <> 'payment';
