-- Plans one archive of what was closed before the last :days days and is in none yet; no row when there is nothing.
with old as (
  select date_trunc('day', now()) - :days * interval '1 day' as before),
cases as materialized (
  select 'review-case' as kind, c.case_id as id from review_case c, old
   where c.closed_at < old.before and not exists (select from archived a where (a.kind, a.id) = ('review-case', c.case_id))
   order by c.case_id limit :rows),
letters as materialized (
  select 'dead-letter' as kind, d.dead_letter_id as id from dead_letter d, old
   where d.received_at < old.before and not exists (select from archived a where (a.kind, a.id) = ('dead-letter', d.dead_letter_id))
   order by d.dead_letter_id limit :rows),
planned as (
  insert into archive (closed_before)
  select before from old where exists (select from cases) or exists (select from letters)
  returning archive_id)
select p.archive_id, r.kind, r.id from planned p, (select * from cases union all select * from letters) r
