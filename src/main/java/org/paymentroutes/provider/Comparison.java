package org.paymentroutes.provider;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.support.DefaultExchange;
import org.springframework.stereotype.Component;

/**
 * Asks a provider about many payments, through its own query route and on its own query threads, and lays what it says
 * beside what we have, as {@code bean: comparison}. Nothing is recorded, nothing is changed, nothing is sent.
 */
@Component("comparison")
public class Comparison {

    private static final Duration PATIENCE = Duration.ofSeconds(45);

    private final Providers providers;
    private final Attempts attempts;
    private final Answers answers;
    private final ProducerTemplate producer;

    Comparison(Providers providers, Attempts attempts, Answers answers, ProducerTemplate producer) {
        this.providers = providers;
        this.attempts = attempts;
        this.answers = answers;
        this.producer = producer;
    }

    /** Adds {@code theirs} and {@code difference} to the rows of {@code sql/compare.sql} in the body. */
    public void ask(Exchange exchange) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Object row : exchange.getMessage().getBody(List.class)) {
            @SuppressWarnings("unchecked")
            Map<String, Object> copy = new LinkedHashMap<>((Map<String, Object>) row);
            rows.add(copy);
        }
        Map<Object, Map<String, Object>> told = rows.isEmpty() ? Map.of() : told(exchange.getContext(), (String) rows.get(0).get("provider"), rows);
        for (Map<String, Object> row : rows) {
            Map<String, Object> theirs = told.get(row.get("place"));
            row.put("theirs", theirs);
            row.put("difference", row.get("payment_id") == null ? "NOT_OURS" : theirs == null ? "NOT_ASKED"
                    : difference((String) row.get("state"), theirs));
        }
        exchange.getMessage().setBody(rows);
    }

    private Map<Object, Map<String, Object>> told(CamelContext camel, String provider, List<Map<String, Object>> rows) {
        Queue<Map<String, Object>> questions = new ConcurrentLinkedQueue<>(rows.stream()
                .filter(row -> Boolean.TRUE.equals(row.get("ask"))).toList());
        Map<Object, Map<String, Object>> told = new ConcurrentHashMap<>();
        ExecutorService workers = camel.getRegistry().lookupByNameAndType(provider + "-query-workers", ExecutorService.class);
        if (questions.isEmpty() || workers == null) {
            return told;
        }
        // Half of the threads, so that recovery goes on.
        int threads = Math.min(questions.size(), Math.max(1, providers.contract(provider).getQuery().getParallel() / 2));
        CountDownLatch done = new CountDownLatch(threads);
        long until = System.nanoTime() + PATIENCE.toNanos();
        for (int i = 0; i < threads; i++) {
            workers.execute(() -> {
                try {
                    for (Map<String, Object> row = questions.poll(); row != null && System.nanoTime() < until; row = questions.poll()) {
                        told.put(row.get("place"), one(camel, provider, row));
                    }
                }
                finally {
                    done.countDown();
                }
            });
        }
        try {
            done.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        questions.clear();
        return new LinkedHashMap<>(told);
    }

    private Map<String, Object> one(CamelContext camel, String provider, Map<String, Object> row) {
        Exchange question = new DefaultExchange(camel);
        question.setVariable("payment", row);
        attempts.begins(question);
        Exchange answer = producer.send("direct:" + provider + "-query", question);
        Map<?, ?> found;
        if (answer.getException() != null) {
            answer.setProperty(Exchange.EXCEPTION_CAUGHT, answer.getException());
            found = answers.ofFailedQuery(answer);
        }
        else {
            found = answer.getVariable("answer", Map.class);
        }
        Map<String, Object> theirs = new LinkedHashMap<>();
        theirs.put("verdict", found.get("verdict"));
        theirs.put("mismatch", found.get("mismatch"));
        theirs.put("providerPaymentId", found.get("provider_payment_id"));
        theirs.put("httpStatus", found.get("http_status"));
        theirs.put("reason", found.get("reason"));
        return theirs;
    }

    /**
     * @param state  ours
     * @param theirs what the provider's answer says
     * @return what is different, in one word of the API
     */
    static String difference(String state, Map<String, Object> theirs) {
        if (theirs.get("mismatch") != null) {
            return "OTHER_" + String.valueOf(theirs.get("mismatch")).toUpperCase(Locale.ROOT);
        }
        boolean open = !"SUCCEEDED".equals(state) && !"FAILED".equals(state);
        return switch (Verdict.valueOf((String) theirs.get("verdict"))) {
            case SUCCEEDED -> "SUCCEEDED".equals(state) ? "NONE" : open ? "THEY_KNOW_MORE" : "CONTRADICTION";
            case REJECTED -> "FAILED".equals(state) ? "NONE" : open ? "THEY_KNOW_MORE" : "CONTRADICTION";
            case ACCEPTED -> "PROCESSING".equals(state) ? "NONE" : "SUCCEEDED".equals(state) ? "WE_KNOW_MORE"
                    : open ? "THEY_KNOW_MORE" : "CONTRADICTION";
            case NOT_FOUND -> "SUCCEEDED".equals(state) || "PROCESSING".equals(state) ? "CONTRADICTION"
                    : "FAILED".equals(state) || "PENDING".equals(state) ? "NONE" : "NOT_THERE";
            default -> "NOT_TOLD";
        };
    }
}
