-- The dead letters of one archive, by id.
select a.id, to_jsonb(d)::text as row
  from archived a join dead_letter d on d.dead_letter_id = a.id
 where a.archive_id = ? and a.kind = 'dead-letter'
 order by a.id
