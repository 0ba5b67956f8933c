package org.paymentroutes.api;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.camel.Exchange;
import org.apache.camel.Message;

/** Sets the answer of an exchange. Nothing of the incoming message, and no header of a step, stays in it. */
final class HttpAnswer {

    static final String JSON = "application/json";

    private HttpAnswer() {
    }

    static void problem(Exchange exchange, Problem problem) {
        set(exchange, problem.status(), Problem.MEDIA_TYPE, problem.toJson(), problem.retryAfterS() == 0 ? Map.of()
                : Map.of("Retry-After", Integer.toString(problem.retryAfterS())));
    }

    static void set(Exchange exchange, int status, String mediaType, String body, Map<String, String> headers) {
        Message message = exchange.getMessage();
        message.removeHeaders("*");
        headers.forEach(message::setHeader);
        message.setHeader(Exchange.HTTP_RESPONSE_CODE, status);
        message.setHeader(Exchange.CONTENT_TYPE, mediaType);
        message.setHeader("Cache-Control", "no-store");
        message.setBody(body.getBytes(StandardCharsets.UTF_8));
    }
}
