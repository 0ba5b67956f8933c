package org.paymentroutes.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.UUID;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.core.env.Environment;

/** Calls the running application over real HTTP as one of its embedded users. */
@TestComponent
public class Api {

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Environment environment;
    private final Path data;

    Api(Environment environment, @Value("${payment-routes.data}") Path data) {
        this.environment = environment;
        this.data = data;
    }

    /** @return the port of the running server */
    public int port() {
        return environment.getRequiredProperty("local.server.port", Integer.class);
    }

    /** @return the value of an Authorization header for a user named like a role */
    public String login(String user) {
        try {
            String password = Files.readString(data.resolve("credentials")).strip();
            return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return a request to build on, with a login; no user for an anonymous one */
    public HttpRequest.Builder request(String user, String path) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create("http://localhost:" + port() + path));
        return user == null ? builder : builder.header("Authorization", login(user));
    }

    /** @return the answer to a GET as this user */
    public HttpResponse<String> get(String user, String path) {
        return send(request(user, path).GET());
    }

    /** @return the answer to a POST of JSON as this user */
    public HttpResponse<String> post(String user, String path, String json) {
        return send(request(user, path).header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    /** @return the answer to a payment request of user caller under this key; null for no key */
    public HttpResponse<String> pay(String key, String json) {
        HttpRequest.Builder builder = request("caller", "/api/payments").header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json));
        return send(key == null ? builder : builder.header("Idempotency-Key", key));
    }

    /** @return a fresh idempotency key */
    public static String key() {
        return UUID.randomUUID().toString();
    }

    /** @return the answer */
    public HttpResponse<String> send(HttpRequest.Builder builder) {
        try {
            return client.send(builder.build(), HttpResponse.BodyHandlers.ofString());
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
