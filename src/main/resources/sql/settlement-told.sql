-- Files whose payments have all been told of their lines are done.
update settlement_file f set all_told = true
 where f.state = 'BOOKED' and not f.all_told
   and not exists (select from settlement_match m where m.file_id = f.file_id and m.tells
         and not exists (select from evidence e where e.payment_id = coalesce(m.payment_id, m.candidate_id)
                            and e.fact = 'settlement:' || m.file_id || ':' || m.line_no))
