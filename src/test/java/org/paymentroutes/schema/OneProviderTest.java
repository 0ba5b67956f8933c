package org.paymentroutes.schema;

import org.junit.jupiter.api.BeforeAll;
import org.paymentroutes.support.Payments;

/** A test of the schema where all payments of the class are of one provider, acme. */
abstract class OneProviderTest extends SchemaTest {

    /** A provider that promises idempotency for a day: what a resend under the same key needs. */
    static final String SAME_KEY = "same_key = true, key_lifetime_ms = 86400000, key_margin_ms = 3600000, resend_max = 3";

    static Payments payments;

    @BeforeAll
    static void makeProviderKnown() {
        payments = new Payments(database, "acme");
    }
}
