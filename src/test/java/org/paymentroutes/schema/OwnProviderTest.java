package org.paymentroutes.schema;

import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.paymentroutes.support.Payments;
import org.paymentroutes.support.SettlementFiles;

/** A test of the schema where each test has a provider of its own, without payments or settlement files of others. */
abstract class OwnProviderTest extends SchemaTest {

    Payments payments;
    SettlementFiles files;

    @BeforeEach
    void makeProviderKnown() {
        payments = new Payments(database, "p-" + UUID.randomUUID().toString().substring(0, 8));
        files = new SettlementFiles(database.jdbc(), payments.provider());
    }
}
