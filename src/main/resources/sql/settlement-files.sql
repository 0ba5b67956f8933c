-- Settlement files, newest first, by filters; '' is no filter.
select json_build_object('items', coalesce(json_agg(item order by file_id desc), '[]'), 'nextBefore',
         case when count(*) = cast(:?limit as integer) then min(file_id) end)::text as document
  from (select f.file_id, json_build_object('fileId', f.file_id, 'provider', f.provider, 'name', f.name, 'format', f.format, 'state', f.state,
                 'stateSince', f.state_since, 'receivedAt', f.received_at, 'refusedWhy', f.refused_why, 'bytes', f.bytes, 'lineCount', f.line_count,
                 'periodFrom', f.period_from, 'periodTo', f.period_to, 'statementId', f.statement_id, 'pageNo', f.page_no, 'bookedAt', f.booked_at,
                 'links', json_build_object('self', '/api/settlement/files/' || f.file_id, 'report', '/api/settlement/files/' || f.file_id || '/report')) as item
          from settlement_file f
         where (:?provider = '' or f.provider = :?provider) and (:?state = '' or f.state = :?state)
           and f.file_id < cast(:?before as bigint)
         order by f.file_id desc limit cast(:?limit as integer)) page
