package org.paymentroutes.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.camel.Exchange;
import org.springframework.core.io.ClassPathResource;
import org.springframework.stereotype.Component;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The hand-written description of the API, read once. */
@Component("openApiDocument")
public class OpenApiDocument {

    private final String yaml;
    private final String json;

    OpenApiDocument() throws IOException {
        try (InputStream stream = new ClassPathResource("openapi/payment-routes.yaml").getInputStream()) {
            yaml = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
        json = new ObjectMapper().writeValueAsString(new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml));
    }

    /** Answers with the document as JSON. */
    public void json(Exchange exchange) {
        HttpAnswer.set(exchange, 200, HttpAnswer.JSON, json, Map.of());
    }

    /** Answers with the document as YAML. */
    public void yaml(Exchange exchange) {
        HttpAnswer.set(exchange, 200, "application/yaml", yaml, Map.of());
    }
}
