-- Stores the sums of what was refused since the last look, and raises and ends the alerts about them.
with told as (
  select * from jsonb_to_recordset(cast(:?${body} as jsonb)) as t (
    provider text, reason text, refused bigint, node text, alert text, detail text, clears text)),
kept as (
  insert into webhook_refusal (provider, reason, refused, node)
  select provider, reason, refused, node from told where reason is not null)
select case when alert is not null then raise_alert(alert, provider, 'WARNING', detail)::text
            when clears is not null then clear_alert(clears, provider, node)::text end as alerted
  from told
