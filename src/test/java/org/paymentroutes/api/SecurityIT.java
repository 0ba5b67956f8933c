package org.paymentroutes.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;

/** Proves who may do what over HTTP, and that nobody else may do anything. */
@ApplicationTest
class SecurityIT {

    @Autowired
    Api api;
    @Value("${payment-routes.data}")
    Path data;

    @ParameterizedTest
    @ValueSource(strings = {"/api/payments", "/api/payments/x", "/api/ledger/balances", "/api/providers", "/api/nothing",
        "/actuator/prometheus", "/actuator/hawtio", "/actuator/jolokia", "/actuator/env", "/actuator", "/nothing"})
    void asksAnonymousForALogin(String path) {
        HttpResponse<String> answer = api.get(null, path);
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("WWW-Authenticate")).hasValueSatisfying(value -> assertThat(value).startsWith("Basic"));
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
        assertThat(answer.body()).contains("/problems/unauthorized");
    }

    @Test
    void refusesAWrongPasswordAndAnUnknownUserAlike() {
        for (String login : new String[] {"caller:wrong", "nobody:wrong", ":", "caller"}) {
            HttpResponse<String> answer = api.send(api.request(null, "/api/payments").GET().header("Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(login.getBytes())));
            assertThat(answer.statusCode()).as(login).isEqualTo(401);
            assertThat(answer.body()).contains("/problems/unauthorized").doesNotContain("wrong\"");
        }
    }

    @ParameterizedTest
    @CsvSource({"viewer, 403", "operator, 403", "approver, 403", "admin, 403", "caller, 415"})
    void letsOnlyCallersPay(String user, int status) {
        assertThat(api.send(api.request(user, "/api/payments").POST(HttpRequest.BodyPublishers.noBody())).statusCode())
                .isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({"caller, /api/ledger/balances, 403", "caller, /api/providers, 403", "caller, /actuator/prometheus, 403",
        "caller, /actuator/jolokia, 403", "viewer, /api/ledger/balances, 200", "viewer, /actuator/prometheus, 200",
        "operator, /api/providers, 200", "approver, /actuator/jolokia, 403"})
    void keepsRolesApart(String user, String path, int status) {
        HttpResponse<String> answer = api.get(user, path);
        assertThat(answer.statusCode()).isEqualTo(status);
        if (status == 403) {
            assertThat(answer.body()).contains("/problems/forbidden");
        }
    }

    @Test
    void answersHealthToEverybodyWithoutDetails() {
        HttpResponse<String> answer = api.get(null, "/actuator/health");
        assertThat(answer.body()).doesNotContain("components", "details", "PostgreSQL");
        assertThat(answer.statusCode()).isIn(200, 503);
    }

    @Test
    void keepsNoSessionAndSetsSaneHeaders() {
        HttpResponse<String> answer = api.get("viewer", "/api/payments");
        assertThat(answer.headers().map().keySet()).doesNotContain("set-cookie");
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(answer.headers().firstValue("X-Frame-Options")).hasValue("DENY");
        assertThat(answer.headers().firstValue("Content-Security-Policy").orElse("")).contains("default-src 'none'");
        assertThat(answer.headers().firstValue("Cache-Control").orElse("")).contains("no-store");
    }

    @Test
    void keepsTheGeneratedPasswordFromOthersOnThisMachine() throws Exception {
        assertThat(Files.getPosixFilePermissions(data.resolve("credentials"))).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(Files.getPosixFilePermissions(data.resolve("fingerprint.key"))).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
}
