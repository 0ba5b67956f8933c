package org.paymentroutes.sandbox;

import java.time.Instant;

/** What a POST answers. {@link Booking#id()} is null where the request was not executed. */
public enum PostAnswer {
    /** 200 and what the books say. */
    TRUTH((b, s) -> Answer.json(200, PaymentJson.truth(b.payment(), b.id()))),
    /** {@link #TRUTH}, seconds later. */
    SLOW_TRUTH((b, s) -> TRUTH.of(b, s).delayedBy(s.slowMs(b.payment().script()))),
    /** Nothing, seconds later. */
    SLOW_CLOSE((b, s) -> Answer.empty(200).delivered(Delivery.CLOSED).delayedBy(s.slowMs(b.payment().script()))),
    /** Nothing. */
    CLOSE((b, s) -> Answer.empty(200).delivered(Delivery.CLOSED)),
    /** RST. */
    RESET((b, s) -> Answer.empty(200).delivered(Delivery.RESET)),
    /** {@link #TRUTH}, byte by byte. */
    TRICKLE((b, s) -> TRUTH.of(b, s).delivered(Delivery.TRICKLE)),
    /** {@link #TRUTH} in 50 MB. */
    HUGE((b, s) -> TRUTH.of(b, s).delivered(Delivery.HUGE)),
    /** {@link #TRUTH}, cut by length. */
    TRUNCATED_LENGTH((b, s) -> TRUTH.of(b, s).delivered(Delivery.TRUNCATED_LENGTH)),
    /** {@link #TRUTH}, cut in a chunk. */
    TRUNCATED_CHUNK((b, s) -> TRUTH.of(b, s).delivered(Delivery.TRUNCATED_CHUNK)),
    /** {@link #TRUTH}, half of its gzip. */
    TRUNCATED_GZIP((b, s) -> TRUTH.of(b, s).delivered(Delivery.TRUNCATED_GZIP)),
    /** {@link #TRUTH}, cut by the close. */
    TRUNCATED_CLOSE((b, s) -> TRUTH.of(b, s).delivered(Delivery.TRUNCATED_CLOSE)),

    /** 503 with a page and no Retry-After. */
    HTML_503((b, s) -> Answer.html(503, "<html><body><h1>503 Service Unavailable</h1></body></html>")),
    /** 503, Retry-After of a day. */
    HTML_503_DAY((b, s) -> HTML_503.of(b, s).withHeader("Retry-After: 86400")),
    /** 503, Retry-After as a date. */
    HTML_503_DATE((b, s) -> HTML_503.of(b, s).withHeader("Retry-After: " + RetryAfter.httpDate(s.clock().instant().plusSeconds(25)))),
    /** 503, Retry-After from the table of odd ones. */
    HTML_503_ODD((b, s) -> withOddRetryAfter(HTML_503.of(b, s), b.payment().script(), s.clock().instant())),
    /** 503 for the first request, {@link #TRUTH} for later ones. */
    HTML_503_THEN_TRUTH((b, s) -> b.payment().received() == 1 ? HTML_503.of(b, s) : TRUTH.of(b, s)),
    /** 502 with a page. */
    HTML_502((b, s) -> Answer.html(502, "<html><body><h1>502 Bad Gateway</h1><p>edge</p></body></html>")),
    /** 500 with JSON. */
    JSON_500((b, s) -> Answer.json(500, PaymentJson.error("internal_error"))),
    /** 429 as Stripe's lock_timeout. */
    LOCK_TIMEOUT_429((b, s) -> Answer.json(429, PaymentJson.error("lock_timeout")).withHeader("Retry-After: 1")),
    /** 429 from the rate limiter, before anything was executed. */
    THROTTLED_429((b, s) -> Answer.json(429, PaymentJson.error("rate_limited")).withHeader("Retry-After: 1")),
    /** 302 with a Location. */
    REDIRECT_302((b, s) -> Answer.empty(302).withHeader("Location: " + s.redirectLocation(b.payment()))),
    /** 307 with a Location. */
    REDIRECT_307((b, s) -> Answer.empty(307).withHeader("Location: " + s.redirectLocation(b.payment()))),
    /** 308 with a Location. */
    REDIRECT_308((b, s) -> Answer.empty(308).withHeader("Location: " + s.redirectLocation(b.payment()))),

