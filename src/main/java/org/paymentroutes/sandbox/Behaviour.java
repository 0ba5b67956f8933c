package org.paymentroutes.sandbox;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Everything the sandbox can do to a caller, one word each. The word is the constant in lower case.
 *
 * <p>Each constant says in this order: what the request does to the money, what the POST answers, what the query
 * answers, and the same as a sentence. A name with {@code _paid} means that the money moved all the same.
 */
public enum Behaviour {
    OK(Execution.PAYS, PostAnswer.TRUTH, QueryAnswer.TRUTH, "Pays and says so."),

    UNAVAILABLE_503_PAID(Execution.PAYS, PostAnswer.HTML_503, QueryAnswer.TRUTH, "Pays, then answers 503."),
    UNAVAILABLE_503_UNPAID(Execution.LOSES_FIRST, PostAnswer.HTML_503, QueryAnswer.TRUTH, "Answers 503 and did nothing; a second request is executed."),
    UNAVAILABLE_503_DAY_PAID(Execution.PAYS, PostAnswer.HTML_503_DAY, QueryAnswer.TRUTH, "Pays, then 503 with Retry-After of a day."),
    UNAVAILABLE_503_DATE_PAID(Execution.PAYS, PostAnswer.HTML_503_DATE, QueryAnswer.TRUTH, "Pays, then 503 with Retry-After as a date 25 s ahead."),
    UNAVAILABLE_503_RETRY_AFTER_PAID(Execution.PAYS, PostAnswer.HTML_503_ODD, QueryAnswer.TRUTH, "Pays, then 503 with the N-th odd Retry-After (see RetryAfter)."),
    LOCKTIMEOUT_429_PAID(Execution.PAYS, PostAnswer.LOCK_TIMEOUT_429, QueryAnswer.TRUTH, "Pays, then 429 lock timeout with Retry-After 1."),
    THROTTLED_429_UNPAID(Execution.LOSES_FIRST, PostAnswer.THROTTLED_429, QueryAnswer.TRUTH, "429 with Retry-After 1, not executed; a second request is executed."),
    HTML_502_PAID(Execution.PAYS, PostAnswer.HTML_502, QueryAnswer.TRUTH, "Pays; a proxy answers 502 with a page."),
    ERROR_500_PAID(Execution.PAYS, PostAnswer.JSON_500, QueryAnswer.TRUTH, "Pays, then 500; the same key learns the truth."),
    STORED_500_PAID(Execution.PAYS_AND_STORES_ANSWER, PostAnswer.JSON_500, QueryAnswer.TRUTH, "Pays, then 500 for every request with this key; the query knows better."),
    REDIRECT_302(Execution.PAYS, PostAnswer.REDIRECT_302, QueryAnswer.TRUTH, "Pays, then 302; following it gives a 200 that proves nothing."),
    REDIRECT_307(Execution.PAYS, PostAnswer.REDIRECT_307, QueryAnswer.TRUTH, "Pays, then 307; following it pays again."),
    REDIRECT_308(Execution.PAYS, PostAnswer.REDIRECT_308, QueryAnswer.TRUTH, "Pays, then 308; following it pays again."),

    SLOW_PAID(Execution.PAYS, PostAnswer.SLOW_TRUTH, QueryAnswer.TRUTH, "Pays at once, answers after N seconds."),
    SLOW_UNPAID(Execution.LOSES_FIRST, PostAnswer.SLOW_CLOSE, QueryAnswer.TRUTH, "Closes after N seconds and did nothing; a second request is executed."),
    TRICKLE_PAID(Execution.PAYS, PostAnswer.TRICKLE, QueryAnswer.TRUTH, "Pays, then answers one byte at a time."),
    CLOSE_PAID(Execution.PAYS, PostAnswer.CLOSE, QueryAnswer.TRUTH, "Pays, then closes without a byte."),
    CLOSE_UNPAID(Execution.LOSES_FIRST, PostAnswer.CLOSE, QueryAnswer.TRUTH, "Closes without a byte and did nothing; a second request is executed."),
    RESET_PAID(Execution.PAYS, PostAnswer.RESET, QueryAnswer.TRUTH, "Pays, then resets the connection."),

