-- A complete period may prove that UNKNOWN payments are not in it: their resend is considered. One whose answer is being
-- recorded right now is left alone; what is told of it decides.
create function absent_payments_are_considered() returns trigger language plpgsql as $$
begin
  with waiting as materialized (
    select p.payment_id
      from (select distinct provider from new_rows) n
      join outbox o on o.provider = n.provider and o.task = 'QUERY'
      join payment p on p.payment_id = o.payment_id and p.state = 'UNKNOWN'
     order by p.payment_id
       for update of p skip locked)
  update payment p set resend_at = clock_timestamp() from waiting w where p.payment_id = w.payment_id;
  return null;
end $$;
create trigger absence_is_considered after insert on settlement_period referencing new table as new_rows
  for each statement execute function absent_payments_are_considered();
