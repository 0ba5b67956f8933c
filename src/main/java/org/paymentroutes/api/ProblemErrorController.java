package org.paymentroutes.api;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.web.servlet.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;

/** Words every error that no route has answered (no such path, method not allowed, refused address) as a problem. */
@Controller
class ProblemErrorController implements ErrorController {

    @RequestMapping("${server.error.path:/error}")
    void error(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        of(status instanceof Integer code ? code : HttpStatus.NOT_FOUND.value()).write(response);
    }

    static Problem of(int status) {
        HttpStatus known = HttpStatus.resolve(status);
        if (status == HttpStatus.NOT_FOUND.value()) {
            return PaymentReads.notFound();
        }
        if (status == HttpStatus.METHOD_NOT_ALLOWED.value()) {
            return Problem.of("method-not-allowed", "This resource has no such method.", status, null);
        }
        if (status >= HttpStatus.INTERNAL_SERVER_ERROR.value()) {
            return status == HttpStatus.SERVICE_UNAVAILABLE.value() ? Problems.unavailable()
                    : Problem.of("internal", "The request could not be handled.", status, null);
        }
        return Problem.of("bad-request", known == null ? "The request is refused." : known.getReasonPhrase(), status, null);
    }
}
