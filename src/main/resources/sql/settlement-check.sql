-- Checks a staged file; the files that can be booked now, in order: itself, all pages of its statement, or none.
select settlement_check as file_id from settlement_check(:file)
