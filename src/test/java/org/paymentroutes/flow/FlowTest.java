package org.paymentroutes.flow;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.paymentroutes.support.TestProviders;
import org.springframework.boot.test.autoconfigure.actuate.observability.AutoConfigureObservability;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;

/**
 * A test of the whole flow: the application with its real routes, database and broker, the sandbox and the
 * {@link FlowProviders}. All such tests share one application.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@AutoConfigureObservability(tracing = false)
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
    "demo.enabled=false", "sandbox.enabled=true", "sandbox.books=${payment-routes.data}/sandbox/books.ndjson",
    "sandbox.settlement-directory=${payment-routes.data}/sandbox/settlement", "sandbox.slow-ms=1500", "sandbox.pending-ms=1000",
    "providers.sandbox.deadline-ms=1000", "providers.sandbox.lease-ms=2500", "providers.sandbox.quiet-ms=300",
    "providers.sandbox.query-delays-ms=300,500,900", "providers.sandbox.query-interval-ms=100",
    "providers.sandbox.time-limit-ms=1800", "payment-routes.settlement.stable=0s",
    "payment-routes.settlement.interval-ms=100", "payment-routes.recovery-interval-ms=200", "payment-routes.alerts.interval-ms=200"})
@ContextConfiguration(initializers = {ApplicationTest.DataFolder.class, FlowProviders.class})
@Import({Api.class, TestProviders.class, Flow.class, Webhooks.class})
@interface FlowTest {
}
