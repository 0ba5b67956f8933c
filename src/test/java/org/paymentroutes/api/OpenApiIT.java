package org.paymentroutes.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.camel.CamelContext;
import org.junit.jupiter.api.Test;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * Proves that the served description is the running API: the same operations, every example is accepted, and every
 * answer, good or bad, fits its schema.
 */
@ApplicationTest
class OpenApiIT {

    private static final ObjectMapper JSON = new ObjectMapper();

    @Autowired
    Api api;
    @Autowired
    CamelContext camel;

    @Test
    void describesExactlyTheOperationsThatTheRestRoutesServe() throws Exception {
        Set<String> documented = new TreeSet<>();
        document().path("paths").properties().forEach(path -> path.getValue().fieldNames().forEachRemaining(
                method -> documented.add(method.toUpperCase() + " " + path.getKey())));
        Set<String> served = new TreeSet<>();
        camel.getRestRegistry().listAllRestServices().forEach(service ->
                served.add(service.getMethod().toUpperCase() + " " + service.getBaseUrl().replaceFirst("^https?://[^/]+", "")
                        + (service.getUriTemplate() == null ? "" : service.getUriTemplate())));
        assertThat(served.stream().map(path -> path.replaceAll("/+", "/")).toList()).containsExactlyInAnyOrderElementsOf(documented);
    }

    @Test
    void servesTheDocumentToEverybodyInBothForms() {
        assertThat(api.get(null, "/api/openapi.json").statusCode()).isEqualTo(200);
        HttpResponse<String> yaml = api.get(null, "/api/openapi.yaml");
        assertThat(yaml.statusCode()).isEqualTo(200);
        assertThat(yaml.body()).startsWith("openapi: 3.0.3");
    }

    @Test
    void acceptsEveryExampleOfARequest() throws Exception {
        JsonNode content = document().at("/paths/~1api~1payments/post/requestBody/content/application~1json");
        for (JsonNode example : content.path("examples")) {
            ObjectNode body = example.path("value").deepCopy();
            fits("#/components/schemas/PaymentRequest", body.toString());
            body.put("sourceReference", body.path("sourceReference").asText() + UUID.randomUUID());
            HttpResponse<String> answer = api.pay("\"" + Api.key() + "\"", body.toString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
            fits("#/components/schemas/Receipt", answer.body());
        }
        for (String operation : new String[] {"pause", "resume"}) {
            JsonNode examples = document().path("paths").path("/api/providers/{name}/" + operation)
                    .at("/post/requestBody/content/application~1json/examples");
            for (JsonNode example : examples) {
                HttpResponse<String> answer = api.post("operator", "/api/providers/acme/" + operation, example.path("value").toString());
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                fits("#/components/schemas/Provider", answer.body());
            }
        }
    }

    @Test
    void fitsEveryExampleOfAnAnswerToItsSchema() throws Exception {
        List<JsonNode> contents = new ArrayList<>(document().findValues("content"));
        int examples = 0;
        for (JsonNode content : contents) {
            for (JsonNode media : content) {
                if (media.has("example")) {
                    fits(media.at("/schema/$ref").asText(), media.path("example").toString());
                    examples++;
                }
            }
        }
        assertThat(examples).isGreaterThan(8);
    }

    @Test
    void answersAsItsSchemasSay() throws Exception {
        HttpResponse<String> accepted = api.pay(Api.key(), """
                {"sourceReference":"r-%s","operation":"PAYOUT","provider":"acme","amountMinor":5,"currency":"EUR","recipient":"t"}"""
                .formatted(UUID.randomUUID()));
        String id = JSON.readTree(accepted.body()).path("paymentId").asText();
        fits("#/components/schemas/Payment", api.get("viewer", "/api/payments/" + id).body());
        fits("#/components/schemas/PaymentPage", api.get("viewer", "/api/payments?limit=1").body());
        fits("#/components/schemas/Balances", api.get("viewer", "/api/ledger/balances").body());
        fits("#/components/schemas/ProviderList", api.get("viewer", "/api/providers").body());
        String page = api.get("viewer", "/api/review/cases?state=all&limit=1").body();
        fits("#/components/schemas/CasePage", page);
        for (JsonNode item : JSON.readTree(page).path("items")) {
            fits("#/components/schemas/Case", api.get("viewer", item.at("/links/self").asText()).body());
        }
        for (HttpResponse<String> problem : List.of(api.pay(null, "{}"), api.pay(Api.key(), "{"), api.pay(Api.key(), "{}"),
                api.get("caller", "/api/payments/x"), api.get(null, "/api/payments"), api.get("caller", "/api/providers"),
                api.get("viewer", "/api/payments?limit=x"))) {
            assertThat(problem.statusCode()).isGreaterThanOrEqualTo(400);
            fits("#/components/schemas/Problem", problem.body());
            assertThat(JSON.readTree(problem.body()).path("status").asInt()).isEqualTo(problem.statusCode());
        }
    }

    private JsonNode document() throws Exception {
        return JSON.readTree(api.get(null, "/api/openapi.json").body());
    }

    private void fits(String reference, String body) throws Exception {
        ObjectNode schema = JSON.createObjectNode().put("$ref", reference);
        schema.set("components", document().path("components"));
        Schema compiled = SchemaRegistry.withDialect(Dialects.getOpenApi30()).getSchema(schema.toString(), InputFormat.JSON);
        assertThat(compiled.validate(body, InputFormat.JSON)).as(reference + " for " + body).isEmpty();
    }
}
