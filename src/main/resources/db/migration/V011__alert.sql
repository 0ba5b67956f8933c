-- Conditions that somebody should know of. One open alert for each kind and subject, however often it is noticed: what
-- is noticed again is counted. A publisher turns the rows into messages, metrics and log lines, once each.

-- The kinds that this product raises by itself, for gauges that start at 0 and for messages that say what to do. Others
-- may be raised too.
create table alert_kind (
  kind     text primary key check (kind ~ '^[A-Z][A-Z_]{2,39}$'),
  severity text not null check (severity in ('WARNING', 'CRITICAL')),
  meaning  text not null,
  action   text not null
);
insert into alert_kind (kind, severity, meaning, action) values
  ('UNKNOWN_OLD',       'CRITICAL', 'payments have been UNKNOWN for too long', 'Look at their evidence and ask the provider; never send again by hand.'),
  ('EXPOSURE',          'CRITICAL', 'money in doubt has reached its limit, and claiming has stopped', 'Find out why answers are lost. It resumes by itself when the doubt falls, or for a bounded time by an operator.'),
  ('REVIEW_WAITING',    'CRITICAL', 'a case has waited too long for people', 'Two people decide it, from the provider''s own records.'),
  ('DEAD_LETTERS',      'WARNING',  'messages that nobody could handle wait', 'Read why in their properties; correct and send the request again under its key.'),
  ('LEDGER_OFF',        'CRITICAL', 'the books of an account differ from what the payments say', 'Stop the providers and find the postings that do not belong.'),
  ('ORPHAN_FOUND',      'WARNING',  'an attempt ended without a recorded answer', 'Look for a killed node, a database out of reach, or a lease that is too short.'),
  ('ORPHAN_EVIDENCE',   'CRITICAL', 'a provider tells of a payment that is not on record', 'Look for a lost database, another installation under the same account, or a wrong reference.'),
  ('OUTBOX_STUCK',      'CRITICAL', 'what is due is not done', 'Look at the routes, the circuit, the idle workers and the broker.'),
  ('CLOCK_SKEW',        'WARNING',  'the clocks of a node, of the database or of a provider differ', 'Repair the time service. Leases and ages are not affected: the database decides them.'),
  ('CLOCK_JUMP',        'CRITICAL', 'the clocks of a node and of the database are far apart', 'Repair the time service. Until then nothing is sent again for a reason that time proves.'),
  ('STATE_CONFLICT',    'CRITICAL', 'evidence contradicts a payment', 'Decide its case: the money may have moved where we say it did not, or twice.'),
  ('DOUBLE_PAY',        'CRITICAL', 'a payment may have been made twice', 'Ask the provider for both ids and get the money back.'),
  ('CONTRACT_REFUSED',  'CRITICAL', 'a provider''s contract is unsafe or contradicts itself', 'Correct its YAML file; the other providers go on.'),
  ('REVERSAL_CONFLICT', 'CRITICAL', 'money came back that cannot have been paid, or more than was', 'Compare the payment and its reversals with the provider.'),
  ('SIGNATURE_FAILURES', 'WARNING', 'webhooks are refused for their signature or time', 'Compare the secrets and clocks; somebody may be trying.'),
  ('ORPHAN_WEBHOOK',    'WARNING',  'a webhook names no payment of ours', 'Close its case when it is of another system.'),
  ('WEBHOOK_CONFLICT',  'WARNING',  'a webhook contradicts one that was applied', 'Decide its case, from the provider''s own records.'),
  ('UNREADABLE_WEBHOOK', 'WARNING', 'a genuine webhook cannot be read', 'Compare it with the fields of the contract, then handle it again.'),
  ('UNLISTED_WORD',     'WARNING',  'a provider uses a word that is on no list', 'Find out what it means and put it on the right list of the contract.'),
  ('CONTROL_TOTALS',    'CRITICAL', 'a settlement file does not add up', 'Ask the provider; decide its case.'),
  ('SETTLEMENT_REFUSED', 'CRITICAL', 'a settlement file cannot be read', 'Ask for a correct one, or correct its format in the provider''s YAML.'),
  ('SETTLEMENT_GAP',    'WARNING',  'there is no settlement file for a time', 'Ask the provider for it.'),
  ('SETTLEMENT_FILE_MISSING', 'WARNING', 'a settlement file is late', 'Ask the provider for it.'),
  ('SETTLED_BUT_FAILED', 'CRITICAL', 'money moved for payments that are FAILED', 'Decide their cases: the goods were not delivered, or were paid twice.'),
  ('MISSING_AT_PROVIDER', 'WARNING', 'payments that SUCCEEDED are not in the file of their time', 'Ask the provider; acknowledge the file''s case.'),
  ('PAYOUT_NOT_ARRIVED', 'CRITICAL', 'a provider says that it paid out, and the bank''s statements do not have it', 'Ask the provider for its proof and compare it with the bank account; decide its case.');
create trigger fixed before insert or update or delete or truncate on alert_kind for each statement execute function refuse_write();

