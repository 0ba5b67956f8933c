package org.paymentroutes.provider;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.camel.impl.DefaultCamelContext;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * Prints the recovery plan of each provider, as {@code java -jar app.jar --providers.explain}: reads the configuration and
 * the provider files, and starts neither a database nor a broker nor a route.
 */
public class ExplainApplication {

    /** The argument that asks for it. */
    public static final String OPTION = "--providers.explain";

    private ExplainApplication() {
    }

    /**
     * Ends the process: 0 when every contract is accepted, 1 with the messages when one is refused.
     *
     * @param arguments options, as for the application itself
     */
    public static void main(String[] arguments) {
        List<String> refusals = new ArrayList<>();
        System.out.print(explain(refusals, arguments));
        refusals.forEach(System.err::println);
        System.exit(refusals.isEmpty() ? 0 : 1);
    }

    /**
     * @param refusals gets a message for each refused contract, and for a pattern that finds none
     * @return the plans of the accepted contracts
     */
    static String explain(List<String> refusals, String... arguments) {
        List<String> options = new ArrayList<>(List.of(arguments));
        options.removeIf(argument -> argument.equals(OPTION) || argument.startsWith(OPTION + "="));
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(ExplainApplication.Nothing.class).main(ExplainApplication.class)
                .web(WebApplicationType.NONE).bannerMode(Banner.Mode.OFF).logStartupInfo(false)
                .properties(Map.of("spring.main.lazy-initialization", "true")).run(options.toArray(String[]::new));
                DefaultCamelContext camel = new DefaultCamelContext()) {
            return explain(context.getEnvironment(), camel, refusals);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String explain(Environment environment, DefaultCamelContext camel, List<String> refusals) throws IOException {
        UnaryOperator<String> resolver = CheckedRoutes.resolver(environment);
        StringBuilder plans = new StringBuilder();
        for (String pattern : environment.getRequiredProperty("payment-routes.provider-routes").split(",")) {
            String wanted = pattern.strip();
            Resource[] found = new PathMatchingResourcePatternResolver()
                    .getResources(wanted.startsWith("classpath:") ? wanted.replaceFirst("classpath:", "classpath*:") : wanted);
            int contracts = 0;
            for (Resource resource : found) {
                String location = resource.isFile() ? resource.getFile().getPath() : String.valueOf(resource.getFilename());
                String text = resource.getContentAsString(StandardCharsets.UTF_8);
                List<String> broken = ProviderYaml.problems(text);
                if (!broken.isEmpty()) {
                    ProviderYaml.names(location, text).forEach(name -> refusals.add(new ContractRefusedException(location, name, broken).getMessage()));
                    continue;
                }
                ProviderFile file = ProviderFile.parse(location, text);
                for (String name : file.names()) {
                    contracts++;
                    try {
                        plans.append(RecoveryPlan.of(name, file.location(), file.contract(camel, name, resolver)).text()).append('\n');
                    }
                    catch (ContractRefusedException e) {
                        refusals.add(e.getMessage());
                    }
                }
            }
            if (contracts == 0 && refusals.isEmpty() && !wanted.contains("sandbox")) {
                refusals.add("Option payment-routes.provider-routes: found " + wanted + ", where there is no contract");
            }
        }
        return plans.toString();
    }

    /** Configures nothing: only the environment is wanted. */
    static class Nothing {
    }
}
