package org.paymentroutes.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.paymentroutes.support.Api;
import org.paymentroutes.support.ApplicationTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jmx.export.annotation.AnnotationMBeanExporter;

/** Proves that Hawtio's way into JMX only looks: it draws routes, and can neither send, stop, dump nor read secrets. */
@ApplicationTest
class JolokiaIT {

    private static final String CONTEXT = "org.apache.camel:context=payment-routes,type=context,name=\\\"payment-routes\\\"";
    private static final String ROUTE = "org.apache.camel:context=payment-routes,type=routes,name=\\\"intake-http\\\"";

    @Autowired
    Api api;
    @Autowired
    ProviderStops stops;

    @Test
    void drawsRoutes() {
        String routes = call("{\"type\":\"exec\",\"mbean\":\"" + CONTEXT + "\",\"operation\":\"dumpRoutesAsXml()\"}");
        assertThat(routes).contains("\"status\":200", "intake-http-result");
        assertThat(call("{\"type\":\"read\",\"mbean\":\"" + ROUTE + "\",\"attribute\":\"State\"}")).contains("Started");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "context | sendBody(java.lang.String,java.lang.Object) | [\"direct:intake-accept\",\"x\"]",
        "context | requestBody(java.lang.String,java.lang.Object) | [\"direct:intake-accept\",\"x\"]",
        "context | sendStringBody(java.lang.String,java.lang.String) | [\"direct:intake-accept\",\"x\"]",
        "context | stop() | []", "context | suspend() | []", "context | startRoute(java.lang.String) | [\"intake-http\"]",
        "context | addOrUpdateRoutesFromXml(java.lang.String) | [\"<routes/>\"]",
        "context | setProperty(java.lang.String,java.lang.String) | [\"a\",\"b\"]",
        "routes | stop() | []", "routes | suspend() | []", "routes | remove() | []",
        "routes | updateRouteFromXml(java.lang.String) | [\"<route/>\"]"})
    void executesNothingThatCouldMoveMoneyOrStopIt(String type, String operation, String arguments) {
        String bean = type.equals("context") ? CONTEXT : ROUTE;
        assertThat(call("{\"type\":\"exec\",\"mbean\":\"" + bean + "\",\"operation\":\"" + operation + "\",\"arguments\":" + arguments + "}"))
                .contains("\"status\":403");
        assertThat(call("{\"type\":\"read\",\"mbean\":\"" + ROUTE + "\",\"attribute\":\"State\"}")).contains("Started");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "{\"type\":\"read\",\"mbean\":\"java.lang:type=Runtime\",\"attribute\":\"SystemProperties\"}",
        "{\"type\":\"exec\",\"mbean\":\"com.sun.management:type=HotSpotDiagnostic\",\"operation\":\"dumpHeap\",\"arguments\":[\"/tmp/x.hprof\",true]}",
        "{\"type\":\"exec\",\"mbean\":\"java.lang:type=Memory\",\"operation\":\"gc\"}",
        "{\"type\":\"exec\",\"mbean\":\"com.sun.management:type=DiagnosticCommand\",\"operation\":\"vmSystemProperties\"}",
        "{\"type\":\"write\",\"mbean\":\"java.lang:type=Memory\",\"attribute\":\"Verbose\",\"value\":true}",
        "{\"type\":\"exec\",\"mbean\":\"org.springframework.boot:type=Endpoint,name=Env\",\"operation\":\"environment\",\"arguments\":[null]}"})
    void keepsSecretsAndTheProcessOutOfReach(String request) {
        assertThat(call(request)).containsAnyOf("\"status\":403", "\"status\":404").doesNotContain("java.version");
    }

    @Test
    void readsNoSystemPropertyInABundleEither() {
        assertThat(call("{\"type\":\"read\",\"mbean\":\"java.lang:type=Runtime\"}")).doesNotContain("java.class.path");
    }

    @Test
    void stopsAndResumesAProviderAsWhoIsLoggedIn() throws Exception {
        // Tests run without the exporter of Spring Boot, because several applications share this process.
        AnnotationMBeanExporter exporter = new AnnotationMBeanExporter();
        exporter.setServer(ManagementFactory.getPlatformMBeanServer());
        ObjectName name = new ObjectName("org.paymentroutes:type=Providers");
        exporter.registerManagedResource(stops, name);
        try {
            stopsAndResumes();
        }
        finally {
            exporter.unregisterManagedResource(name);
        }
    }

    private void stopsAndResumes() {
        assertThat(stop("operator", "pause", "maintenance")).contains("acme is paused by operator");
        assertThat(api.get("viewer", "/api/providers").body()).contains("\"pausedBy\":\"operator\",\"pausedReason\":\"maintenance\"");
        assertThat(stop("viewer", "resume", "why not")).contains("role operator or admin is needed");
        assertThat(stop("operator", "resume", "")).contains("allowed is why");
        assertThat(stop("operator", "resume", "done")).contains("acme is resumed by operator");
        assertThat(api.get("viewer", "/api/providers/acme/stops").body()).contains("\"PAUSED\"", "\"RESUMED\"", "maintenance");
    }

    private String stop(String user, String operation, String reason) {
        return call(user, "{\"type\":\"exec\",\"mbean\":\"org.paymentroutes:type=Providers\",\"operation\":\"" + operation
                + "\",\"arguments\":[\"acme\",\"" + reason + "\"]}");
    }

    @Test
    void needsItsTokenForEachPost() {
        HttpResponse<String> answer = api.post("operator", "/actuator/jolokia", "{\"type\":\"version\"}");
        assertThat(answer.statusCode()).isEqualTo(403);
    }

    private String call(String request) {
        return call("operator", request);
    }

    private String call(String user, String request) {
        String token = "7c66b8c0-916b-4dbf-971c-779c2957a476";
        HttpResponse<String> answer = api.send(api.request(user, "/actuator/jolokia").header("Content-Type", "application/json")
                .header("Cookie", "XSRF-TOKEN=" + token).header("X-XSRF-TOKEN", token).POST(HttpRequest.BodyPublishers.ofString(request)));
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }
}
