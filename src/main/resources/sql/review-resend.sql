-- Puts the messages of all open cases, and of the dead letters of the last 30 days, in again. What waits to be sent waits
-- once.
with told as (
  insert into review_outbox (case_id, what)
  select c.case_id, 'RESENT' from review_case c
   where c.closed_at is null and not exists (select from review_outbox o where o.case_id = c.case_id)
  returning message_no),
told_letters as (
  insert into review_outbox (dead_letter_id, what)
  select d.dead_letter_id, 'RESENT' from dead_letter d
   where d.received_at > now() - interval '30 days' and d.queue not like 'payments.review%'
     and not exists (select from review_outbox o where o.dead_letter_id = d.dead_letter_id)
  returning message_no)
select (select count(*) from told) as cases, (select count(*) from told_letters) as dead_letters
