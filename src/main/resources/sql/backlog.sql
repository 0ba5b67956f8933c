-- What is waiting, in one statement for all gauges and health indicators. Starts from the outbox, which holds only
-- payments that are not final, so that its cost does not grow with the books. Ages in seconds on the database's clock.
with open as materialized (
  select o.provider, o.task, o.due_at, p.state, p.position, p.state_since, p.amount_minor, p.currency
    from outbox o join payment p using (payment_id))
select 'OUTBOX' as kind, provider, task as label, count(*) as number,
       greatest(0, extract(epoch from now() - min(due_at)))::double precision as age_seconds, 0::double precision as amount
  from open group by provider, task
union all
select 'STATE', provider, state, count(*), greatest(0, extract(epoch from now() - min(state_since)))::double precision, 0
  from open where state in ('UNKNOWN', 'PROCESSING', 'REVIEW') group by provider, state
union all
select 'IN_DOUBT', provider, currency, count(*), 0, (sum(amount_minor) / power(10::numeric, max(c.exponent)))::double precision
  from open join currency c on c.code = currency where position = 'IN_DOUBT' group by provider, currency
union all
select 'EVENTS', '', '', count(*), coalesce(greatest(0, extract(epoch from now() - min(coalesce(t.at, r.recorded_at)))), 0)::double precision, 0
  from event_outbox left join transition t using (transition_id) left join reversal r using (reversal_id)
union all
select 'PROVIDER', name, case when paused then 'PAUSED' else 'RUNNING' end, 1, 0, 0 from provider
union all
select 'ALERT', kind, severity, sum(number), 0, 0
  from (select kind, severity, 0 as number from alert_kind
        union all select kind, severity, count(*) from alert where cleared_at is null group by kind, severity) a
 group by kind, severity
union all
select 'EXPOSURE', v.name, j.currency, j.in_doubt, 0, (j.in_doubt_minor / power(10::numeric, c.exponent))::double precision
  from provider v, exposure_judged(v.name) j join currency c on c.code = j.currency
union all
select 'EXPOSURE_STOP', v.name, j.currency, (j.stopped or j.is_over)::int, 0, 0 from provider v, exposure_judged(v.name) j
