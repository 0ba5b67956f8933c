-- What a file came to, and why it is not booked.
select f.state, coalesce(f.refused_why, case f.state
         when 'REVIEW' then (select c.reason from review_case c where c.subject = 'settlement-file:' || f.file_id and c.closed_at is null)
         when 'WAITING' then 'Waits for the other pages of statement ' || f.statement_id || '.' end) as why
  from settlement_file f where f.file_id = :file
