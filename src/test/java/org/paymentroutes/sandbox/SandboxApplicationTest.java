package org.paymentroutes.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;

/** The sandbox shares nothing with the application that it is a witness against. */
class SandboxApplicationTest {

    @TempDir
    Path directory;

    @Test
    void theSeparateProcessHasItsTwoRoutesAndNoDatabase() throws IOException {
        try (SandboxRun sandbox = SandboxRun.start(directory)) {
            assertThat(sandbox.context().getBeansOfType(DataSource.class)).isEmpty();
            assertThat(sandbox.context().getBean(CamelContext.class).getRoutes()).extracting(route -> route.getId())
                    .containsExactlyInAnyOrder("sandbox-pay", "sandbox-query");
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
        assertThat(new ClassPathScanningCandidateComponentProvider(true).findCandidateComponents("org.paymentroutes.sandbox"))
                .extracting(BeanDefinition::getBeanClassName).containsExactly(SandboxConfiguration.class.getName());
    }

    @Test
    void nothingIsThereUnlessItIsEnabled() {
        new ApplicationContextRunner().withUserConfiguration(SandboxConfiguration.class).run(context -> {
            assertThat(context).doesNotHaveBean(SandboxBooks.class).doesNotHaveBean(SandboxLifecycle.class);
        });
    }
}
