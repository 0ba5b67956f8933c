package org.paymentroutes.api;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.paymentroutes.payment.FieldError;
import org.springframework.http.MediaType;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Takes the body off the wire before anything interprets it: JSON only, at most 64 KiB however it is sent, kept as the
 * bytes that came. That only JSON is taken also keeps out what a foreign web page could make a browser send.
 */
final class RequestBodyFilter extends OncePerRequestFilter {

    /** Largest body in bytes. */
    static final int BODY_MAX = 64 * 1024;
    private static final String ATTRIBUTE = RequestBodyFilter.class.getName();
    private static final Set<String> BODILESS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    /** @return the bytes of the body; empty when there is none */
    static byte[] bodyOf(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof byte[] body ? body : new byte[0];
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        byte[] body = new byte[0];
        if (!BODILESS.contains(request.getMethod())) {
            if (!isJson(request.getContentType())) {
                Problem.of("unsupported-media-type", "The body must be JSON.", 415, null)
                        .with(List.of(new FieldError("Content-Type", request.getContentType(), "application/json, in UTF-8")))
                        .write(response);
                return;
            }
            if (request.getContentLengthLong() <= BODY_MAX) {
                body = request.getInputStream().readNBytes(BODY_MAX + 1);
            }
            if (request.getContentLengthLong() > BODY_MAX || body.length > BODY_MAX) {
                Problem.of("too-large", "The body is too large.", 413, null)
                        .with(List.of(new FieldError("body", "more than " + BODY_MAX + " bytes", "at most " + BODY_MAX + " bytes")))
                        .write(response);
                return;
            }
        }
        request.setAttribute(ATTRIBUTE, body);
        chain.doFilter(new BufferedRequest(request, body), response);
    }

    private static boolean isJson(String contentType) {
        try {
            MediaType type = MediaType.parseMediaType(contentType == null ? "" : contentType);
            return "application".equals(type.getType()) && "json".equals(type.getSubtype())
                    && (type.getCharset() == null || StandardCharsets.UTF_8.equals(type.getCharset()));
        }
        catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static final class BufferedRequest extends HttpServletRequestWrapper {

        private final byte[] body;

        BufferedRequest(HttpServletRequest request, byte[] body) {
            super(request);
            this.body = body;
        }

        @Override
        public ServletInputStream getInputStream() {
            ByteArrayInputStream bytes = new ByteArrayInputStream(body);
            return new ServletInputStream() {
                @Override
                public int read() {
                    return bytes.read();
                }

                @Override
                public boolean isFinished() {
                    return bytes.available() == 0;
                }

                @Override
                public boolean isReady() {
                    return true;
                }

                @Override
                public void setReadListener(ReadListener listener) {
                    throw new IllegalStateException("the body has been read");
                }
            };
        }

        @Override
        public BufferedReader getReader() {
            return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
        }
    }
}
