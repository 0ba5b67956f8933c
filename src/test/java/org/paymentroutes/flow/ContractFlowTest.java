package org.paymentroutes.flow;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.springframework.boot.test.autoconfigure.actuate.observability.AutoConfigureObservability;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;

/** A test of the whole flow with the {@link ContractProviders} and a database whose clock the test moves. All share one application. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@AutoConfigureObservability(tracing = false)
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
    "demo.enabled=false", "sandbox.enabled=true", "sandbox.books=${payment-routes.data}/sandbox/books.ndjson",
    "sandbox.settlement-directory=${payment-routes.data}/sandbox/settlement", "sandbox.slow-ms=3000", "sandbox.pending-ms=1",
    "payment-routes.recovery-interval-ms=150"})
@ContextConfiguration(initializers = {ApplicationTest.DataFolder.class, ContractProviders.class})
@Import({Api.class, Flow.class})
@interface ContractFlowTest {
}
