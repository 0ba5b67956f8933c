package org.paymentroutes.sandbox;

/** What a query answers about a payment that is booked and visible. {@link PaymentView#queries()} counts from 1. */
public enum QueryAnswer {
    /** 200 and what the books say. */
    TRUTH((p, s) -> Answer.json(200, PaymentJson.truth(p, p.ids().get(0)))),
    /** PENDING until the lag is over, then {@link #TRUTH}. */
    PENDING_THEN_TRUTH((p, s) -> s.pending(p) ? status(p, "PENDING") : TRUTH.of(p, s)),
    /** 404. */
    NOT_FOUND((p, s) -> notFound()),
    /** 404 twice, then {@link #TRUTH}. */
    NOT_FOUND_THEN_TRUTH((p, s) -> p.queries() <= 2 ? notFound() : TRUTH.of(p, s)),
    /** 403. */
    FORBIDDEN((p, s) -> Answer.json(403, PaymentJson.error("forbidden"))),
    /** An internal word that leaked. */
    UNKNOWN_WORD((p, s) -> status(p, "EXPIRED_RESERVED")),
    /** The money went back. */
    REVERSED((p, s) -> status(p, "REVERSED")),
    /** 500 twice, then {@link #TRUTH}. */
    ERROR_THEN_TRUTH((p, s) -> p.queries() <= 2 ? Answer.json(500, PaymentJson.error("internal_error")) : TRUTH.of(p, s)),
    /** 429 twice, with a Retry-After of the table, then {@link #TRUTH}. */
    THROTTLED_THEN_TRUTH((p, s) -> p.queries() <= 2
            ? PostAnswer.withOddRetryAfter(Answer.json(429, PaymentJson.error("rate_limited")), p.script(), s.clock().instant())
            : TRUTH.of(p, s)),
    /** PENDING, 404 and {@link #TRUTH} in turn. */
    FLAPPING((p, s) -> switch (p.queries() % 3) {
        case 1 -> status(p, "PENDING");
        case 2 -> notFound();
        default -> TRUTH.of(p, s);
    });

    private interface Part {
        Answer of(PaymentView payment, Stage stage);
    }

    private final Part part;

    QueryAnswer(Part part) {
        this.part = part;
    }

    /** The answer for that payment. */
    Answer of(PaymentView payment, Stage stage) {
        return part.of(payment, stage);
    }

    /** 404, as for a reference that nobody has heard of. */
    static Answer notFound() {
        return Answer.json(404, PaymentJson.error("not_found"));
    }

    private static Answer status(PaymentView payment, String status) {
        return Answer.json(200, PaymentJson.of(payment, payment.ids().get(0), "\"" + status + "\""));
    }
}
