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
import org.apache.camel.support.ResourceHelper;
import org.yaml.snakeyaml.Yaml;

/** The contracts that are shipped, read from their files as the application reads them. */
public final class Contracts {

    static final Map<String, Integer> EXPONENTS = Map.of("CNY", 2, "EUR", 2, "USD", 2, "CHF", 2, "JPY", 0, "KWD", 3, "ISK", 0);
    private static final CamelContext CAMEL = load();

    /** What became of a file. */
    public record Read(SettlementHeader header, List<SettlementLine> lines) {
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

    /** @return what the shipped contract of this name reads */
    public static Read read(String contract, byte[] content) {
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
            load(camel, Path.of("routes/providers/sandbox.camel.yaml"), "sandbox-settlement");
            return camel;
        }
        catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Loads one bean of a file with routes that need more than a contract. */
    private static void load(CamelContext camel, Path file, String bean) throws Exception {
        for (Map<String, Object> part : new Yaml().<List<Map<String, Object>>>load(Files.readString(file))) {
            if (part.get("beans") instanceof List<?> beans) {
                List<?> wanted = beans.stream().filter(one -> bean.equals(((Map<?, ?>) one).get("name"))).toList();
                String yaml = new Yaml().dump(List.of(Map.of("beans", wanted)));
                PluginHelper.getRoutesLoader(camel).loadRoutes(ResourceHelper.fromString("one.camel.yaml", yaml));
            }
        }
    }
}
