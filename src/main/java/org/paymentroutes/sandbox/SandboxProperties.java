package org.paymentroutes.sandbox;

import java.nio.file.Path;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the sandbox provider behaves; prefix {@code sandbox}.
 *
 * @param enabled true starts the sandbox inside this application
 * @param address network address to listen on; loopback unless a deployer says otherwise
 * @param port TCP port; 0 takes any free one
 * @param token the bearer token that callers must send; anything else is answered 401
 * @param books the journal file with every request and every movement of money; created when missing
 * @param latencyMs milliseconds that every answer to a payment waits
 * @param idempotency what a repeated request does
 * @param keyLifetimeMs milliseconds after which an idempotency key is forgotten; 0 means never
 * @param queryLagMs milliseconds for which a new payment is invisible to the query
 * @param query what the query can be asked by
 * @param behaviour the behaviour of every payment whose request names none, such as {@code close_paid}; empty
 *     takes one from {@code mix}
 * @param mix weighted behaviours, such as {@code ok:90,close_paid:5,slow_paid/3:5}
 * @param seed with the reference decides which behaviour of the mix a payment gets, so that a run can be repeated
 * @param slowMs milliseconds that {@code slow_*} waits when it names no seconds of its own
 * @param trickleMs milliseconds between two bytes of {@code trickle_paid}
 * @param pendingMs milliseconds for which {@code pending_*} says PENDING
 * @param redirectLocation where {@code redirect_*} points; empty means this server's own {@code /redirected}, which
 *     moves the money again
 * @param webhook where events go
 * @param settlementDirectory folder for settlement files
 */
@ConfigurationProperties("sandbox")
public record SandboxProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("127.0.0.1") String address,
        @DefaultValue("0") int port,
        @DefaultValue("sandbox-token") String token,
        @DefaultValue("data/sandbox/books.ndjson") Path books,
        @DefaultValue("0") long latencyMs,
        @DefaultValue("KEY") Idempotency idempotency,
        @DefaultValue("0") long keyLifetimeMs,
        @DefaultValue("0") long queryLagMs,
        @DefaultValue("BY_REFERENCE") QueryBy query,
        @DefaultValue("") String behaviour,
        @DefaultValue("ok:1") String mix,
        @DefaultValue("1") long seed,
        @DefaultValue("5000") long slowMs,
        @DefaultValue("700") long trickleMs,
        @DefaultValue("2000") long pendingMs,
        @DefaultValue("") String redirectLocation,
        @DefaultValue Webhook webhook,
        @DefaultValue("data/sandbox/settlement") Path settlementDirectory) {

    /** What a repeated request does. */
    public enum Idempotency {
        /** Every request moves money. */
        NONE,
        /** A request with a known {@code Idempotency-Key} gets the first one's result; other content is refused. */
        KEY,
        /** A second request with the same reference is refused, with or without a key. */
        UNIQUE_NUMBER
    }

    /** What the query can be asked by. */
    public enum QueryBy {
        /** By our reference, and by the provider's id as well. */
        BY_REFERENCE,
        /** Only by the provider's id. */
        BY_ID,
        /** There is no query. */
        NONE
    }

    /**
     * Where events go.
     *
     * @param url address that gets a POST for each event; empty sends none
     * @param secret key of the signature
     * @param nextSecret a second key that signs too, while keys change; empty for none
     * @param scheme how events are signed
     * @param percent of all payments that are told at all
     * @param duplicates how often each event is sent again although it was taken
     * @param delayMs milliseconds before an event is sent; 0 sends it before the request is answered
     * @param disorder true tells that a payment is in progress after it has ended
     */
    public record Webhook(@DefaultValue("") String url, @DefaultValue("sandbox-webhook-secret") String secret,
            @DefaultValue("") String nextSecret, @DefaultValue("TIMESTAMPED_HMAC") WebhookScheme scheme, @DefaultValue("100") int percent,
            @DefaultValue("0") int duplicates, @DefaultValue("0") long delayMs, @DefaultValue("false") boolean disorder) {
    }
}