create table alert (
  alert_id        bigint generated always as identity primary key,
  kind            text not null check (kind ~ '^[A-Z][A-Z_]{2,39}$'),
  -- What it is about: a payment id, a provider, 'provider/currency', 'settlement-file:12'. Never personal data.
  subject         text not null check (length(subject) between 1 and 200),
  severity        text not null check (severity in ('WARNING', 'CRITICAL')),
  detail          text not null check (length(detail) <= 2000),
  occurrences     integer not null default 1,
  raised_at       timestamptz not null default clock_timestamp(),
  last_at         timestamptz not null default clock_timestamp(),
  acknowledged_at timestamptz,
  acknowledged_by text check (length(acknowledged_by) between 1 and 200),
  note            text check (length(note) <= 500),
  cleared_at      timestamptz,
  cleared_by      text,
  -- When the message that it is raised, and the one that it is over, was handed to the broker.
  sent_at         timestamptz,
  cleared_sent_at timestamptz,
  check ((cleared_at is null) = (cleared_by is null)),
  check ((acknowledged_at is null) = (acknowledged_by is null)),
  check (cleared_sent_at is null or cleared_at is not null)
);
create unique index alert_open_once on alert (kind, subject) where cleared_at is null;
create index alert_not_sent on alert (alert_id) where sent_at is null or cleared_at is not null and cleared_sent_at is null;
create trigger append_only before delete or truncate on alert for each statement execute function refuse_change();

-- What was noticed stays; it is counted, acknowledged, cleared and sent, once each.
create function alert_guard() returns trigger language plpgsql as $$
begin
  if (new.alert_id, new.kind, new.subject, new.severity, new.detail, new.raised_at)
     is distinct from (old.alert_id, old.kind, old.subject, old.severity, old.detail, old.raised_at)
     or old.cleared_at is not null and (new.cleared_at, new.cleared_by, new.occurrences) is distinct from (old.cleared_at, old.cleared_by, old.occurrences)
     or old.acknowledged_at is not null and (new.acknowledged_at, new.acknowledged_by, new.note)
        is distinct from (old.acknowledged_at, old.acknowledged_by, old.note)
     or old.sent_at is not null and new.sent_at is distinct from old.sent_at
     or old.cleared_sent_at is not null and new.cleared_sent_at is distinct from old.cleared_sent_at
     or new.occurrences < old.occurrences then
    raise exception 'alert %: what was noticed never changes', old.alert_id using errcode = 'PR001';
  end if;
  return new;
end $$;
create trigger guard before update on alert for each row execute function alert_guard();

-- Raises an alert, or counts it when it is open already.
create function raise_alert(kind text, subject text, severity text, detail text) returns void language sql as $$
  insert into alert as a (kind, subject, severity, detail) values (kind, left(subject, 200), severity, left(detail, 2000))
  on conflict (kind, subject) where cleared_at is null
  do update set occurrences = a.occurrences + 1, last_at = clock_timestamp()
$$;

-- Ends the open alert of this kind and subject, if there is one: its condition is over.
create function clear_alert(over_kind text, over_subject text, by_whom text) returns void language sql as $$
  update alert set cleared_at = clock_timestamp(), cleared_by = by_whom
   where kind = over_kind and subject = over_subject and cleared_at is null
$$;

-- An alert as the API shows it.
create function alert_document(a alert) returns json language sql stable as $$
  select json_build_object(
    'alertId', a.alert_id, 'kind', a.kind, 'severity', a.severity, 'subject', a.subject, 'detail', a.detail,
    'meaning', k.meaning, 'action', k.action, 'occurrences', a.occurrences, 'raisedAt', a.raised_at, 'lastAt', a.last_at,
    'acknowledgedAt', a.acknowledged_at, 'acknowledgedBy', a.acknowledged_by, 'note', a.note,
    'clearedAt', a.cleared_at, 'clearedBy', a.cleared_by)
    from (select a.kind) x left join alert_kind k on k.kind = x.kind
$$;

-- A case about evidence that contradicts a payment is an alert as long as it is open.
create function case_alerts() returns trigger language plpgsql as $$
begin
  if new.category = 'STATE_CONFLICT' and new.payment_id is not null then
    if tg_op = 'INSERT' then
      perform raise_alert('STATE_CONFLICT', new.payment_id::text, 'CRITICAL', new.reason);
    elsif old.closed_at is null and new.closed_at is not null and not exists (
      select from review_case c where c.payment_id = new.payment_id and c.category = 'STATE_CONFLICT' and c.closed_at is null) then
      perform clear_alert('STATE_CONFLICT', new.payment_id::text, new.closed_by);
    end if;
  end if;
  return null;
end $$;
create trigger alerts after insert or update of closed_at on review_case for each row execute function case_alerts();

-- The accounts of the payments' positions as the payments say they are and as the books say they are. No row, ever.
create view control_total_difference as
with said as (
  select l.account, p.currency, sum(case p.operation when 'CHARGE' then p.minor else -p.minor end) as amount
    from (select operation, position, currency, amount_minor - confirmed_minor as minor from payment where position <> 'RELEASED'
          union all
          select operation, 'CONFIRMED', currency, confirmed_minor from payment where confirmed_minor > 0) p
    join ledger_position l on (l.operation, l.position) = (p.operation, p.position) group by 1, 2),
held as (
  select account, currency, sum(amount_minor) as amount from ledger_entry
   where account <> 'requested' and fact ~ '^[0-9a-f]{8}-[0-9a-f-]{27}:[0-9]+(:conflict|:part-[0-9]+)?$' group by 1, 2)
select account, currency, coalesce(said.amount, 0) as payments_minor, coalesce(held.amount, 0) as books_minor
  from said full join held using (account, currency)
 where coalesce(said.amount, 0) <> coalesce(held.amount, 0);

create index evidence_of_orphans on evidence (received_at) where source = 'LEASE';
create index review_case_open on review_case (opened_at) where closed_at is null;
insert into node_lease (name, holder, held_until) values ('alerts', 'nobody', '-infinity'), ('alert-totals', 'nobody', '-infinity');
