package org.paymentroutes.payment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.health.Status;
import org.springframework.test.context.TestPropertySource;

/** Proves that a broker nobody can reach stops neither the start of the application nor HTTP intake, and is shown. */
@ApplicationTest
@TestPropertySource(properties = "spring.artemis.broker-url=tcp://localhost:1?connectionTimeoutMillis=1000")
class BrokerAwayIT {

    @Autowired
    Api api;
    @Autowired
    JmsIntakeStart start;

    @Test
    void acceptsPaymentsOverHttpAndWaitsForTheBroker() {
        assertThat(api.pay(Api.key(), """
                {"sourceReference":"broker-away","operation":"PAYOUT","provider":"acme","amountMinor":5,"currency":"EUR","recipient":"t"}""")
                .statusCode()).isEqualTo(202);
        assertThat(start.health().getStatus()).isEqualTo(Status.DOWN);
        assertThat(start.health().getDetails()).containsKey("waitingFor");
    }
}