    TRUNCATED_LENGTH_PAID(Execution.PAYS, PostAnswer.TRUNCATED_LENGTH, QueryAnswer.TRUTH, "Pays; the body is shorter than its Content-Length."),
    TRUNCATED_CHUNK_PAID(Execution.PAYS, PostAnswer.TRUNCATED_CHUNK, QueryAnswer.TRUTH, "Pays; the body ends inside a chunk."),
    TRUNCATED_GZIP_PAID(Execution.PAYS, PostAnswer.TRUNCATED_GZIP, QueryAnswer.TRUTH, "Pays; half a gzip stream."),
    TRUNCATED_CLOSE_PAID(Execution.PAYS, PostAnswer.TRUNCATED_CLOSE, QueryAnswer.TRUTH, "Pays; half a JSON, ended by the close."),
    HTML_200_PAID(Execution.PAYS, PostAnswer.HTML_200, QueryAnswer.TRUTH, "Pays, then 200 with a page."),
    JSON_MAINTENANCE_200(Execution.LOSES_FIRST, PostAnswer.MAINTENANCE_200, QueryAnswer.TRUTH, "200 with a maintenance message, not executed; a second request is executed."),
    EMPTY_200_PAID(Execution.PAYS, PostAnswer.EMPTY_200, QueryAnswer.TRUTH, "Pays, then 200 without a body."),
    HUGE_BODY_PAID(Execution.PAYS, PostAnswer.HUGE, QueryAnswer.TRUTH, "Pays, then 50 MB of JSON."),
    DUPLICATE_JSON_KEY_PAID(Execution.PAYS, PostAnswer.DUPLICATE_KEY, QueryAnswer.TRUTH, "Pays; the JSON has two statuses."),
    NO_CONTENT_204_PAID(Execution.PAYS, PostAnswer.NO_CONTENT_204, QueryAnswer.TRUTH, "Pays, then 204."),
    NO_CONTENT_204_GZIP_PAID(Execution.PAYS, PostAnswer.NO_CONTENT_204_GZIP, QueryAnswer.TRUTH, "Pays, then a 204 that has a gzip body."),
    ACCEPTED_202_EMPTY_PAID(Execution.PAYS, PostAnswer.ACCEPTED_202, QueryAnswer.TRUTH, "Pays, then 202 without a body."),

    PENDING_202(Execution.PAYS, PostAnswer.PENDING_202, QueryAnswer.PENDING_THEN_TRUTH, "202 PENDING; bound to pay (counted as moved), SUCCEEDED after the lag."),
    PENDING_THEN_DECLINED(Execution.DECLINES, PostAnswer.PENDING_202, QueryAnswer.PENDING_THEN_TRUTH, "202 PENDING, DECLINED after the lag."),
    DECLINED_200(Execution.DECLINES, PostAnswer.TRUTH, QueryAnswer.TRUTH, "200 with status DECLINED and a code."),
    DECLINED_402(Execution.DECLINES, PostAnswer.DECLINED_402, QueryAnswer.TRUTH, "402 with status DECLINED and a code."),
    INTERNAL_IN_JSON_PAID(Execution.PAYS, PostAnswer.INTERNAL_IN_JSON, QueryAnswer.TRUTH, "Pays, then 200 with INTERNAL_SERVER_ERROR in the JSON."),
    TIMED_OUT_IN_JSON_PAID(Execution.PAYS, PostAnswer.TIMED_OUT_IN_JSON, QueryAnswer.TRUTH, "Pays, then 200 with TIMED_OUT in the JSON."),
    UNKNOWN_STATUS(Execution.PAYS, PostAnswer.UNKNOWN_STATUS, QueryAnswer.TRUTH, "Pays; the status is a word of no contract that contains SUCC."),
    NULL_STATUS(Execution.PAYS, PostAnswer.NULL_STATUS, QueryAnswer.TRUTH, "Pays; the status is null."),
    MISSING_STATUS(Execution.PAYS, PostAnswer.MISSING_STATUS, QueryAnswer.TRUTH, "Pays; there is no status."),
    LOWERCASE_STATUS(Execution.PAYS, PostAnswer.LOWERCASE_STATUS, QueryAnswer.TRUTH, "Pays; the status is 'succeeded'."),
    NUMBER_STATUS(Execution.PAYS, PostAnswer.NUMBER_STATUS, QueryAnswer.TRUTH, "Pays; the status is 1."),

