-- Makes the loaded reconciliation policy of a provider the one that its files are matched by.
insert into settlement_contract (provider, reference, settles, lag_ms, window_ms, tolerance, every_ms, late_ms, payouts_at, payout_lag_ms,
  payout_window_ms)
select :provider, :reference, :settles, :lagMs, :windowMs, cast(:tolerance as jsonb), :everyMs, :lateMs, :payoutsAt, :payoutLagMs, :payoutWindowMs
 where exists (select from provider where name = :provider)
on conflict (provider) do update set
  reference = excluded.reference, settles = excluded.settles, lag_ms = excluded.lag_ms, window_ms = excluded.window_ms,
  tolerance = excluded.tolerance, every_ms = excluded.every_ms, late_ms = excluded.late_ms,
  payouts_at = excluded.payouts_at, payout_lag_ms = excluded.payout_lag_ms, payout_window_ms = excluded.payout_window_ms, registered_at = clock_timestamp()
