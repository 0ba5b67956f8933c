package org.paymentroutes.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.Payments;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;

/** A claim costs the same with a hundred thousand open payments. */
class ClaimPlanTest {

    @Test
    void aClaimReadsOnlyWhatIsDueByIndex() {
        try (Database database = Database.create()) {
            Payments payments = new Payments(database, "acme");
            database.jdbc().update("insert into payment (payment_id, caller, request_key, fingerprint, source_reference, operation, provider, account,"
                    + " amount_minor, currency) select gen_random_uuid(), 'c', i::text, 'f', i::text, 'PAYOUT', 'acme', 'main', 5, 'EUR'"
                    + " from generate_series(1, 100000) i");
            database.jdbc().execute("analyze");
            String plan = String.join("\n", new NamedParameterJdbcTemplate(database.jdbc()).queryForList(
                    "explain (analyze, buffers off) " + Database.jdbcText("claim"),
                    Map.of("provider", payments.provider(), "claimable", 16, "node", "node"), String.class));
            assertThat(plan).contains("outbox_due");
            assertThat(plan).doesNotContain("Seq Scan on payment").doesNotContain("Seq Scan on outbox").doesNotContain("Sort Key: o.due_at");
            assertThat(database.jdbc().queryForObject("select count(*) from payment where state = 'SUBMITTING'", Integer.class)).isEqualTo(16);
        }
    }
}
