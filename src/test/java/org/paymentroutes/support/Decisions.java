package org.paymentroutes.support;

import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;

/** Cases of a database and what people decide about them, by plain SQL. */
public final class Decisions {

    private final Database database;
    private final JdbcTemplate jdbc;

    /** @param database the database of the test */
    public Decisions(Database database) {
        this.database = database;
        this.jdbc = database.jdbc();
    }

    /** @return the open case of a payment */
    public long caseOf(UUID payment) {
        return jdbc.queryForObject("select case_id from review_case where payment_id = ? and subject = 'payment' and closed_at is null",
                Long.class, payment);
    }

    /** @return the id of a new proposal by {@code ann} */
    public long proposed(long caseId, String kind, String details) {
        return proposed(caseId, kind, details, "ann");
    }

    /** @return the id of a new proposal */
    public long proposed(long caseId, String kind, String details, String person) {
        return jdbc.queryForObject("insert into decision (case_id, kind, details, reason, proposed_by)"
                + " values (?, ?, ?::jsonb, 'looked it up at the provider', ?) returning decision_id", Long.class, caseId, kind, details, person);
    }

    /** Approves as this person. */
    public void approved(long decision, String person) {
        jdbc.update("update decision set approved_by = ? where decision_id = ?", person, decision);
    }

    /** Refuses as this person. */
    public void refused(long decision, String person) {
        jdbc.update("update decision set refused_by = ?, refused_why = 'it is not so' where decision_id = ?", person, decision);
    }

    /** Decides about the open case of a payment, as {@code ann} and {@code bob}. */
    public void decided(UUID payment, String kind, String details) {
        approved(proposed(caseOf(payment), kind, details), "bob");
    }

    /** Makes the leases of its attempts be over, as time would. */
    public void leaseOver(UUID payment) {
        database.withoutRules(rules -> rules.update("update attempt set started_at = started_at - interval '1 hour',"
                + " lease_until = lease_until - interval '1 hour' where payment_id = ?", payment));
    }
}
