package org.paymentroutes.payment;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.camel.Exchange;
import org.springframework.stereotype.Component;

/** What the events route needs of the batch that it has sent, the variable {@code events}. */
@Component("events")
public class Events {

    /** @return the numbers in the outbox of the events of the batch as a JSON array */
    public String ids(Exchange exchange) {
        List<?> rows = exchange.getVariable("events", List.class);
        return rows.stream().map(row -> ((Map<?, ?>) row).get("event_no").toString()).collect(Collectors.joining(",", "[", "]"));
    }
}