    CONFLICT_409_INPROGRESS_PAID(Execution.PAYS, PostAnswer.CONFLICT_409, QueryAnswer.TRUTH, "Pays, then 409 request in progress."),
    ALREADY_CAPTURED_422_PAID(Execution.PAYS_AND_STORES_ANSWER, PostAnswer.CAPTURED_422, QueryAnswer.TRUTH, "Pays, then 422 ORDER_ALREADY_CAPTURED."),
    KEY_REUSED_400(Execution.NEVER, PostAnswer.KEY_REUSED_400, QueryAnswer.TRUTH, "400 key used with other parameters; never executed."),
    FLAKY(Execution.PAYS_EACH_TIME, PostAnswer.HTML_503_THEN_TRUTH, QueryAnswer.TRUTH, "Takes the key and ignores it: 503 first, then 200, and money moves each time."),
    WRONG_AMOUNT_PAID(Execution.PAYS, PostAnswer.TRUTH, QueryAnswer.TRUTH, "Pays; POST and query name an amount one unit higher."),
    WRONG_CURRENCY_PAID(Execution.PAYS, PostAnswer.TRUTH, QueryAnswer.TRUTH, "Pays; POST and query name another currency."),
    OTHER_REFERENCE_PAID(Execution.PAYS, PostAnswer.OTHER_REFERENCE, QueryAnswer.TRUTH, "Pays; the POST answers about another reference, the query about ours."),
    SAME_PROVIDER_ID(Execution.PAYS, PostAnswer.TRUTH, QueryAnswer.TRUTH, "Pays; each two payments share one provider id."),

    QUERY_NOTFOUND_THEN_OK(Execution.PAYS, PostAnswer.CLOSE, QueryAnswer.NOT_FOUND_THEN_TRUTH, "Pays and closes; two queries find nothing, then the truth."),
    QUERY_NOTFOUND(Execution.LOSES_FIRST, PostAnswer.CLOSE, QueryAnswer.TRUTH, "Closes and did nothing; the query finds nothing, a second request is executed."),
    QUERY_NOTFOUND_PAID(Execution.PAYS, PostAnswer.CLOSE, QueryAnswer.NOT_FOUND, "Pays and closes; the query never finds it (a provider that breaks its contract)."),
    QUERY_403(Execution.PAYS, PostAnswer.CLOSE, QueryAnswer.FORBIDDEN, "Pays and closes; the query answers 403."),
    QUERY_UNKNOWN_WORD(Execution.PAYS, PostAnswer.CLOSE, QueryAnswer.UNKNOWN_WORD, "Pays and closes; the query answers EXPIRED_RESERVED."),
    QUERY_REVERSED(Execution.PAYS, PostAnswer.CLOSE, QueryAnswer.REVERSED, "Pays and closes; the query answers REVERSED."),
    QUERY_500_THEN_OK(Execution.PAYS, PostAnswer.CLOSE, QueryAnswer.ERROR_THEN_TRUTH, "Pays and closes; two queries answer 500, then the truth."),
    QUERY_429_THEN_OK(Execution.PAYS, PostAnswer.CLOSE, QueryAnswer.THROTTLED_THEN_TRUTH, "Pays and closes; two queries answer 429 with the N-th odd Retry-After (see RetryAfter), then the truth."),
    QUERY_FLAPPING(Execution.PAYS, PostAnswer.CLOSE, QueryAnswer.FLAPPING, "Pays and closes; the query says PENDING, not found and SUCCEEDED in turn.");

    private static final Map<String, Behaviour> BY_WORD =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Behaviour::word, Function.identity()));

    private final Execution execution;
    private final PostAnswer post;
    private final QueryAnswer query;
    private final String meaning;

    Behaviour(Execution execution, PostAnswer post, QueryAnswer query, String meaning) {
        this.execution = execution;
        this.post = post;
        this.query = query;
        this.meaning = meaning;
    }

    /** The word that a request or the configuration uses. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What the POST does to the money. */
    public Execution execution() {
        return execution;
    }

    /** What the POST answers. */
    public PostAnswer post() {
        return post;
    }

    /** What the query answers. */
    public QueryAnswer query() {
        return query;
    }

    /** One sentence for people. */
    public String meaning() {
        return meaning;
    }

    /** The behaviour of that word; empty when there is none. */
    public static Optional<Behaviour> of(String word) {
        return Optional.ofNullable(BY_WORD.get(word));
    }
}
