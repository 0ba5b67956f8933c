-- What booking a staged file would do, without doing it; no row when there is no such file.
select settlement_dry_run(file_id)::text as document from settlement_file where file_id = :file and state in ('STAGED', 'WAITING', 'REVIEW')
