package org.paymentroutes.payment;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** Currencies, read once; and providers, read again after a minute or when an unknown name is asked for. */
@Component
class ReferenceData {

    private static final long KEEP_NS = Duration.ofMinutes(1).toNanos();
    // Unknown names in requests must not become a load of queries.
    private static final long MISS_KEEP_NS = Duration.ofSeconds(1).toNanos();

    private final JdbcTemplate jdbc;
    private volatile Map<String, Integer> currencies = Map.of();
    private volatile Map<String, String> accounts = Map.of();
    private volatile long accountsReadAt;

    ReferenceData(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** @return exponent by ISO 4217 code */
    Map<String, Integer> currencies() {
        if (currencies.isEmpty()) {
            Map<String, Integer> read = new HashMap<>();
            jdbc.query("select code, exponent from currency", row -> {
                read.put(row.getString(1), row.getInt(2));
            });
            currencies = Map.copyOf(read);
        }
        return currencies;
    }

    /**
     * @param name a name from a request; may be null or unknown
     * @return our account by provider name
     */
    Map<String, String> accounts(String name) {
        long age = System.nanoTime() - accountsReadAt;
        boolean known = name == null || accounts.containsKey(name);
        if (accountsReadAt == 0 || age > (known ? KEEP_NS : MISS_KEEP_NS)) {
            Map<String, String> read = new HashMap<>();
            jdbc.query("select name, account from provider", row -> {
                read.put(row.getString(1), row.getString(2));
            });
            accounts = Map.copyOf(read);
            accountsReadAt = System.nanoTime();
        }
        return accounts;
    }
}
