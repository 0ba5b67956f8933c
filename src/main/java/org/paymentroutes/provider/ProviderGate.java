package org.paymentroutes.provider;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.spi.PollingConsumerPollStrategy;
import org.paymentroutes.payment.TechnicalFailure;

/**
 * Decides how many payments of one provider may be claimed now: no more than there are idle workers, than its rate
 * allows, than its circuit lets through. It stands before the claim, so that an open circuit leaves payments PENDING
 * and never makes one UNKNOWN. An operator's pause is in the database and in the claim itself.
 */
public final class ProviderGate implements PollingConsumerPollStrategy {

    private static final String EXPOSURE_STOPPED = "PR025";

    private final String provider;
    private final String node;
    private final SendPolicy policy;
    private final CircuitBreaker circuit;
    private final RateLimiter rate;
    private final Wakeup wakeup;
    private final Map<String, Clock> inFlight = new ConcurrentHashMap<>();
    private volatile Clock polledAt = Clock.now();
    private volatile int claimable;
    private int halfOpenPermits;

    ProviderGate(String provider, String node, SendPolicy policy, Wakeup wakeup) {
        this.provider = provider;
        this.node = node;
        this.policy = policy;
        this.wakeup = wakeup;
        this.circuit = CircuitBreaker.of(provider, CircuitBreakerConfig.custom()
                .slidingWindowSize(policy.getCircuitWindow())
                .minimumNumberOfCalls(policy.getCircuitWindow())
                .failureRateThreshold(policy.getCircuitFailurePercent())
                .waitDurationInOpenState(Duration.ofMillis(policy.getCircuitOpenMs()))
                .permittedNumberOfCallsInHalfOpenState(3)
                .automaticTransitionFromOpenToHalfOpenEnabled(true)
                .build());
        this.rate = policy.getRatePerSecond() == 0 ? null : RateLimiter.of(provider, RateLimiterConfig.custom()
                .limitForPeriod(policy.getRatePerSecond())
                .limitRefreshPeriod(Duration.ofSeconds(1))
                .timeoutDuration(Duration.ZERO)
                .build());
        circuit.getEventPublisher().onStateTransition(event -> wakeup.wake());
    }

    /** Both clocks at one moment: the monotonic one stands still while a machine sleeps, the other one can be set. */
    private record Clock(long nanos, long millis) {

        static Clock now() {
            return new Clock(System.nanoTime(), System.currentTimeMillis());
        }

        long elapsedMs() {
            return Math.max(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos), System.currentTimeMillis() - millis);
        }
    }

    /** @return the name of the provider */
    public String getProvider() {
        return provider;
    }

    /** @return the name of this node */
    public String getNode() {
        return node;
    }

    /** @return how many payments this poll may claim */
    public int getClaimable() {
        return claimable;
    }

    /** @return requests that may be on the wire at the same time */
    public int getWorkers() {
        return policy.getWorkers();
    }

    /** @return workers that have nothing to do */
    public int getIdle() {
        return Math.max(0, policy.getWorkers() - inFlight.size());
    }

    /** @return CLOSED, OPEN or HALF_OPEN */
    public String getCircuit() {
        return circuit.getState().name();
    }

    @Override
    public boolean begin(Consumer consumer, Endpoint endpoint) {
        inFlight.values().removeIf(claimed -> claimed.elapsedMs() > 10L * policy.getLeaseMs());
        // Taken before the claim is sent, so that a lease counted from here never outlives the one in the database.
        polledAt = Clock.now();
        int free = getIdle();
        if (rate != null) {
            free = Math.min(free, Math.max(0, rate.getMetrics().getAvailablePermissions()));
        }
        halfOpenPermits = 0;
        switch (circuit.getState()) {
            case HALF_OPEN -> {
                while (halfOpenPermits < free && circuit.tryAcquirePermission()) {
                    halfOpenPermits++;
                }
                free = halfOpenPermits;
            }
            case OPEN, FORCED_OPEN -> free = 0;
            default -> {
            }
        }
        claimable = free;
        return free > 0;
    }

    @Override
    public void commit(Consumer consumer, Endpoint endpoint, int polledMessages) {
        giveBackPermits(polledMessages);
        if (rate != null && polledMessages > 0) {
            rate.acquirePermission(polledMessages);
        }
        if (polledMessages > 0 && polledMessages == claimable) {
            wakeup.wake();
        }
    }

    @Override
    public boolean rollback(Consumer consumer, Endpoint endpoint, int retryCounter, Exception cause) throws Exception {
        giveBackPermits(0);
        if (TechnicalFailure.is(cause) || isStopped(cause)) {
            // Nothing was claimed; the next poll tries again, and health tells of the outage.
            return false;
        }
        throw cause;
    }

    /** The money in doubt reached its limit while the claim was made; the next poll sees the stop. */
    private static boolean isStopped(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && EXPOSURE_STOPPED.equals(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    private void giveBackPermits(int used) {
        for (int i = used; i < halfOpenPermits; i++) {
            circuit.releasePermission();
        }
        halfOpenPermits = 0;
    }

    /** A worker takes a claimed payment. */
    void taken(String attempt) {
        inFlight.put(attempt, polledAt);
    }

    /** @return whether the claim still holds, with time left for a whole request; unknown attempts hold nothing */
    boolean leaseHolds(String attempt) {
        Clock claimed = inFlight.get(attempt);
        return claimed != null && claimed.elapsedMs() < policy.getLeaseMs() - policy.getDeadlineMs();
    }

    /** The attempt is recorded (or given up): its worker is idle again, and the circuit learns from it. */
    void released(String attempt, boolean providerWorks) {
        Clock claimed = inFlight.remove(attempt);
        if (claimed == null) {
            return;
        }
        if (providerWorks) {
            circuit.onSuccess(claimed.elapsedMs(), TimeUnit.MILLISECONDS);
        }
        else {
            circuit.onError(claimed.elapsedMs(), TimeUnit.MILLISECONDS, new IllegalStateException("no usable answer"));
        }
        wakeup.wake();
    }

    /** There may be something to claim. */
    void wake() {
        wakeup.wake();
    }
}
