-- Stops claiming where the money in doubt has reached its limit and resumes where it has fallen, for each provider and
-- currency, with history and alert. Two nodes that look at once do it once.
with judged as materialized (
  select v.name as provider, j.* from provider v, exposure_judged(v.name) j where j.stopped or j.is_over),
stopped as (
  insert into exposure_stop (provider, currency) select provider, currency from judged where is_over and not stopped
  on conflict do nothing
  returning provider, currency),
released as (
  delete from exposure_stop s using judged j
   where (s.provider, s.currency) = (j.provider, j.currency) and j.stopped and not j.is_over and j.is_low
  returning s.provider, s.currency),
changed as (
  select 'STOPPED' as action, provider, currency from stopped
  union all
  select 'RELEASED', provider, currency from released),
history as (
  insert into provider_stop_history (provider, action, currency, actor, reason, in_doubt, in_doubt_minor)
  select provider, c.action, currency, :?node,
         case c.action when 'STOPPED' then 'the money in doubt has reached its limit' else 'the money in doubt is below its limit' end,
         j.in_doubt, j.in_doubt_minor
    from changed c join judged j using (provider, currency))
select c.provider, c.currency, c.action,
       case c.action
         when 'STOPPED' then raise_alert('EXPOSURE', c.provider || '/' || c.currency, 'CRITICAL',
           j.in_doubt || ' payments over ' || j.in_doubt_minor || ' minor units may or may not have moved; allowed are '
           || coalesce(j.max_count::text, 'any number') || ' over ' || coalesce(j.max_amount_minor::text, 'any amount'))
         else clear_alert('EXPOSURE', c.provider || '/' || c.currency, :?node) end::text as alerted
  from changed c join judged j using (provider, currency)