    /** 200 with a page. */
    HTML_200((b, s) -> Answer.html(200, "<html><body>Thank you. Your request has been received.</body></html>")),
    /** 200 with JSON that is no payment. */
    MAINTENANCE_200((b, s) -> Answer.json(200, "{\"message\":\"We are down for maintenance.\"}")),
    /** 200 with nothing. */
    EMPTY_200((b, s) -> Answer.empty(200)),
    /** 200 with two statuses. */
    DUPLICATE_KEY((b, s) -> status(b, "\"DECLINED\",\"status\":\"SUCCEEDED\"")),
    /** 204. */
    NO_CONTENT_204((b, s) -> Answer.empty(204)),
    /** 204 with a body, which HTTP forbids. */
    NO_CONTENT_204_GZIP((b, s) -> Answer.empty(204).delivered(Delivery.NO_CONTENT_GZIP)),
    /** 202 with nothing. */
    ACCEPTED_202((b, s) -> Answer.empty(202)),
    /** 202 with status PENDING. */
    PENDING_202((b, s) -> Answer.json(202, PaymentJson.of(b.payment(), b.id(), "\"PENDING\""))),
    /** 402 with status DECLINED. */
    DECLINED_402((b, s) -> Answer.json(402, PaymentJson.truth(b.payment(), b.id()))),

    /** 200, an internal error as the status. */
    INTERNAL_IN_JSON((b, s) -> status(b, "\"INTERNAL_SERVER_ERROR\"")),
    /** 200, a time-out as the status. */
    TIMED_OUT_IN_JSON((b, s) -> status(b, "\"TIMED_OUT\"")),
    /** 200, a status of no contract. */
    UNKNOWN_STATUS((b, s) -> status(b, "\"SUCCEEDED_PENDING_REVIEW\"")),
    /** 200, status null. */
    NULL_STATUS((b, s) -> status(b, "null")),
    /** 200, no status. */
    MISSING_STATUS((b, s) -> Answer.json(200, PaymentJson.of(b.payment(), b.id(), b.payment().reference(), ""))),
    /** 200, status in lower case. */
    LOWERCASE_STATUS((b, s) -> status(b, "\"succeeded\"")),
    /** 200, status 1. */
    NUMBER_STATUS((b, s) -> status(b, "1")),
    /** 200 about a payment of somebody else. */
    OTHER_REFERENCE((b, s) -> Answer.json(200, PaymentJson.of(b.payment(), b.id(),
            new StringBuilder(b.payment().reference()).reverse() + "x", "\"status\":\"SUCCEEDED\","))),

    /** 409, the first request with this key is still running. */
    CONFLICT_409((b, s) -> Answer.json(409, PaymentJson.error("request_in_progress"))),
    /** 422, it was captured before. */
    CAPTURED_422((b, s) -> Answer.json(422, PaymentJson.error("ORDER_ALREADY_CAPTURED"))),
    /** 400, the key belongs to other content. */
    KEY_REUSED_400((b, s) -> Answer.json(400, PaymentJson.error("idempotency_key_reused"))),
    /** 409, the number belongs to an earlier request. */
    DUPLICATE_NUMBER_409((b, s) -> Answer.json(409, PaymentJson.error("duplicate_number")));

    private interface Part {
        Answer of(Booking booking, Stage stage);
    }

    private final Part part;

    PostAnswer(Part part) {
        this.part = part;
    }

    /** The answer for that booking. */
    Answer of(Booking booking, Stage stage) {
        return part.of(booking, stage);
    }

    private static Answer status(Booking booking, String statusJson) {
        return Answer.json(200, PaymentJson.of(booking.payment(), booking.id(), statusJson));
    }

    static Answer withOddRetryAfter(Answer answer, Script script, Instant now) {
        Answer result = answer;
        for (String value : RetryAfter.odd(script.number(), now)) {
            result = result.withHeader("Retry-After: " + value);
        }
        return result;
    }
}
