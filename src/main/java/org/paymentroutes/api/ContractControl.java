package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.FieldError;
import org.paymentroutes.payment.RefusedRequestException;
import org.paymentroutes.payment.StrictJson;
import org.paymentroutes.provider.ContractRefusedException;
import org.paymentroutes.provider.ProviderReload;
import org.paymentroutes.provider.Providers;
import org.paymentroutes.provider.RecoveryPlan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Shows what follows from the contract of a provider, and has its file read again. */
@Component("contractControl")
public class ContractControl {

    private static final Logger LOG = LoggerFactory.getLogger(ContractControl.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Providers providers;
    private final ProviderReload reload;

    ContractControl(Providers providers, ProviderReload reload) {
        this.providers = providers;
        this.reload = reload;
    }

    /** Answers with the recovery plan of a provider: JSON, or a table for {@code Accept: text/plain}. */
    public void plan(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        String name = name(http);
        if (!providers.names().contains(name)) {
            throw new ProblemException(providers.refusals().containsKey(name) ? refused(providers.refusals().get(name)) : PaymentReads.notFound());
        }
        String accept = http.getHeader("Accept");
        answer(exchange, providers.plan(name), accept != null && accept.startsWith("text/plain"));
    }

    /** Has the file of a provider read again, and answers with the plan that holds from now on. The request is an empty object. */
    public void reload(Exchange exchange) {
        HttpServletRequest http = HttpRequests.of(exchange);
        HttpRequests.refuseParameters(http);
        List<FieldError> errors = StrictJson.object(RequestBodyFilter.bodyOf(http)).keySet().stream()
                .map(field -> new FieldError(field, "an unknown field", "no fields")).toList();
        if (!errors.isEmpty()) {
            throw new RefusedRequestException(RefusedRequestException.Kind.INVALID, "A field is wrong.", errors);
        }
        LOG.info("{} has the file of provider {} read again", Caller.current().name(), name(http));
        try {
            answer(exchange, reload.reload(name(http)), false);
        }
        catch (ContractRefusedException e) {
            throw new ProblemException(refused(e.getMessage()));
        }
        catch (IllegalArgumentException e) {
            throw new ProblemException(PaymentReads.notFound());
        }
    }

    private static Problem refused(String message) {
        return Problem.of("contract-refused", "The contract is refused. What ran before goes on.", 422, message);
    }

    /** The name between {@code /api/providers/} and the last part of the path. */
    private static String name(HttpServletRequest http) {
        String[] path = http.getRequestURI().split("/");
        return path[path.length - 2];
    }

    private static void answer(Exchange exchange, RecoveryPlan plan, boolean text) {
        try {
            if (text) {
                HttpAnswer.set(exchange, 200, "text/plain; charset=utf-8", plan.text(), Map.of());
            }
            else {
                HttpAnswer.set(exchange, 200, HttpAnswer.JSON, JSON.writeValueAsString(plan), Map.of());
            }
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException("records of texts are always JSON", e);
        }
    }
}
