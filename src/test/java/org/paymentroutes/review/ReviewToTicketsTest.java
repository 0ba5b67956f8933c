package org.paymentroutes.review;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import jakarta.jms.JMSContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.camel.component.jms.JmsComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Database;
import org.paymentroutes.support.Decisions;
import org.paymentroutes.support.Payments;
import org.springframework.jms.connection.JmsTransactionManager;

/**
 * The example runs as it is shipped, in an integration of its own, on real messages of the database, against a ticket
 * system that is down at first.
 */
class ReviewToTicketsTest {

    private static final String BROKER = "vm://78";

    private record Request(String query, String key, String login, JsonNode body) {
    }

    @Test
    void eachCaseHasOneTicketAlsoWhenTheTicketSystemIsDownForAWhile() throws Exception {
        List<Request> requests = new CopyOnWriteArrayList<>();
        HttpServer tickets = ticketSystem(requests);
        EmbeddedActiveMQ broker = new EmbeddedActiveMQ().setConfiguration(new ConfigurationImpl().setPersistenceEnabled(false)
                .setSecurityEnabled(false).addAcceptorConfiguration("vm", BROKER)).start();
        try (Database database = Database.create();
                ActiveMQConnectionFactory connections = new ActiveMQConnectionFactory(BROKER);
                DefaultCamelContext platform = new DefaultCamelContext()) {
            Payments payments = new Payments(database, "acme");
            UUID id = payments.in("REVIEW");
            new Decisions(database).decided(id, "CONFIRM_FAILED", "{}");
            List<Map<String, Object>> messages = database.run("claim-review-messages", Map.of("node", "node"));
            assertThat(messages).extracting(row -> row.get("what")).containsExactly("OPENED", "PROPOSED", "CLOSED");

            JmsComponent jms = JmsComponent.jmsComponent(connections);
            jms.setTransactionManager(new JmsTransactionManager(connections));
            platform.addComponent("jms", jms);
            platform.getPropertiesComponent().addInitialProperty("tickets.url", "http://localhost:" + tickets.getAddress().getPort() + "/tickets");
            platform.getPropertiesComponent().addInitialProperty("tickets.authorization", "Bearer test");
            PluginHelper.getRoutesLoader(platform).loadRoutes(
                    ResourceHelper.resolveResource(platform, "file:" + Path.of("routes/examples/review-to-tickets.camel.yaml")));
            platform.start();
            try (JMSContext client = connections.createContext()) {
                messages.forEach(row -> client.createProducer().send(client.createQueue("payments.review"), (String) row.get("message")));
            }

            await().atMost(Duration.ofSeconds(30)).until(() -> requests.size() == 6);
            for (Map<String, Object> row : messages) {
                assertThat(requests.stream().filter(request -> request.key().equals(row.get("message_id")))).hasSize(2)
                        .allSatisfy(request -> {
                            assertThat(request.query()).isNull();
                            assertThat(request.login()).isEqualTo("Bearer test");
                            assertThat(request.body().path("externalId").asText()).isEqualTo(id.toString());
                            assertThat(request.body().path("status").asText()).isEqualTo("CLOSED".equals(row.get("what")) ? "closed" : "open");
                            assertThat(request.body().path("text").asText()).isEqualTo("late");
                            assertThat(request.body().at("/context/case/payment/state").asText()).isEqualTo("FAILED");
                        });
            }
        }
        finally {
            broker.stop();
            tickets.stop(0);
        }
    }

    /** A ticket system that refuses each key the first time. */
    private static HttpServer ticketSystem(List<Request> requests) throws Exception {
        HttpServer tickets = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        tickets.createContext("/tickets", exchange -> {
            Request request = new Request(exchange.getRequestURI().getQuery(), exchange.getRequestHeaders().getFirst("Idempotency-Key"),
                    exchange.getRequestHeaders().getFirst("Authorization"), new ObjectMapper().readTree(exchange.getRequestBody()));
            boolean first = requests.stream().noneMatch(seen -> seen.key().equals(request.key()));
            exchange.sendResponseHeaders(first ? 503 : 201, -1);
            exchange.close();
            requests.add(request);
        });
        tickets.start();
        return tickets;
    }
}
