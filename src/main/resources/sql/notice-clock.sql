-- How far this node's clock is from the database's: asked at one time and answered at another on the node's clock, both
-- in milliseconds; half of the round trip is doubt. Raises or clears this node's alerts: that they
-- differ, and that they are so far apart that no age can be believed.
with clock as (
  select cast(:?databaseAt as bigint) as database_at, cast(:?askedAt as bigint) as asked_at,
         cast(:?answeredAt as bigint) as answered_at, cast(:?limit as bigint) as allowed, cast(:?jump as bigint) as believed),
skew as (
  select (asked_at + answered_at) / 2 - database_at as ms, (answered_at - asked_at + 1) / 2 as doubt, allowed, believed from clock)
select case when abs(ms) - doubt > allowed
            then raise_alert('CLOCK_SKEW', :?node, 'WARNING', 'the node is ' || abs(ms) || ' ms '
                             || case when ms > 0 then 'ahead of' else 'behind' end || ' the database, give or take ' || doubt)
            when abs(ms) + doubt <= allowed or abs(ms) <= allowed / 2
            then clear_alert('CLOCK_SKEW', :?node, :?node) end::text as done,
       case when abs(ms) - doubt > believed
            then raise_alert('CLOCK_JUMP', :?node, 'CRITICAL', 'the node is ' || abs(ms) || ' ms '
                             || case when ms > 0 then 'ahead of' else 'behind' end || ' the database, give or take ' || doubt)
            when abs(ms) + doubt <= believed then clear_alert('CLOCK_JUMP', :?node, :?node) end::text as jump_done
  from skew
