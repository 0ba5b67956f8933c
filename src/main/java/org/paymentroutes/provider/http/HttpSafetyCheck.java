package org.paymentroutes.provider.http;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.camel.CamelContext;
import org.apache.camel.EndpointAware;
import org.apache.camel.Processor;
import org.apache.camel.Route;
import org.apache.camel.StartupListener;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.spring.boot.CamelContextConfiguration;
import org.springframework.stereotype.Component;

/**
 * Refuses to start when an HTTP setting could make one attempt two requests or let a message steer a call. The components
 * http and https are two instances: a switch for one does not reach the other, and only https is used in production.
 */
@Component
public final class HttpSafetyCheck implements CamelContextConfiguration, StartupListener {

    private static final String MONEY_ROUTE = "-post";

    @Override
    public void beforeApplicationStart(CamelContext camelContext) {
        try {
            camelContext.addStartupListener(this);
        } catch (Exception e) {
            throw new IllegalStateException("The HTTP safety check could not be registered, not starting", e);
        }
    }

    @Override
    public void afterApplicationStart(CamelContext camelContext) {
        // The check has run before the first consumer started.
    }

    /**
     * Checks both components and every POST route, before any consumer is started.
     *
     * @throws IllegalStateException with all findings in one message: field, found, allowed
     */
    @Override
    public void onCamelContextStarted(CamelContext context, boolean alreadyStarted) {
        List<String> findings = new ArrayList<>();
        for (String scheme : List.of("http", "https")) {
            checkComponent(scheme, context.getComponent(scheme, HttpComponent.class), findings);
        }
        findings.addAll(findings(context.getRoutes()));
        if (!findings.isEmpty()) {
            throw new IllegalStateException("Unsafe HTTP settings, not starting: " + String.join("; ", findings));
        }
    }

    /**
     * @param routes that were added and are not started yet
     * @return a sentence for each unsafe setting in those that send money: field, found, allowed
     */
    public List<String> findings(Collection<Route> routes) {
        List<String> findings = new ArrayList<>();
        for (Route route : routes) {
            // The id of a route in a template is not taken over by Camel, so the address counts as well.
            if (route.getRouteId().endsWith(MONEY_ROUTE) || route.getEndpoint().getEndpointUri().endsWith(MONEY_ROUTE)) {
                checkRoute(route, findings);
            }
        }
        return findings;
    }

    private static void checkComponent(String scheme, HttpComponent component, List<String> findings) {
        String prefix = "camel.component." + scheme + ".";
        require(prefix + "automatic-retries-disabled", component.isAutomaticRetriesDisabled(), true, findings);
        require(prefix + "follow-redirects", component.isFollowRedirects(), false, findings);
        require(prefix + "skip-control-headers", component.isSkipControlHeaders(), true, findings);
        require(prefix + "copy-headers", component.isCopyHeaders(), false, findings);
    }

    private static void checkRoute(Route route, List<String> findings) {
        for (Processor step : route.filter("*")) {
            if (step instanceof EndpointAware aware && aware.getEndpoint() instanceof HttpEndpoint endpoint) {
                checkEndpoint("route " + route.getRouteId() + " ", endpoint, findings);
            }
        }
    }

    private static void checkEndpoint(String prefix, HttpEndpoint endpoint, List<String> findings) {
        URI address = endpoint.getHttpUri();
        if (address.getRawQuery() != null) {
            // A misspelt option is not an error for Camel: it becomes a parameter that the provider gets.
            findings.add(prefix + "address: found the query parameters " + parameterNames(address.getRawQuery())
                    + ", allowed are none (is an option misspelt?)");
        }
        if (address.getRawUserInfo() != null) {
            findings.add(prefix + "address: found user info, allowed is none (use the authorization property)");
        }
        require(prefix + "skipControlHeaders", endpoint.isSkipControlHeaders(), true, findings);
        require(prefix + "copyHeaders", endpoint.isCopyHeaders(), false, findings);
        require(prefix + "followRedirects", endpoint.isFollowRedirects(), false, findings);
        require(prefix + "uses ProviderHttpClient", endpoint.getHttpClientConfigurer() instanceof ProviderHttpClient, true,
                findings);
    }

    private static List<String> parameterNames(String query) {
        List<String> names = new ArrayList<>();
        for (String pair : query.split("&")) {
            names.add(pair.split("=", 2)[0]);
        }
        return names;
    }

    private static void require(String field, boolean found, boolean allowed, List<String> findings) {
        if (found != allowed) {
            findings.add(field + ": found " + found + ", allowed is " + allowed);
        }
    }
}
