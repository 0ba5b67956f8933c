package org.paymentroutes.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.springframework.core.io.ClassPathResource;

/** Statements of the folder {@code sql}, for the few places that are not routes; there, parameters are {@code :name}. */
public final class NamedSql {

    private NamedSql() {
    }

    /**
     * @param name file name without ending
     * @return the statement
     */
    public static String load(String name) {
        try {
            return new ClassPathResource("sql/" + name + ".sql").getContentAsString(StandardCharsets.UTF_8);
        }
        catch (IOException e) {
            throw new UncheckedIOException("no statement sql/" + name + ".sql", e);
        }
    }
}
