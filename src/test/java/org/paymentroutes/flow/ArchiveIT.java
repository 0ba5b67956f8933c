package org.paymentroutes.flow;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.camel.CamelContext;
import org.apache.camel.ProducerTemplate;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** The archive runs inside the application, by clock and by name. */
@FlowTest
class ArchiveIT {

    @Autowired
    CamelContext camel;
    @Autowired
    ProducerTemplate producer;

    @Test
    void isWaitingForTheNightAndRuns() {
        assertThat(camel.getRoute("archive-nightly").getEndpoint().getEndpointUri()).contains("cron=");
        assertThat(producer.requestBody("direct:archive", "", Integer.class)).isZero();
    }
}
