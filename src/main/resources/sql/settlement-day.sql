-- The report of the files that were received on a day of UTC, as JSON.
select settlement_day(cast(:?date as date))::text as document
