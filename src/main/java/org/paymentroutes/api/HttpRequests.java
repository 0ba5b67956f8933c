package org.paymentroutes.api;

import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.camel.Exchange;
import org.apache.camel.component.platform.http.springboot.PlatformHttpMessage;
import org.paymentroutes.payment.FieldError;

/** Reads what came over HTTP from the request itself, not from message headers, where parameters and headers mix. */
final class HttpRequests {

    private HttpRequests() {
    }

    static HttpServletRequest of(Exchange exchange) {
        return exchange.getIn(PlatformHttpMessage.class).getRequest();
    }

    /** @throws ProblemException 400 when the request has any query parameter */
    static void refuseParameters(HttpServletRequest request) {
        parameters(request, Set.of());
    }

    /**
     * @param request the request
     * @param allowed the names that this operation knows
     * @return each given parameter once
     * @throws ProblemException 400 naming each parameter that is unknown or given twice
     */
    static Map<String, String> parameters(HttpServletRequest request, Set<String> allowed) {
        List<FieldError> errors = new ArrayList<>();
        Map<String, String> found = new LinkedHashMap<>();
        request.getParameterMap().forEach((name, values) -> {
            if (!allowed.contains(name)) {
                errors.add(new FieldError(name, "an unknown parameter", allowed.isEmpty() ? "no parameters"
                        : "one of " + String.join(", ", allowed)));
            }
            else if (values.length > 1) {
                errors.add(new FieldError(name, values.length + " values", "one value"));
            }
            else {
                found.put(name, values[0]);
            }
        });
        refuse(errors);
        return found;
    }

    /** @throws ProblemException 400 with these errors, when there are any */
    static void refuse(List<FieldError> errors) {
        if (!errors.isEmpty()) {
            throw new ProblemException(Problem.of("invalid-parameter", "A parameter of the request is wrong.", 400,
                    errors.size() == 1 ? "One parameter is wrong." : errors.size() + " parameters are wrong.").with(errors));
        }
    }
}
