package org.paymentroutes.settlement.format;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;

/** The contracts that are shipped, read from their files as the application reads them. */
final class Contracts {

    static final Map<String, Integer> EXPONENTS = Map.of("CNY", 2, "EUR", 2, "USD", 2, "CHF", 2, "JPY", 0, "KWD", 3, "ISK", 0);
    private static final CamelContext CAMEL = load();

    /** What became of a file. */
    record Read(SettlementHeader header, List<SettlementLine> lines) {
    }

    private Contracts() {
    }

    static SettlementContract contract(String name) {
        return CAMEL.getRegistry().lookupByNameAndType(name + "-settlement", SettlementContract.class);
    }

    static byte[] bytes(String file) {
        try {
            return Files.readAllBytes(Path.of("src/test/resources/settlement", file));
        }
        catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Read read(String contract, byte[] content) {
        return read(contract(contract), content);
    }

    static Read read(SettlementContract contract, byte[] content) {
        List<SettlementLine> lines = new ArrayList<>();
        try {
            SettlementHeader header = contract.reader(EXPONENTS).read(new ByteArrayInputStream(content), "a-file", lines::add);
            return new Read(header, lines);
        }
        catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static CamelContext load() {
        try (Stream<Path> files = Files.list(Path.of("routes/settlement"))) {
            CamelContext camel = new DefaultCamelContext();
            for (Path file : files.filter(path -> path.toString().endsWith(".camel.yaml")).sorted().toList()) {
                PluginHelper.getRoutesLoader(camel).loadRoutes(PluginHelper.getResourceLoader(camel).resolveResource("file:" + file));
            }
            return camel;
        }
        catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
