package org.paymentroutes.provider;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.ThreadPoolProfileBuilder;
import org.apache.camel.util.concurrent.ThreadPoolRejectedPolicy;
import org.paymentroutes.metrics.PaymentMetrics;
import org.paymentroutes.support.NamedSql;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.stereotype.Component;

/** The providers of this application: their contracts and, on this node, their gates and workers. */
@Component("providers")
public class Providers {

    private final NamedParameterJdbcTemplate database;
    private final String node;
    private final PaymentMetrics metrics;
    private final Map<String, ProviderContract> contracts = new ConcurrentHashMap<>();
    private final Map<String, ProviderGate> gates = new ConcurrentHashMap<>();

    Providers(NamedParameterJdbcTemplate database, @Value("${payment-routes.node}") String node, PaymentMetrics metrics) {
        this.database = database;
        this.node = node;
        this.metrics = metrics;
    }

    /**
     * Makes a provider known: checks its contract, writes it to the database, and creates what its outbox route refers
     * to, {@code <provider>-gate}, {@code <provider>-wakeup} and {@code <provider>-workers}.
     *
     * @throws IllegalArgumentException when the contract is refused
     */
    void register(CamelContext camel, String provider, ProviderContract contract) {
        if (!provider.matches("[a-z][a-z0-9-]{0,39}")) {
            throw new IllegalArgumentException("Provider name: found '" + provider
                    + "', allowed are lower-case letters, digits and hyphens, at most 40");
        }
        contract.check(provider);
        database.update(NamedSql.load("register-provider"), parameters(provider, contract));
        Wakeup wakeup = new Wakeup(contract.getSend().getPollMs());
        ProviderGate gate = new ProviderGate(provider, node, contract.getSend(), wakeup);
        SendPolicy send = contract.getSend();
        int parallel = contract.getQuery().getParallel();
        camel.getRegistry().bind(provider + "-wakeup", wakeup);
        camel.getRegistry().bind(provider + "-gate", gate);
        camel.getRegistry().bind(provider + "-workers", pool(camel, provider + "-worker", send.getWorkers(), send.getWorkers()));
        camel.getRegistry().bind(provider + "-query-workers", pool(camel, provider + "-query", parallel, 1000));
        contracts.put(provider, contract);
        gates.put(provider, gate);
        metrics.watch(gate);
    }

    private ExecutorService pool(CamelContext camel, String name, int threads, int waiting) {
        return camel.getExecutorServiceManager().newThreadPool(this, name, new ThreadPoolProfileBuilder(name)
                .poolSize(threads).maxPoolSize(threads).maxQueueSize(waiting).keepAliveTime(60L)
                .allowCoreThreadTimeOut(true).rejectedPolicy(ThreadPoolRejectedPolicy.CallerRuns).build());
    }

    private static MapSqlParameterSource parameters(String provider, ProviderContract contract) {
        SendPolicy send = contract.getSend();
        QueryPolicy query = contract.getQuery();
        return new MapSqlParameterSource()
                .addValue("name", provider)
                .addValue("account", contract.getAccount())
                .addValue("canQuery", query.getBy() == QueryPolicy.By.REFERENCE)
                .addValue("leaseMs", send.getLeaseMs())
                .addValue("quietMs", query.getQuietMs())
                .addValue("queryDelaysMs", query.getDelaysMs())
                .addValue("jitter", query.getJitter())
                .addValue("inconclusiveMax", query.getInconclusiveMax())
                .addValue("timeLimitMs", query.getTimeLimitMs())
                .addValue("sendTimeLimitMs", send.getTimeLimitMs())
                .addValue("backoffBaseMs", send.getBackoffBaseMs())
                .addValue("backoffCapMs", send.getBackoffCapMs())
                .addValue("reviewQueryMs", query.getReviewDelayMs())
                .addValue("retryAfterCapMs", send.getRetryAfterCapMs())
                .addValue("contractDigest", contract.getSubmitAnswers() + " " + contract.getQueryAnswers());
    }

    /**
     * @param provider its name
     * @return its contract
     * @throws IllegalArgumentException when there is no such provider
     */
    public ProviderContract contract(String provider) {
        ProviderContract contract = contracts.get(provider);
        if (contract == null) {
            throw new IllegalArgumentException("Provider: found '" + provider + "', allowed are " + names());
        }
        return contract;
    }

    /** @return the names of all providers, sorted */
    public Set<String> names() {
        return new TreeSet<>(contracts.keySet());
    }

    /**
     * @param provider its name
     * @return its gate on this node, or null when there is no such provider here
     */
    public ProviderGate gate(String provider) {
        return gates.get(provider);
    }

    /** @return name of this node, as it stands in attempts and histories */
    public String node() {
        return node;
    }
}
