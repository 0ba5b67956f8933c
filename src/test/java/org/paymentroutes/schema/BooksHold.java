package org.paymentroutes.schema;

import org.junit.jupiter.api.AfterEach;
import org.paymentroutes.support.Books;

/** A test of the schema after each of whose methods, whatever was tried, all holds that must always hold. */
interface BooksHold {

    @AfterEach
    default void booksHold() {
        Books.hold(SchemaTest.database.jdbc(), "afterwards");
    }
}
