package org.paymentroutes.api;

import org.apache.camel.Exchange;
import org.paymentroutes.payment.ProviderRefusedException;
import org.paymentroutes.payment.RefusedRequestException;
import org.paymentroutes.payment.TechnicalFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Turns whatever went wrong in an API route into its answer. Nothing of the failure's inside leaves. */
@Component("problems")
public class Problems {

    private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

    /** Answers with the problem of the exception that was caught. */
    public void answer(Exchange exchange) {
        HttpAnswer.problem(exchange, of(exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class)));
    }

    /**
     * @param failure what went wrong
     * @return its problem
     */
    public static Problem of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ProblemException known) {
                return known.problem();
            }
            if (cause instanceof RefusedRequestException refused) {
                return of(refused);
            }
            if (cause instanceof ProviderRefusedException refused) {
                return Problem.of("provider-refused", "No payment is accepted for this provider at the moment.", 503, refused.getMessage())
                        .retryAfter(60);
            }
        }
        if (TechnicalFailure.is(failure)) {
            return unavailable();
        }
        // Its message may repeat values of the request; the class and the place do not.
        StackTraceElement[] stack = failure.getStackTrace();
        LOG.error("A request failed: {} at {}", failure.getClass().getName(), stack.length == 0 ? "an unknown place" : stack[0]);
        return Problem.of("internal", "The request could not be handled.", 500,
                "Repeat it with the same Idempotency-Key: it is done at most once.");
    }

    /** @return the answer while the database is out of reach */
    public static Problem unavailable() {
        return Problem.of("unavailable", "The service is not available at the moment.", 503,
                "Repeat the request with the same Idempotency-Key: it is done at most once.").retryAfter(2);
    }

    static Problem of(RefusedRequestException refused) {
        return switch (refused.kind()) {
            case MALFORMED -> Problem.of("malformed-request", "The request cannot be read.", 400, refused.getMessage())
                    .with(refused.errors());
            case KEY -> Problem.of("idempotency-key", "The Idempotency-Key is missing or not usable.", 400, refused.getMessage())
                    .with(refused.errors());
            case INVALID -> Problem.of("invalid-request", "The request is not a payment.", 422, refused.getMessage())
                    .with(refused.errors());
        };
    }
}
