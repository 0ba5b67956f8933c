package org.paymentroutes.schema;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.Decisions;

/** A test of what the schema allows: one migrated database for the class, and people who decide there. */
abstract class SchemaTest {

    static Database database;
    static Decisions decisions;

    @BeforeAll
    static void openDatabase() {
        database = Database.create();
        decisions = new Decisions(database);
    }

    @AfterAll
    static void closeDatabase() {
        database.close();
    }
}
