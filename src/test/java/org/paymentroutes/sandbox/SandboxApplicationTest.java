package org.paymentroutes.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.spring.boot.CamelAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paymentroutes.support.JavaProcess;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.mock.env.MockEnvironment;

/** The sandbox shares nothing with the application that it is a witness against. */
class SandboxApplicationTest {

    @TempDir
    Path directory;

    @Test
    void theSeparateProcessHasItsTwoRoutesAndNoDatabase() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory)) {
            assertThat(sandbox.context().getBeansOfType(DataSource.class)).isEmpty();
            assertThat(sandbox.context().getBean(CamelContext.class).getRoutes()).extracting(route -> route.getId())
                    .containsExactlyInAnyOrder("sandbox-books-pay", "sandbox-books-query");
            assertThat(sandbox.context().getEnvironment().getProperty("sandbox.url")).isEqualTo(sandbox.url());
        }
    }

    @Test
    void moneyIsStillCountedAfterARestart() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory)) {
            sandbox.wire().pay("r", "close_paid");
        }
        try (SandboxRun sandbox = SandboxRun.start(directory)) {
            assertThat(sandbox.wire().get("/payments/r").body()).contains("SUCCEEDED");
            assertThat(sandbox.wire().pay("r", "close_paid").body()).contains("SUCCEEDED");
            assertThat(sandbox.wire().money("r")).contains("\"received\":2,\"moved\":1,");
        }
    }

    @Test
    void aComponentScanFindsTheConfigurationButNotTheApplication() {
        ClassPathScanningCandidateComponentProvider scan = new ClassPathScanningCandidateComponentProvider(true);
        scan.setEnvironment(new MockEnvironment().withProperty("sandbox.enabled", "true"));
        assertThat(scan.findCandidateComponents("org.paymentroutes.sandbox"))
                .extracting(BeanDefinition::getBeanClassName).containsExactly(SandboxConfiguration.class.getName());
    }

    @Test
    void nothingIsThereUnlessItIsEnabled() {
        new ApplicationContextRunner().withUserConfiguration(SandboxConfiguration.class)
                .withConfiguration(AutoConfigurations.of(CamelAutoConfiguration.class))
                .withPropertyValues("camel.main.routes-include-pattern=file:routes/sandbox/*.camel.yaml").run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(SandboxBooks.class).doesNotHaveBean(SandboxLifecycle.class);
                    assertThat(context.getBean(CamelContext.class).getRoutes()).isEmpty();
                });
    }

    @Test
    void anApplicationThatHasItInProcessKnowsItsAddressBeforeItsRoutesStart() {
        new ApplicationContextRunner().withUserConfiguration(SandboxConfiguration.class)
                .withConfiguration(AutoConfigurations.of(CamelAutoConfiguration.class))
                .withPropertyValues("sandbox.enabled=true", "sandbox.books=" + directory.resolve("books.ndjson"),
                        "camel.main.routes-include-pattern=file:routes/sandbox/*.camel.yaml")
                .run(context -> {
                    String url = context.getBean(CamelContext.class).resolvePropertyPlaceholders("{{sandbox.url}}");
                    assertThat(url).isEqualTo(context.getBean(SandboxLifecycle.class).url());
                    assertThat(new Wire(url).pay("in", "ok").body()).contains("SUCCEEDED");
                });
    }

    @Test
    void nothingThatWasAnsweredIsLostWhenTheProcessIsKilled() throws IOException {
        try (JavaProcess first = child()) {
            Wire wire = new Wire(first.awaitReady());
            for (int i = 0; i < 50; i++) {
                wire.pay("kill-" + i, "ok");
            }
        }
        try (JavaProcess second = child()) {
            assertThat(new Wire(second.awaitReady()).get("/_money").body())
                    .endsWith("\"totals\":{\"payments\":50,\"received\":50,\"moved\":50,\"moved_twice\":0}}");
        }
    }

    private JavaProcess child() {
        return JavaProcess.of(SandboxApplication.class, List.of("--sandbox.books=" + directory.resolve("books.ndjson")))
                .jvm(List.of("-Xmx256m")).readyAt("sandbox: ").start(directory.resolve("sandbox.log"));
    }
}
