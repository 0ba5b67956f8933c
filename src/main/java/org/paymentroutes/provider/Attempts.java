package org.paymentroutes.provider;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.camel.Exchange;
import org.paymentroutes.metrics.PaymentMetrics;
import org.paymentroutes.payment.PaymentRecorded;
import org.springframework.stereotype.Component;

/**
 * What the routes need around an attempt or a query, as {@code bean: attempts}: its lease, the evidence row to record,
 * and the worker that is idle again afterwards. The payment is the variable {@code payment}, the row of the claim.
 */
@Component("attempts")
public class Attempts implements PaymentRecorded {

    private static final String STARTED = "startedNs";
    private static final String ANSWERED = "answered_ns";

    private final Providers providers;
    private final PaymentMetrics metrics;

    Attempts(Providers providers, PaymentMetrics metrics) {
        this.providers = providers;
        this.metrics = metrics;
    }

    /** A worker takes the claimed payment in the body. */
    public void taken(Exchange exchange) {
        Map<?, ?> row = exchange.getMessage().getBody(Map.class);
        providers.gate((String) row.get("provider")).taken(attempt(row));
        metrics.claimed((String) row.get("provider"));
    }

    /** @return whether the lease of the claimed payment still holds for a whole request */
    public boolean leaseHolds(Exchange exchange) {
        Map<?, ?> payment = payment(exchange);
        return providers.gate((String) payment.get("provider")).leaseHolds(attempt(payment));
    }

    /** @return the answer of an attempt that was not sent because its lease is over */
    public Map<String, Object> leaseOver() {
        return Answers.row(Verdict.NOT_EXECUTED, "the lease was over before the request was sent");
    }

    /**
     * A call begins: from here on it is timed, and its answer is that there is none, until a provider's route names one.
     * Call it as a step: an expression works on a copy of the exchange, and its variables would be lost.
     */
    public void begins(Exchange exchange) {
        exchange.setVariable(STARTED, System.nanoTime());
        exchange.setVariable("answer", Answers.row(Verdict.AMBIGUOUS, "the provider's route named no outcome"));
    }

    /** @return the rows to record, as one list of evidence of attempts */
    public Map<String, Object> answerEvidence(Exchange exchange) {
        return evidence(exchange, "ANSWER");
    }

    /** @return the row to record, as evidence of a query; each answer of a query is a fact of its own, recorded once */
    public Map<String, Object> queryEvidence(Exchange exchange) {
        Map<String, Object> row = evidence(exchange, "QUERY");
        row.put("fact", "query " + UUID.randomUUID());
        row.put("asked_at", payment(exchange).get("asked_at"));
        return row;
    }

    private Map<String, Object> evidence(Exchange exchange, String source) {
        Map<?, ?> payment = payment(exchange);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("payment_id", payment.get("payment_id"));
        row.put("attempt_no", payment.get("attempt_no"));
        row.put("provider", payment.get("provider"));
        row.put("source", source);
        row.put("recorded_by", providers.node());
        row.put("request_digest", exchange.getVariable("requestDigest", String.class));
        exchange.getVariable("answer", Map.class).forEach((name, value) -> row.put((String) name, value));
        row.put("next", exchange.getVariable("next", String.class));
        long now = System.nanoTime();
        long elapsed = now - exchange.getVariable(STARTED, Long.class);
        row.put("elapsed_ms", TimeUnit.NANOSECONDS.toMillis(elapsed));
        row.put(ANSWERED, now);
        metrics.called((String) payment.get("provider"), source, elapsed);
        return row;
    }

    /** Frees the workers of the recorded attempts in the body, a list of evidence rows. */
    public void released(List<Map<String, Object>> rows) {
        for (Map<String, Object> row : rows) {
            metrics.settled((String) row.get("provider"), System.nanoTime() - (Long) row.get(ANSWERED));
            if ("ANSWER".equals(row.get("source"))) {
                ProviderGate gate = providers.gate((String) row.get("provider"));
                gate.released(attempt(row), providerWorks(row));
            }
        }
    }

    /** The worker of an attempt whose outcome could not be handed over is idle again; its payment waits for the end of its lease. */
    public void abandoned(Exchange exchange) {
        Map<?, ?> payment = payment(exchange);
        providers.gate((String) payment.get("provider")).released(attempt(payment), true);
    }

    private static boolean providerWorks(Map<String, Object> row) {
        Integer status = (Integer) row.get("http_status");
        boolean proves = !Verdict.AMBIGUOUS.name().equals(row.get("verdict")) && !Verdict.NOT_EXECUTED.name().equals(row.get("verdict"));
        return proves || (status != null && status < 500 && status != 429);
    }

    @Override
    public void paymentRecorded(String provider) {
        ProviderGate gate = providers.gate(provider);
        if (gate != null) {
            gate.wake();
        }
    }

    private static Map<?, ?> payment(Exchange exchange) {
        return exchange.getVariable("payment", Map.class);
    }

    private static String attempt(Map<?, ?> row) {
        return row.get("payment_id") + "/" + row.get("attempt_no");
    }
}
