-- The report of a settlement file as JSON; no row when there is none.
select settlement_report(file_id)::text as document from settlement_file where file_id = cast(:?fileId as bigint)
