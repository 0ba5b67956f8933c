package org.paymentroutes.provider;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.ThreadPoolProfileBuilder;
import org.apache.camel.util.concurrent.ThreadPoolRejectedPolicy;
import org.paymentroutes.metrics.PaymentMetrics;
import org.paymentroutes.payment.RefusedProviders;
import org.paymentroutes.support.NamedSql;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/** The providers of this application: their contracts and, on this node, their gates and workers. */
@Component("providers")
public class Providers implements RefusedProviders {

    private static final Logger LOG = LoggerFactory.getLogger(Providers.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String REFUSED = "CONTRACT_REFUSED";

    private final NamedParameterJdbcTemplate database;
    private final TransactionTemplate transaction;
    private final String node;
    private final PaymentMetrics metrics;
    private final Map<String, ProviderContract> registered = new ConcurrentHashMap<>();
    private final Map<String, ProviderContract> contracts = new ConcurrentHashMap<>();
    private final Map<String, ProviderGate> gates = new ConcurrentHashMap<>();
    private final Map<String, String> refusals = new ConcurrentHashMap<>();
    private final Map<String, String> refusedFiles = new ConcurrentHashMap<>();
    private final Map<String, String> files = new ConcurrentHashMap<>();
    private final Map<String, List<ExecutorService>> pools = new ConcurrentHashMap<>();

    Providers(NamedParameterJdbcTemplate database, DataSource dataSource, @Value("${payment-routes.node}") String node,
            PaymentMetrics metrics) {
        this.database = database;
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        this.node = node;
        this.metrics = metrics;
    }

    /**
     * Makes a checked contract the one that the database computes with, all of it or nothing.
     *
     * @param file where it stands, for the message; null when it is not from a file
     * @throws ContractRefusedException when the database cannot compute with it; nothing is changed then
     */
    void register(String file, String provider, ProviderContract contract) {
        List<String> problems = new ArrayList<>();
        Map<String, Integer> exponents = new HashMap<>();
        database.query("select code, exponent from currency", row -> {
            exponents.put(row.getString(1), row.getInt(2));
        });
        for (Operation operation : Operation.values()) {
            contract.rules(operation).atLeastOnceUpTo().forEach((currency, amount) -> {
                Integer exponent = exponents.get(currency);
                if (exponent == null || amount.stripTrailingZeros().scale() > exponent) {
                    problems.add("option resend.atLeastOnceUpTo: found " + currency + "=" + amount.toPlainString() + ", allowed is "
                            + (exponent == null ? "an active currency of ISO 4217" : "an amount with at most " + exponent + " decimals"));
                }
            });
        }
        if (!problems.isEmpty()) {
            throw new ContractRefusedException(file, provider, problems.stream().distinct().toList());
        }
        transaction.executeWithoutResult(status -> {
            database.update(NamedSql.load("register-provider"), parameters(provider, contract));
            for (Operation operation : Operation.values()) {
                database.update(NamedSql.load("register-operation"), parameters(provider, operation, contract.rules(operation)));
            }
            database.update(NamedSql.load("seal-operations"), new MapSqlParameterSource("name", provider));
            ExposurePolicy exposure = contract.getExposure();
            database.update(NamedSql.load("register-exposure"), new MapSqlParameterSource("name", provider)
                    .addValue("maxCount", exposure.getMaxCount() == 0 ? null : exposure.getMaxCount())
                    .addValue("maxAmounts", exposure.amountsJson())
                    .addValue("resumePercent", exposure.getResumePercent()));
            clearRefusal(provider);
        });
        registered.put(provider, contract);
        refusals.remove(provider);
        if (file != null) {
            files.put(provider, file);
            // What was refused under the name of the file, because no contract could be read in it, is mended with it.
            refusals.keySet().removeIf(name -> !registered.containsKey(name) && file.equals(refusedFiles.get(name)) && clearRefusal(name));
        }
    }

    private boolean clearRefusal(String provider) {
        database.queryForList("select clear_alert(:kind, :provider, :node)",
                new MapSqlParameterSource("kind", REFUSED).addValue("provider", provider).addValue("node", node));
        return true;
    }

    /** Takes away a contract whose routes do not start: its payments wait as those of a refused one. What the database has stays. */
    void withdraw(CamelContext camel, String provider) {
        registered.remove(provider);
        contracts.remove(provider);
        gates.remove(provider);
        files.remove(provider);
        List<ExecutorService> unused = pools.remove(provider);
        if (unused != null) {
            unused.forEach(camel.getExecutorServiceManager()::shutdown);
        }
    }

    /** Keeps a refused contract from being used, and tells of it: log, alert and health. What runs and what the database has stays. */
    void refuse(ContractRefusedException refusal) {
        refusals.put(refusal.provider(), refusal.getMessage());
        if (refusal.file() != null) {
            refusedFiles.put(refusal.provider(), refusal.file());
        }
        LOG.error("Contract refused, the other providers go on. {}", refusal.getMessage());
        try {
            database.queryForList("select raise_alert(:kind, :provider, 'CRITICAL', :message)", new MapSqlParameterSource("kind", REFUSED)
                    .addValue("provider", refusal.provider()).addValue("message", refusal.getMessage()));
        }
        catch (DataAccessException e) {
            LOG.error("The alert about provider {} was not recorded: {}", refusal.provider(), e.getClass().getSimpleName());
        }
    }

    /**
     * Creates what the outbox route of a registered provider refers to: {@code <provider>-gate}, {@code <provider>-wakeup}
     * and {@code <provider>-workers}. In place of earlier ones, when a contract is loaded again.
     */
    void activate(CamelContext camel, String provider) {
        ProviderContract contract = registered.get(provider);
        Wakeup wakeup = new Wakeup(contract.getSend().getPollMs());
        ProviderGate gate = new ProviderGate(provider, node, contract.getSend(), wakeup);
        SendPolicy send = contract.getSend();
        int parallel = contract.getQuery().getParallel();
        camel.getRegistry().bind(provider + "-wakeup", wakeup);
        camel.getRegistry().bind(provider + "-gate", gate);
        ExecutorService workers = pool(camel, provider + "-worker", send.getWorkers(), send.getWorkers());
        ExecutorService queries = pool(camel, provider + "-query", parallel, 1000);
        camel.getRegistry().bind(provider + "-workers", workers);
        camel.getRegistry().bind(provider + "-query-workers", queries);
        contracts.put(provider, contract);
        gates.put(provider, gate);
        List<ExecutorService> earlier = pools.put(provider, List.of(workers, queries));
        if (earlier != null) {
            earlier.forEach(camel.getExecutorServiceManager()::shutdown);
        }
        metrics.watch(gate);
    }

    /** Says in the log what becomes of the UNKNOWN payments of a provider that runs now. */
    void announce(String provider) {
        LOG.info("Recovery plan\n{}", plan(provider).text());
    }

    /**
     * @param provider its name
     * @return what becomes of its UNKNOWN payments
     * @throws IllegalArgumentException when there is no such provider here
     */
    public RecoveryPlan plan(String provider) {
        return RecoveryPlan.of(provider, files.get(provider), contract(provider));
    }

    /** @return the contract that is in the database for this provider; null when none of this node is */
    ProviderContract registered(String provider) {
        return registered.get(provider);
    }

    /** @return the names of all whose contract is checked and in the database, sorted */
    Set<String> registered() {
        return new TreeSet<>(registered.keySet());
    }

    /** @return the file that its contract stands in; null when it is not from a file */
    String file(String provider) {
        return files.get(provider);
    }

    /** @return whether the contract of this provider is checked and in the database */
    boolean isRegistered(String provider) {
        return registered.containsKey(provider);
    }

    /** A provider that runs by its last good contract, because only a reload was refused, is not refused. */
    @Override
    public boolean isRefused(String provider) {
        return provider != null && refusals.containsKey(provider) && !registered.containsKey(provider);
    }

    /** @return why contracts are refused on this node, by provider, sorted; a provider may still run by its last good one */
    public Map<String, String> refusals() {
        return new TreeMap<>(refusals);
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
                .addValue("queryBy", query.getBy().name())
                .addValue("queryRatePerMinute", query.getRatePerMinute())
                .addValue("queryRetentionMs", query.getRetentionMs())
                .addValue("canRefund", contract.isRefunds())
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

    private static MapSqlParameterSource parameters(String provider, Operation operation, ResendRules rules) {
        Map<String, String> amounts = new TreeMap<>();
        rules.atLeastOnceUpTo().forEach((currency, amount) -> amounts.put(currency, amount.toPlainString()));
        try {
            return new MapSqlParameterSource()
                    .addValue("provider", provider)
                    .addValue("operation", operation.name())
                    .addValue("sameKey", rules.sameKey())
                    .addValue("keyLifetimeMs", rules.keyLifetimeMs(), Types.BIGINT)
                    .addValue("keyMarginMs", rules.keyMarginMs(), Types.BIGINT)
                    .addValue("notFoundFinal", rules.notFoundFinal())
                    .addValue("notFoundMin", rules.notFoundMin())
                    .addValue("visibleAfterMs", rules.visibleAfterMs(), Types.BIGINT)
                    .addValue("arrivalLimitMs", rules.arrivalLimitMs(), Types.BIGINT)
                    .addValue("retryCodes", rules.retryCodes().toArray(String[]::new))
                    .addValue("retryMax", rules.retryMax())
                    .addValue("retryDelayMs", rules.retryDelayMs())
                    .addValue("atLeastOnceUpTo", JSON.writeValueAsString(amounts))
                    .addValue("atLeastOnceAcceptance", rules.acceptance(), Types.VARCHAR)
                    .addValue("resendMax", rules.max());
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException("a map of texts is always JSON", e);
        }
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
