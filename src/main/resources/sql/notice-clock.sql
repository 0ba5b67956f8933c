-- How far this node's clock is from the database's: asked at one time and answered at another on the node's clock, both
-- in milliseconds; half of the round trip is doubt. Raises or clears this node's alert.
with clock as (
  select cast(:?databaseAt as bigint) as database_at, cast(:?askedAt as bigint) as asked_at,
         cast(:?answeredAt as bigint) as answered_at, cast(:?limit as bigint) as allowed),
skew as (
  select (asked_at + answered_at) / 2 - database_at as ms, (answered_at - asked_at + 1) / 2 as doubt, allowed from clock)
select case when abs(ms) - doubt > allowed
            then raise_alert('CLOCK_SKEW', :?node, 'WARNING', 'the node is ' || abs(ms) || ' ms '
                             || case when ms > 0 then 'ahead of' else 'behind' end || ' the database, give or take ' || doubt)
            when abs(ms) + doubt <= allowed or abs(ms) <= allowed / 2
            then clear_alert('CLOCK_SKEW', :?node, :?node) end::text as done
  from skew
