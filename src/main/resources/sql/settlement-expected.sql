-- Files that should have arrived: raises an alert for each provider whose next one is late, and ends it when one is there.
with due as (
  select c.provider, max(f.period_to) as until, bool_or(f.file_id is not null) as any,
         coalesce(max(f.period_to), min(c.registered_at)) + (c.every_ms + c.late_ms) * interval '1 millisecond' < clock_timestamp() as late
    from settlement_contract c
    left join settlement_file f on f.provider = c.provider and f.state in ('STAGED', 'WAITING', 'REVIEW', 'BOOKED') and f.period_to is not null
   where c.every_ms is not null group by c.provider, c.every_ms, c.late_ms)
select d.provider, case when d.late
         then raise_alert('SETTLEMENT_FILE_MISSING', d.provider, 'WARNING', 'the settlement file for the time from '
                || coalesce(d.until::text, 'the start') || ' has not arrived')
         else clear_alert('SETTLEMENT_FILE_MISSING', d.provider, 'settlement') end
  from due d
