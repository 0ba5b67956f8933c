-- Conditions that somebody should know of. One open alert for each kind and subject, however often it is noticed: what
-- is noticed again is counted. A publisher turns the rows into messages, metrics and log lines, once each.
create table alert (
  alert_id    bigint generated always as identity primary key,
  kind        text not null check (kind ~ '^[A-Z][A-Z_]{2,39}$'),
  -- What it is about: a payment id, a provider, 'provider/currency', 'settlement-file:12'. Never personal data.
  subject     text not null check (length(subject) between 1 and 200),
  severity    text not null check (severity in ('WARNING', 'CRITICAL')),
  detail      text not null check (length(detail) <= 2000),
  occurrences integer not null default 1,
  raised_at   timestamptz not null default clock_timestamp(),
  last_at     timestamptz not null default clock_timestamp(),
  cleared_at  timestamptz,
  cleared_by  text,
  sent_at     timestamptz,
  check ((cleared_at is null) = (cleared_by is null))
);
create unique index alert_open_once on alert (kind, subject) where cleared_at is null;
create index alert_not_sent on alert (alert_id) where sent_at is null;
create trigger append_only before delete or truncate on alert for each statement execute function refuse_change();

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
