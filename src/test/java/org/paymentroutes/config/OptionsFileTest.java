package org.paymentroutes.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.paymentroutes.demo.DemoProperties;
import org.paymentroutes.health.AlertProperties;
import org.paymentroutes.health.HealthProperties;
import org.paymentroutes.sandbox.SandboxProperties;
import org.paymentroutes.security.SecurityProperties;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;

/** The options file says what there is: no more, and no less. */
class OptionsFileTest {

    private static final Pattern OURS = Pattern.compile("(?:payment-routes|providers|sandbox|demo)\\.[a-z][a-z0-9.-]*[a-z0-9]");
    private static final Pattern PLACEHOLDER = Pattern.compile("[${]\\{\\??(" + OURS.pattern() + ")");
    private static final Set<Class<? extends Record>> RECORDS =
            Set.of(AlertProperties.class, DemoProperties.class, HealthProperties.class, SandboxProperties.class, SecurityProperties.class);
    // Set by the application itself.
    private static final Set<String> INTERNAL = Set.of("payment-routes.embedded.database", "payment-routes.embedded.broker", "sandbox.url");

    private final Set<String> documented = keys(options());
    private final Set<String> inJar = keys(new FileSystemResource("src/main/resources/application.yaml"));

    @Test
    void everyOptionThatCodeOrRoutesReadIsDocumented() {
        Set<String> used = used();
        used.removeAll(INTERNAL);
        used.removeIf(option -> option.startsWith("payment-routes.security.users."));
        assertThat(documented).containsAll(used);
    }

    @Test
    void everyOptionOfOursInTheFileIsReadSomewhere() {
        Set<String> ours = documented.stream().filter(option -> OURS.matcher(option).matches())
                .filter(option -> !option.startsWith("payment-routes.security.users.")).collect(Collectors.toCollection(TreeSet::new));
        assertThat(used()).containsAll(ours);
    }

    @Test
    void everyOptionOfOursInTheJarIsDocumented() {
        assertThat(documented).containsAll(inJar.stream().filter(option -> OURS.matcher(option).matches()).toList());
    }

    @Test
    void everyOptionOfSpringInTheFileIsOneOfSpringBoot() throws IOException {
        String metadata = metadata();
        List<String> foreign = documented.stream().filter(option -> !OURS.matcher(option).matches())
                .filter(option -> !option.startsWith("logging.level.")).toList();
        assertThat(foreign).isNotEmpty().allSatisfy(option -> assertThat(metadata).contains("\"name\": \"" + option + "\""));
    }

    private static Set<String> used() {
        Set<String> used = new TreeSet<>();
        for (String folder : List.of("src/main/java", "routes")) {
            for (String text : texts(Path.of(folder))) {
                Matcher matcher = PLACEHOLDER.matcher(text);
                while (matcher.find()) {
                    used.add(matcher.group(1));
                }
            }
        }
        // Named, never written: the credential of a provider.
        used.add("providers.sandbox.credential");
        used.addAll(List.of("providers.sandbox.webhook-secret", "providers.sandbox.webhook-secret-next"));
        // Read where the class path is not complete yet, or by Camel through application.yaml.
        used.addAll(List.of("payment-routes.core-routes", "payment-routes.provider-routes", "payment-routes.routes"));
        RECORDS.forEach(type -> components(type.getAnnotation(ConfigurationProperties.class).value(), type, used));
        return used;
    }

    private static void components(String prefix, Class<?> type, Set<String> used) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + "." + component.getName().replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
            if (component.getType().isRecord()) {
                components(name, component.getType(), used);
            }
            else if (!name.equals("payment-routes.security.users")) {
                used.add(name);
            }
        }
    }

    private static Resource options() {
        try (Stream<String> lines = Files.lines(Path.of("config/application.yaml"))) {
            String yaml = lines.filter(line -> !line.startsWith("##")).map(line -> line.replaceFirst("^#", ""))
                    .collect(Collectors.joining("\n"));
            return new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8));
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> keys(Resource yaml) {
        YamlPropertiesFactoryBean reader = new YamlPropertiesFactoryBean();
        reader.setResources(yaml);
        Properties properties = reader.getObject();
        return properties.keySet().stream().map(key -> key.toString().replaceAll("\\[\\d+\\]", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> texts(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().matches(".*\\.(java|yaml)")).map(file -> {
                try {
                    return Files.readString(file);
                }
                catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }).toList();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String metadata() throws IOException {
        StringBuilder all = new StringBuilder();
        var resources = OptionsFileTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json");
        while (resources.hasMoreElements()) {
            try (InputStream in = resources.nextElement().openStream()) {
                all.append(new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll("\"name\":\\s*", "\"name\": "));
            }
        }
        return all.toString();
    }
}
