package org.paymentroutes.settlement;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.paymentroutes.support.NamedSql;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.stereotype.Component;

/** The {@link SettlementPolicy} beans of the YAML files, made the ones that the database matches by. */
@Component("settlementPolicies")
public class SettlementPolicies {

    private static final Logger LOG = LoggerFactory.getLogger(SettlementPolicies.class);
    private static final String SUFFIX = "-reconciliation";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final CamelContext camel;
    private final NamedParameterJdbcTemplate database;

    SettlementPolicies(CamelContext camel, NamedParameterJdbcTemplate database) {
        this.camel = camel;
        this.database = database;
    }

    /** Writes the policies of all providers that have one, so that files that do not arrive are noticed. A wrong one holds up no other. */
    public void registerAll() {
        for (Map.Entry<String, SettlementPolicy> entry : camel.getRegistry().findByTypeWithName(SettlementPolicy.class).entrySet()) {
            if (entry.getKey().endsWith(SUFFIX)) {
                try {
                    write(entry.getKey().substring(0, entry.getKey().length() - SUFFIX.length()), entry.getValue());
                }
                catch (IllegalArgumentException | DataAccessException e) {
                    LOG.error("A reconciliation policy is not taken, the one before stays: {}", e.getMessage());
                }
            }
        }
    }

    void register(String provider) {
        SettlementPolicy policy = camel.getRegistry().lookupByNameAndType(provider + SUFFIX, SettlementPolicy.class);
        if (policy != null) {
            write(provider, policy);
        }
    }

    private void write(String provider, SettlementPolicy policy) {
        try {
            database.update(NamedSql.load("register-settlement"), new MapSqlParameterSource()
                    .addValue("provider", provider)
                    .addValue("reference", policy.getReference().name())
                    .addValue("settles", policy.getSettles().name())
                    .addValue("lagMs", policy.getLagMs())
                    .addValue("windowMs", policy.getWindowMs(), java.sql.Types.BIGINT)
                    .addValue("tolerance", JSON.writeValueAsString(policy.tolerances()))
                    .addValue("everyMs", policy.getEveryMs(), java.sql.Types.BIGINT)
                    .addValue("lateMs", policy.getLateMs())
                    .addValue("payoutsAt", policy.payoutsAtBank(provider), java.sql.Types.VARCHAR)
                    .addValue("payoutLagMs", policy.getPayoutLagMs())
                    .addValue("payoutWindowMs", policy.getPayoutWindowMs(), java.sql.Types.BIGINT));
        }
        catch (JsonProcessingException | IllegalArgumentException e) {
            throw new IllegalArgumentException("Provider " + provider + ", bean " + provider + SUFFIX + ", " + e.getMessage(), e);
        }
    }
}
