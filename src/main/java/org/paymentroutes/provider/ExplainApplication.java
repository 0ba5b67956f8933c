package org.paymentroutes.provider;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
        String plans = explain(refusals, arguments);
        // Plans quote what people wrote into contracts, whatever the terminal's language is.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        out.print(plans);
        PrintStream messages = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        refusals.forEach(messages::println);
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
        Map<String, Set<String>> templates = new HashMap<>();
        for (Text text : texts(environment.getRequiredProperty("payment-routes.core-routes"))) {
            templates.putAll(ProviderFile.parse(text.location(), text.content()).templates());
        }
        StringBuilder plans = new StringBuilder();
        Map<String, String> places = new HashMap<>();
        for (String pattern : environment.getRequiredProperty("payment-routes.provider-routes").split(",")) {
            List<Text> texts = texts(pattern);
            int contracts = 0;
            for (Text text : texts) {
                List<String> broken = new ArrayList<>(ProviderYaml.problems(text.content()));
                if (broken.isEmpty()) {
                    broken.addAll(ProviderYaml.templates(text.content(), templates::get));
                }
                Set<String> names = ProviderYaml.contracts(text.content());
                contracts += names.size();
                for (String name : broken.isEmpty() ? names : ProviderYaml.names(text.location(), text.content())) {
                    try {
                        String other = places.putIfAbsent(name, text.location());
                        if (other != null) {
                            broken.add("bean " + name + ": found in this file and in " + other + ", allowed is one contract of a name");
                        }
                        if (!broken.isEmpty()) {
                            throw new ContractRefusedException(text.location(), name, broken);
                        }
                        ProviderFile file = ProviderFile.parse(text.location(), text.content());
                        plans.append(RecoveryPlan.of(name, file.location(), file.contract(camel, name, resolver)).text()).append('\n');
                    }
                    catch (ContractRefusedException e) {
                        refusals.add(e.getMessage());
                    }
                }
            }
            if (contracts == 0 && refusals.isEmpty() && !pattern.contains("sandbox")) {
                refusals.add("Option payment-routes.provider-routes: found " + pattern.strip() + ", where there is "
                        + (texts.isEmpty() ? "no file" : "no contract") + ". Allowed is a pattern of route files, for example"
                        + " file:/app/routes/providers/*.camel.yaml.");
            }
        }
        return plans.toString();
    }

    private record Text(String location, String content) {
    }

    private static List<Text> texts(String patterns) throws IOException {
        List<Text> texts = new ArrayList<>();
        for (String pattern : patterns.split(",")) {
            String wanted = pattern.strip();
            for (Resource resource : new PathMatchingResourcePatternResolver()
                    .getResources(wanted.startsWith("classpath:") ? wanted.replaceFirst("classpath:", "classpath*:") : wanted)) {
                if (resource.exists()) {
                    texts.add(new Text(resource.isFile() ? resource.getFile().getPath() : String.valueOf(resource.getFilename()),
                            resource.getContentAsString(StandardCharsets.UTF_8)));
                }
            }
        }
        return texts;
    }

    /** Configures nothing: only the environment is wanted. */
    static class Nothing {
    }
}
