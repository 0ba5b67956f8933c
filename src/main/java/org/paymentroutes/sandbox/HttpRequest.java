package org.paymentroutes.sandbox;

import java.util.Map;

/**
 * One parsed HTTP request.
 *
 * @param method as sent
 * @param path without the query string
 * @param query the query string; empty when there is none
 * @param headers by lower-case name; of a repeated header the last one
 * @param body empty when there is none
 * @param keepAlive whether the connection may carry another request
 */
record HttpRequest(String method, String path, String query, Map<String, String> headers, byte[] body, boolean keepAlive) {

    /** The header's value; null when it was not sent. */
    String header(String lowerCaseName) {
        return headers.get(lowerCaseName);
    }

    /** The value of a query parameter; null when it was not sent. Nothing here needs percent-decoding. */
    String parameter(String name) {
        for (String pair : query.split("&")) {
            if (pair.startsWith(name + "=")) {
                return pair.substring(name.length() + 1);
            }
        }
        return null;
    }
}
