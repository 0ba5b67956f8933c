package org.paymentroutes.sandbox;

import java.util.Map;
import org.apache.camel.spring.boot.CamelAutoConfiguration;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/**
 * The sandbox as a process of its own: Camel and the sandbox routes, with no database, no broker and no web server. It
 * reads {@code sandbox.yaml} in place of {@code application.yaml}.
 *
 * <p>It is no {@code @Configuration}, so the main application's component scan passes it by, and it names its few
 * auto-configurations, so that nothing else on the class path starts.
 */
@ImportAutoConfiguration({PropertyPlaceholderAutoConfiguration.class, CamelAutoConfiguration.class})
@Import(SandboxConfiguration.class)
public class SandboxApplication {

    /** Starts the sandbox and prints its address. */
    public static void main(String[] arguments) {
        String url = start(arguments).getBean(SandboxLifecycle.class).url();
        System.out.println("sandbox: " + url);
    }

    /** Starts the sandbox; whoever closes the returned context stops it. */
    static ConfigurableApplicationContext start(String... arguments) {
        return new SpringApplicationBuilder(SandboxApplication.class).main(SandboxApplication.class).web(WebApplicationType.NONE).bannerMode(Banner.Mode.OFF)
                .properties(Map.of(
                        "spring.config.name", "sandbox",
                        "spring.application.name", "sandbox",
                        "sandbox.enabled", "true",
                        "camel.main.name", "sandbox",
                        "camel.main.routes-include-pattern", "classpath:routes/sandbox/sandbox.camel.yaml"))
                .run(arguments);
    }
}
