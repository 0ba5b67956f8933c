-- Brings open cases up again, each reason once: when they reach the next age, and when a fifth is left of the time in which
-- the provider still answers a query or still knows the key. Nobody is reminded while people decided to wait.
with level as (
  select 'AGE_' || ordinality as reason, cast(after as interval) as after
    from unnest(string_to_array(:?escalateAfter, ',')) with ordinality as l (after, ordinality)),
waiting as (
  select c.case_id, c.opened_at, p.payment_id, p.state, p.first_sent_at, v.query_retention_ms, o.key_lifetime_ms
    from review_case c left join payment p on p.payment_id = c.payment_id
    left join provider v on v.name = p.provider
    left join provider_operation o on (o.provider, o.operation) = (p.provider, p.operation) and o.same_key
   where c.closed_at is null and coalesce(review_waits_until(c.case_id), '-infinity') <= now()),
due as (
  select w.case_id, l.reason, 'nobody has decided for ' || l.after as detail
    from waiting w join level l on w.opened_at + l.after <= now()
  union all
  select w.case_id, 'QUERY_RETENTION', 'the provider can be asked about it until '
         || to_char((w.first_sent_at + w.query_retention_ms * interval '1 millisecond') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    from waiting w
   where w.state not in ('SUCCEEDED', 'FAILED') and w.first_sent_at + w.query_retention_ms * 0.8 * interval '1 millisecond' <= now()
  union all
  select w.case_id, 'KEY_LIFETIME', 'the provider knows its key until '
         || to_char((w.first_sent_at + w.key_lifetime_ms * interval '1 millisecond') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    from waiting w
   where w.state not in ('SUCCEEDED', 'FAILED') and w.first_sent_at + w.key_lifetime_ms * 0.8 * interval '1 millisecond' <= now())
insert into review_escalation (case_id, reason, detail)
select case_id, reason, detail from due
on conflict (case_id, reason) do nothing
returning case_id, reason
