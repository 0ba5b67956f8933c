package org.paymentroutes.provider.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.component.http.HttpConstants;

/**
 * What goes into a request and what is kept of its answer. Every header that is not named is dropped, both ways, so that
 * neither an inbound message steers a call nor an answer steers the route after it.
 */
public final class ProviderHttpMessage {

    /** Variable with the path of a query call, relative to the address of the template. */
    public static final String PATH = "httpPath";
    /** Variable with the query string of a query call, encoded; may be absent. */
    public static final String QUERY = "httpQuery";

    private static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9-]{1,64}");
    private static final Pattern HEADER_VALUE = Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]{0,1022}[\\x21-\\x7e])?");
    private static final Pattern CLEAN_PATH = Pattern.compile("(?=.{1,512}$)[A-Za-z0-9_~.-]+(/[A-Za-z0-9_~.-]+)*");
    private static final Pattern DOT_SEGMENT = Pattern.compile("(^|.*/)\\.{1,2}(/.*|$)");
    private static final Pattern CLEAN_QUERY = Pattern.compile("(?=.{1,1024}$)([A-Za-z0-9_~.,:@=&+-]|%[0-9A-Fa-f]{2})+");
    private static final Set<String> FRAMING = Set.of("host", "connection", "content-length", "content-encoding",
            "content-type", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive", "proxy-authorization");

    private List<String> headers = List.of();
    private List<String> answerHeaders = List.of();

    /**
     * Makes the message a request with our headers only and the body as bytes, in UTF-8 whatever the platform.
     *
     * @param exchange body is byte[] or String
     * @throws RequestNotSentException if the body or a header value cannot be sent
     */
    public void post(Exchange exchange) throws RequestNotSentException {
        Message message = exchange.getMessage();
        Object body = message.getBody();
        byte[] bytes;
        if (body instanceof byte[] given) {
            bytes = given;
        } else if (body instanceof String text) {
            bytes = text.getBytes(StandardCharsets.UTF_8);
        } else {
            throw invalid("body: found " + (body == null ? "none" : body.getClass().getSimpleName())
                    + ", allowed is byte[] or String");
        }
        keepOnly(message, headers);
        message.setHeader(Exchange.CONTENT_TYPE, "application/json");
        message.setBody(bytes);
    }

    /**
     * Makes the message a query for the path in variable {@link #PATH}.
     *
     * @param exchange its variables hold the path and, if there is one, the query string
     * @throws RequestNotSentException if the path, the query string or a header value cannot be sent
     */
    public void get(Exchange exchange) throws RequestNotSentException {
        String path = exchange.getVariable(PATH, String.class);
        if (path == null || !CLEAN_PATH.matcher(path).matches() || DOT_SEGMENT.matcher(path).matches()) {
            throw invalid("variable httpPath: allowed is a relative path of letters, digits, '_', '~', '.' and '-'"
                    + " without empty or dot segments");
        }
        String query = exchange.getVariable(QUERY, String.class);
        if (query != null && !CLEAN_QUERY.matcher(query).matches()) {
            throw invalid("variable httpQuery: allowed is an encoded query string");
        }
        Message message = exchange.getMessage();
        keepOnly(message, headers);
        message.setHeader(HttpConstants.HTTP_PATH, path);
        if (query != null) {
            message.setHeader(HttpConstants.HTTP_QUERY, query);
        }
        message.setBody(null);
    }

    /**
     * Keeps the status code, the allowed headers and the bytes of an answer.
     *
     * @param exchange holds the answer; afterwards the body is a byte[], empty if there was none
     */
    public void answer(Exchange exchange) {
        Message message = exchange.getMessage();
        byte[] bytes = message.getBody(byte[].class);
        Object status = message.getHeader(HttpConstants.HTTP_RESPONSE_CODE);
        Map<String, Object> kept = new LinkedHashMap<>();
        for (String name : answerHeaders) {
            Object value = message.getHeader(name);
            if (value != null) {
                kept.put(name, value);
            }
        }
        message.removeHeaders("*");
        message.setHeader(HttpConstants.HTTP_RESPONSE_CODE, status);
        kept.forEach(message::setHeader);
        message.setBody(bytes == null ? new byte[0] : bytes);
    }

    private static void keepOnly(Message message, List<String> names) throws RequestNotSentException {
        Map<String, String> kept = new LinkedHashMap<>();
        for (String name : names) {
            Object value = message.getHeader(name);
            if (value == null) {
                continue;
            }
            if (!(value instanceof String text) || !HEADER_VALUE.matcher(text).matches()) {
                throw invalid("header " + name + ": allowed is one line of 1 to 1024 printable ASCII characters");
            }
            kept.put(name, text);
        }
        message.removeHeaders("*");
        kept.forEach(message::setHeader);
    }

    private static RequestNotSentException invalid(String why) {
        return new RequestNotSentException(SendFailure.Code.INVALID_REQUEST, new IllegalArgumentException(why));
    }

    /**
     * @param headers comma list of the header names that are sent; may be empty
     * @throws IllegalArgumentException if a name is not a header name, or is one that this layer or Camel sets itself
     */
    public void setHeaders(String headers) {
        this.headers = names("headers", headers);
        for (String name : this.headers) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (FRAMING.contains(lower) || lower.startsWith("camel")) {
                throw new IllegalArgumentException("headers: found " + name + ", allowed are names that do not steer the call");
            }
        }
    }

    /**
     * @param answerHeaders comma list of the answer's header names that the caller gets; may be empty
     * @throws IllegalArgumentException if a name is not a header name
     */
    public void setAnswerHeaders(String answerHeaders) {
        this.answerHeaders = names("answerHeaders", answerHeaders);
    }

    private static List<String> names(String option, String list) {
        if (list == null || list.isBlank()) {
            return List.of();
        }
        List<String> names = Arrays.stream(list.split(",", -1)).map(String::strip).toList();
        for (String name : names) {
            if (!HEADER_NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(option + ": found '" + name
                        + "', allowed is a comma list of names of letters, digits and '-'");
            }
        }
        return names;
    }
}
