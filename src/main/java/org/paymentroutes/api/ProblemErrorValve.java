package org.paymentroutes.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;

/** Words what Tomcat itself refuses, such as a malformed request line or header, as a problem instead of a page. */
public final class ProblemErrorValve extends ErrorReportValve {

    @Override
    protected void report(Request request, Response response, Throwable throwable) {
        if (response.getStatus() < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        try {
            byte[] body = ProblemErrorController.of(response.getStatus()).toJson().getBytes(StandardCharsets.UTF_8);
            response.setContentType(Problem.MEDIA_TYPE);
            response.getOutputStream().write(body);
            response.finishResponse();
        }
        catch (IOException | IllegalStateException e) {
            // The client is gone, or part of an answer has left: nothing more can be said to it.
            getContainer().getLogger().debug("error report not written", e);
        }
    }
}
