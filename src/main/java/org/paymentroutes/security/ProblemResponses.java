package org.paymentroutes.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.paymentroutes.api.Problem;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;

/** Says who is not let in, and why, as a problem. */
final class ProblemResponses implements AuthenticationEntryPoint, AccessDeniedHandler {

    private final boolean bearer;

    /** @param bearer whether access tokens are accepted too */
    ProblemResponses(boolean bearer) {
        this.bearer = bearer;
    }

    @Override
    public void commence(HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
            throws IOException {
        if (failure instanceof AuthenticationServiceException) {
            Problem.of("unavailable", "The login cannot be checked at the moment.", 503, null).retryAfter(1).write(response);
            return;
        }
        response.addHeader("WWW-Authenticate", "Basic realm=\"payment-routes\", charset=\"UTF-8\"");
        if (bearer) {
            response.addHeader("WWW-Authenticate", "Bearer realm=\"payment-routes\"");
        }
        Problem.of("unauthorized", "A login is needed.", 401, "There is no valid login with this request.").write(response);
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, AccessDeniedException failure)
            throws IOException {
        Problem.of("forbidden", "This login may not do this.", 403, "Its roles do not include this operation.").write(response);
    }
}
