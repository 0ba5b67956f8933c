-- Makes the loaded contract of a provider the one that the database computes with. A pause stays.
insert into provider (name, account, can_query, can_refund, query_by, lease_ms, quiet_ms, query_delays_ms, jitter, inconclusive_max,
                      time_limit_ms, send_time_limit_ms, backoff_base_ms, backoff_cap_ms, review_query_ms, retry_after_cap_ms,
                      query_rate_per_minute, query_retention_ms, contract_digest)
values (:name, :account, :canQuery, :canRefund, :queryBy, :leaseMs, :quietMs, :queryDelaysMs, :jitter, :inconclusiveMax,
        :timeLimitMs, :sendTimeLimitMs, :backoffBaseMs, :backoffCapMs, :reviewQueryMs, :retryAfterCapMs,
        nullif(:queryRatePerMinute, 0), nullif(:queryRetentionMs, 0), md5(:contractDigest))
on conflict (name) do update set
  account = excluded.account, can_query = excluded.can_query, can_refund = excluded.can_refund, query_by = excluded.query_by, lease_ms = excluded.lease_ms,
  quiet_ms = excluded.quiet_ms, query_delays_ms = excluded.query_delays_ms, jitter = excluded.jitter,
  inconclusive_max = excluded.inconclusive_max, time_limit_ms = excluded.time_limit_ms,
  send_time_limit_ms = excluded.send_time_limit_ms,
  backoff_base_ms = excluded.backoff_base_ms, backoff_cap_ms = excluded.backoff_cap_ms,
  review_query_ms = excluded.review_query_ms, retry_after_cap_ms = excluded.retry_after_cap_ms,
  query_rate_per_minute = excluded.query_rate_per_minute, query_retention_ms = excluded.query_retention_ms,
  contract_digest = excluded.contract_digest, registered_at = clock_timestamp()
