-- Staged files that nobody is working on: a process died between staging and booking, or people released them. Working on
-- one twice does nothing.
select file_id from settlement_file
 where state = 'STAGED' and state_since < clock_timestamp() - interval '5 seconds' order by file_id limit 20
