-- What is old and closed is copied into compressed files. Nothing leaves the books: the row stays and is marked here.
--
-- An archive is planned first, with its rows, and written then. A process that dies in between, before or after a file is
-- in its place, finds the plan again and writes the same file: each row is in one archive, once.
create table archive (
  archive_id      bigint generated always as identity primary key,
  closed_before   timestamptz not null,
  planned_at      timestamptz not null default clock_timestamp(),
  written_at      timestamptz,
  written_by      text,
  manifest        text unique,
  manifest_sha256 text check (manifest_sha256 ~ '^[0-9a-f]{64}$'),
  check ((written_at is null) = (written_by is null)),
  check ((written_at is null) = (manifest is null)),
  check ((written_at is null) = (manifest_sha256 is null))
);
create index archive_waits on archive (archive_id) where written_at is null;

create table archived (
  kind       text not null check (kind in ('review-case', 'dead-letter')),
  id         bigint not null,
  archive_id bigint not null references archive,
  primary key (kind, id)
);
create index archived_by_archive on archived (archive_id, kind, id);

create table archive_file (
  archive_id bigint not null references archive,
  kind       text not null,
  name       text not null unique,
  sha256     text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes      bigint not null check (bytes > 0),
  lines      integer not null check (lines > 0),
  first_id   bigint not null,
  last_id    bigint not null check (last_id >= first_id),
  primary key (archive_id, kind)
);
create trigger append_only before delete or truncate on archive for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on archived for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on archive_file for each statement execute function refuse_change();

create function archive_guard() returns trigger language plpgsql as $$
begin
  if old.written_at is not null
     or (new.archive_id, new.closed_before, new.planned_at) is distinct from (old.archive_id, old.closed_before, old.planned_at) then
    raise exception 'archive %: what was planned and written never changes', old.archive_id using errcode = 'PR001';
  end if;
  if new.written_at is not null and exists (
       select from archived a left join archive_file f using (archive_id, kind)
        where a.archive_id = new.archive_id group by a.kind, f.lines having count(*) is distinct from f.lines) then
    raise exception 'archive %: its files do not hold its rows', old.archive_id using errcode = 'PR014';
  end if;
  return new;
end $$;
create trigger guard before update on archive for each row execute function archive_guard();

-- Only what is closed, and old enough, is archived.
create function archived_is_closed() returns trigger language plpgsql as $$
declare bad record;
begin
  select n.kind, n.id into bad from new_rows n join archive a using (archive_id)
   where not case n.kind
     when 'review-case' then exists (select from review_case c where c.case_id = n.id and c.closed_at < a.closed_before)
     else exists (select from dead_letter d where d.dead_letter_id = n.id and d.received_at < a.closed_before) end
   limit 1;
  if found then
    raise exception '% % is not closed, or not long enough', bad.kind, bad.id using errcode = 'PR014';
  end if;
  return null;
end $$;
create trigger is_closed after insert on archived referencing new table as new_rows
  for each statement execute function archived_is_closed();
