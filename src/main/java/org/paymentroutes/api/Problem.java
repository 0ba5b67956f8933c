package org.paymentroutes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.paymentroutes.payment.FieldError;

/**
 * An error answer as RFC 9457 has it.
 *
 * @param type       last part of the type URI {@code /problems/…}
 * @param title      what kind of problem it is; the same for each of its type
 * @param status     HTTP status
 * @param detail     what it is this time, without secrets; null when the title says all
 * @param errors     each wrong field; may be empty
 * @param extensions further members, for example {@code paymentId}; may be empty
 * @param retryAfterS seconds after which the same request may be repeated; 0 for none
 */
public record Problem(String type, String title, int status, String detail, List<FieldError> errors,
        Map<String, Object> extensions, int retryAfterS) {

    /** The media type of all problems. */
    public static final String MEDIA_TYPE = "application/problem+json";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A problem that no field explains. */
    public static Problem of(String type, String title, int status, String detail) {
        return new Problem(type, title, status, detail, List.of(), Map.of(), 0);
    }

    /** @return the same with these wrong fields */
    public Problem with(List<FieldError> wrong) {
        return new Problem(type, title, status, detail, wrong, extensions, retryAfterS);
    }

    /** @return the same with one more member */
    public Problem with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(extensions);
        more.put(name, value);
        return new Problem(type, title, status, detail, errors, more, retryAfterS);
    }

    /** @return the same, to be repeated after so many seconds */
    public Problem retryAfter(int seconds) {
        return new Problem(type, title, status, detail, errors, extensions, seconds);
    }

    /** @return the problem document */
    public String toJson() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("type", "/problems/" + type);
        document.put("title", title);
        document.put("status", status);
        if (detail != null) {
            document.put("detail", detail);
        }
        if (!errors.isEmpty()) {
            document.put("errors", errors);
        }
        document.putAll(extensions);
        try {
            return JSON.writeValueAsString(document);
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException("texts, numbers and field errors are always JSON", e);
        }
    }

    /**
     * Answers with this problem.
     *
     * @param response not yet committed
     * @throws IOException when the client is gone
     */
    public void write(HttpServletResponse response) throws IOException {
        byte[] body = toJson().getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setContentType(MEDIA_TYPE);
        response.setHeader("Cache-Control", "no-store");
        if (retryAfterS > 0) {
            response.setHeader("Retry-After", Integer.toString(retryAfterS));
        }
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        response.flushBuffer();
    }
}
