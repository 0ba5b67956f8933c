-- Makes what the loaded contract says about one operation the one that the database computes with. Amounts come as decimals
-- by currency and are kept in minor units.
insert into provider_operation (provider, operation, same_key, key_lifetime_ms, key_margin_ms, not_found_final, not_found_min,
                                visible_after_ms, arrival_limit_ms, retry_codes, retry_max, retry_delay_ms,
                                at_least_once_up_to, at_least_once_acceptance, resend_max)
values (:provider, :operation, :sameKey, :keyLifetimeMs, :keyMarginMs, :notFoundFinal, :notFoundMin,
        :visibleAfterMs, :arrivalLimitMs, :retryCodes, :retryMax, :retryDelayMs,
        coalesce((select jsonb_object_agg(c.code, (a.value::numeric * power(10::numeric, c.exponent))::bigint)
                    from jsonb_each_text(cast(:atLeastOnceUpTo as jsonb)) a join currency c on c.code = a.key), '{}'),
        :atLeastOnceAcceptance, :resendMax)
on conflict (provider, operation) do update set
  same_key = excluded.same_key, key_lifetime_ms = excluded.key_lifetime_ms, key_margin_ms = excluded.key_margin_ms,
  not_found_final = excluded.not_found_final, not_found_min = excluded.not_found_min,
  visible_after_ms = excluded.visible_after_ms, arrival_limit_ms = excluded.arrival_limit_ms,
  retry_codes = excluded.retry_codes, retry_max = excluded.retry_max, retry_delay_ms = excluded.retry_delay_ms,
  at_least_once_up_to = excluded.at_least_once_up_to, at_least_once_acceptance = excluded.at_least_once_acceptance,
  resend_max = excluded.resend_max
