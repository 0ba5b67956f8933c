package org.paymentroutes.settlement.format;

import java.util.HashMap;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** Finds contracts among the beans of the YAML files. */
@Component("settlementReaders")
class ContractReaders implements SettlementReaders {

    private final CamelContext camel;
    private final JdbcTemplate jdbc;
    private volatile Map<String, Integer> exponents = Map.of();

    ContractReaders(CamelContext camel, JdbcTemplate jdbc) {
        this.camel = camel;
        this.jdbc = jdbc;
    }

    @Override
    public SettlementReader of(String provider) {
        SettlementContract contract = camel.getRegistry().lookupByNameAndType(provider + "-settlement", SettlementContract.class);
        if (contract == null) {
            throw new IllegalArgumentException("Provider " + provider + ": found no settlement contract, allowed is a bean "
                    + provider + "-settlement");
        }
        return contract.reader(exponents());
    }

    private Map<String, Integer> exponents() {
        if (exponents.isEmpty()) {
            Map<String, Integer> read = new HashMap<>();
            jdbc.query("select code, exponent from currency", row -> {
                read.put(row.getString(1), row.getInt(2));
            });
            exponents = Map.copyOf(read);
        }
        return exponents;
    }
}
