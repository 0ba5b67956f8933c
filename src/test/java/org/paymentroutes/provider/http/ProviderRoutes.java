package org.paymentroutes.provider.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.builder.TemplatedRouteBuilder;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.jsse.SSLContextParameters;
import org.paymentroutes.wire.CountingServer;

/** The real route templates in a plain Camel context, set up as the application sets it up. */
final class ProviderRoutes implements AutoCloseable {

    static final long DEADLINE_MS = 3000;

    private final CamelContext context = new DefaultCamelContext();
    private final ProducerTemplate producer;

    ProviderRoutes() throws Exception {
        for (String scheme : new String[] {"http", "https"}) {
            HttpComponent component = context.getComponent(scheme, HttpComponent.class);
            component.setAutomaticRetriesDisabled(true);
            component.setSkipControlHeaders(true);
            component.setCopyHeaders(false);
        }
        context.addStartupListener(new HttpSafetyCheck());
        load("classpath:wire/payment-safety.camel.yaml");
        load("file:routes/templates/provider-http.camel.yaml");
        producer = context.createProducerTemplate();
    }

    /** Adds the routes of a YAML file. */
    ProviderRoutes load(String location) throws Exception {
        PluginHelper.getRoutesLoader(context).loadRoutes(PluginHelper.getResourceLoader(context).resolveResource(location));
        return this;
    }

    /** Lets a test change a component before the templates make endpoints of it. */
    ProviderRoutes component(String scheme, Consumer<HttpComponent> change) {
        change.accept(context.getComponent(scheme, HttpComponent.class));
        return this;
    }

    CamelContext context() {
        return context;
    }

    /** Trusts a test's own key under the name "testTls". */
    ProviderRoutes trust(SSLContextParameters parameters) {
        context.getRegistry().bind("testTls", parameters);
        return this;
    }

    ProviderRoutes property(String name, String value) {
        context.getPropertiesComponent().addInitialProperty(name, value);
        return this;
    }

    /** Adds route "acme-post" to a plain server. */
    ProviderRoutes post(CountingServer server, String... parameters) throws Exception {
        return template("provider-http", "acme", "http://localhost:" + server.port() + "/pay", parameters);
    }

    /** Adds route "acme-post" to a TLS server, trusting "testTls". */
    ProviderRoutes postTls(int port, String... parameters) throws Exception {
        String[] all = new String[parameters.length + 2];
        System.arraycopy(parameters, 0, all, 2, parameters.length);
        all[0] = "sslContextParameters";
        all[1] = "#bean:testTls";
        return template("provider-http", "acme", "https://localhost:" + port + "/pay", all);
    }

    ProviderRoutes template(String template, String provider, String url, String... parameters) throws Exception {
        Map<String, Object> all = new LinkedHashMap<>(Map.of("provider", provider, "url", url,
                "connectTimeoutMs", "1000", "deadlineMs", DEADLINE_MS));
        for (int i = 0; i < parameters.length; i += 2) {
            all.put(parameters[i], parameters[i + 1]);
        }
        String id = provider + ("provider-http".equals(template) ? "-post" : "-get");
        TemplatedRouteBuilder.builder(context, template).routeId(id).prefixId(id + "-").parameters(all).add();
        return this;
    }

    ProviderRoutes start() {
        context.start();
        return this;
    }

    /** Calls direct:acme-post with a body and headers (name, value, name, value ...). */
    Exchange send(Object body, Object... headers) {
        return request("direct:acme-post", body, Map.of(), headers);
    }

    Exchange request(String endpoint, Object body, Map<String, Object> variables, Object... headers) {
        return producer.request(endpoint, exchange -> {
            exchange.getMessage().setBody(body);
            variables.forEach(exchange::setVariable);
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getMessage().setHeader((String) headers[i], headers[i + 1]);
            }
        });
    }

    @Override
    public void close() throws Exception {
        producer.close();
        context.close();
    }
}
