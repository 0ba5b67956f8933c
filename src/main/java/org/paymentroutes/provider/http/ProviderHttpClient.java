package org.paymentroutes.provider.http;

import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.apache.camel.CamelContext;
import org.apache.camel.CamelContextAware;
import org.apache.camel.component.http.HttpClientConfigurer;
import org.apache.camel.support.service.ServiceSupport;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.DefaultClientConnectionReuseStrategy;
import org.apache.hc.client5.http.impl.DefaultConnectionKeepAliveStrategy;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;

/**
 * The HTTP client of one provider: one call is one request on the wire, ended by one total deadline, with a bounded answer.
 *
 * <p>Nothing here repeats a request: no retry, no redirect, no answer to an authentication challenge; a second request of
 * the same call is refused whoever asks for it. The credential is held here and put on the request below Camel, so that it
 * is never in an exchange, an endpoint address or a management view.
 */
public final class ProviderHttpClient extends ServiceSupport implements HttpClientConfigurer, CamelContextAware {

    private static final int TIMER_THREADS = 2;

    private CamelContext camelContext;
    private long deadlineMs;
    private int maxAnswerBytes;
    private long keepAliveMs;
    private String authorization;
    private String authorizationHeader = "Authorization";
    private ScheduledThreadPoolExecutor timer;

    @Override
    public void configureHttpClient(HttpClientBuilder builder) {
        DeadlineHandler deadline = new DeadlineHandler(deadlineMs, maxAnswerBytes, this::timer, authorizationHeader, secret());
        builder.disableAutomaticRetries()
                .disableRedirectHandling()
                .disableCookieManagement()
                .disableAuthCaching()
                .setTargetAuthenticationStrategy((type, challenges, context) -> List.of())
                .setConnectionReuseStrategy((request, response, context) -> keepAliveMs > 0
                        && DefaultClientConnectionReuseStrategy.INSTANCE
                                .keepAlive(request, response, context))
                .setKeepAliveStrategy(this::keepAlive)
                .addExecInterceptorFirst("payment-deadline", deadline)
                .addExecInterceptorBefore(ChainElement.MAIN_TRANSPORT.name(), "payment-request-starts",
                        (request, scope, chain) -> {
                            Call.of(scope.clientContext).start();
                            return chain.proceed(request, scope);
                        });
    }

    private TimeValue keepAlive(HttpResponse response, HttpContext context) {
        TimeValue asked = DefaultConnectionKeepAliveStrategy.INSTANCE.getKeepAliveDuration(response, context);
        TimeValue ours = TimeValue.ofMilliseconds(keepAliveMs);
        return TimeValue.isPositive(asked) && asked.compareTo(ours) < 0 ? asked : ours;
    }

    private String secret() {
        if (authorization == null) {
            return null;
        }
        String value = camelContext.getPropertiesComponent().resolveProperty(authorization).orElse("").strip();
        if (value.isEmpty()) {
            throw new IllegalArgumentException("authorization: found the property name '" + authorization
                    + "' without a value, allowed is the name of a property that holds the value of the "
                    + authorizationHeader + " header");
        }
        return value;
    }

    private ScheduledThreadPoolExecutor timer() {
        return timer;
    }

    @Override
    protected void doStart() {
        timer = new ScheduledThreadPoolExecutor(TIMER_THREADS, task -> {
            Thread thread = new Thread(task, "provider-http-deadline");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    protected void doStop() {
        timer.shutdownNow();
    }

    @Override
    public CamelContext getCamelContext() {
        return camelContext;
    }

    @Override
    public void setCamelContext(CamelContext camelContext) {
        this.camelContext = camelContext;
    }

    /**
     * @param deadlineMs milliseconds for the whole call, above 0
     * @throws IllegalArgumentException if it is not above 0
     */
    public void setDeadlineMs(long deadlineMs) {
        this.deadlineMs = atLeast("deadlineMs", deadlineMs, 1);
    }

    /**
     * @param maxAnswerBytes largest answer in bytes after decompression, above 0
     * @throws IllegalArgumentException if it is not above 0
     */
    public void setMaxAnswerBytes(int maxAnswerBytes) {
        this.maxAnswerBytes = (int) atLeast("maxAnswerBytes", maxAnswerBytes, 1);
    }

    /**
     * @param keepAliveMs milliseconds an idle connection may be used again; 0 never reuses one
     * @throws IllegalArgumentException if it is below 0
     */
    public void setKeepAliveMs(long keepAliveMs) {
        this.keepAliveMs = atLeast("keepAliveMs", keepAliveMs, 0);
    }

    /** @param authorization name of the property that holds the credential; null or empty sends none */
    public void setAuthorization(String authorization) {
        this.authorization = authorization == null || authorization.isBlank() ? null : authorization.strip();
    }

    /** @param authorizationHeader header that carries the credential; not empty */
    public void setAuthorizationHeader(String authorizationHeader) {
        this.authorizationHeader = authorizationHeader;
    }

    private static long atLeast(String name, long found, long least) {
        if (found < least) {
            throw new IllegalArgumentException(name + ": found " + found + ", allowed is " + least + " or more");
        }
        return found;
    }
}
