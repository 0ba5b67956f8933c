-- Every stop and go of one provider, newest first, at most 500; null when there is no such provider.
select (select json_build_object('items', coalesce(json_agg(json_build_object(
          'action', h.action, 'currency', h.currency, 'actor', h.actor, 'reason', h.reason, 'inDoubt', h.in_doubt,
          'inDoubtMinor', h.in_doubt_minor, 'raisePercent', h.raise_percent, 'until', h.until_at, 'at', h.at)
          order by h.history_id desc), '[]'))::text
          from (select * from provider_stop_history x where x.provider = v.name order by x.history_id desc limit 500) h) as document
  from provider v where v.name = :?name
