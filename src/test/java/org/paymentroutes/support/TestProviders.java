package org.paymentroutes.support;

import org.springframework.boot.test.context.TestComponent;
import org.springframework.jdbc.core.JdbcTemplate;

/** A provider named {@code acme} that nobody sends to, so that its payments stay PENDING. */
@TestComponent
public class TestProviders {

    /** @param jdbc the application's database */
    TestProviders(JdbcTemplate jdbc) {
        jdbc.update("""
                insert into provider (name, account, can_query, lease_ms, quiet_ms, query_delays_ms, inconclusive_max,
                                      time_limit_ms, send_time_limit_ms, backoff_base_ms, backoff_cap_ms, review_query_ms,
                                      retry_after_cap_ms, contract_digest)
                values ('acme', 'acme-main', true, 10000, 1000, '{1000}', 3, 60000, 3600000, 100, 1000, 10000, 10000, 'test')
                on conflict do nothing""");
    }
}
