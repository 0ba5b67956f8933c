package org.paymentroutes.demo;

import java.util.ArrayList;
import java.util.List;

/** Which misbehaviour each payment of the demo meets: two thirds go well, the others share everything that is known to go wrong. */
final class DemoScript {

    private static final List<String> WRONG = List.of(
            "unavailable_503_paid", "unavailable_503_day_paid", "unavailable_503_date_paid", "unavailable_503_unpaid",
            "locktimeout_429_paid", "throttled_429_unpaid", "html_502_paid", "error_500_paid", "stored_500_paid",
            "redirect_302", "redirect_307", "redirect_308", "slow_paid/3", "slow_unpaid/3", "trickle_paid",
            "close_paid", "close_unpaid", "reset_paid",
            "truncated_length_paid", "truncated_chunk_paid", "truncated_gzip_paid", "truncated_close_paid",
            "html_200_paid", "json_maintenance_200", "empty_200_paid", "huge_body_paid", "duplicate_json_key_paid",
            "no_content_204_paid", "no_content_204_gzip_paid", "accepted_202_empty_paid",
            "pending_202", "pending_then_declined", "declined_200", "declined_402",
            "internal_in_json_paid", "timed_out_in_json_paid",
            "unknown_status", "null_status", "missing_status", "lowercase_status", "number_status",
            "conflict_409_inprogress_paid", "already_captured_422_paid", "key_reused_400", "flaky",
            "wrong_amount_paid", "wrong_currency_paid", "other_reference_paid",
            "query_notfound_then_ok", "query_notfound", "query_notfound_paid", "query_403", "query_unknown_word",
            "query_reversed", "query_500_then_ok", "query_429_then_ok", "query_flapping");

    private DemoScript() {
    }

    /**
     * @param payments how many
     * @return the behaviour of each payment, by its number; the same for the same count
     */
    static List<String> behaviours(int payments) {
        List<String> behaviours = new ArrayList<>(payments);
        for (int i = 0; i < payments; i++) {
            behaviours.add(i % 3 == 1 ? WRONG.get(i / 3 % WRONG.size()) : "ok");
        }
        return behaviours;
    }
}
