package org.paymentroutes.sandbox;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What an independent witness needs: for each reference how many requests came and how often money moved. */
final class MoneyReport {

    private MoneyReport() {
    }

    /** All payments and totals. */
    static String all(List<PaymentView> payments) {
        StringBuilder json = new StringBuilder(64 + payments.size() * 160).append("{\"payments\":[");
        long received = 0;
        long moved = 0;
        long twice = 0;
        for (PaymentView payment : payments) {
            json.append(received == 0 ? "" : ",").append(one(payment));
            received += payment.received();
            moved += payment.moved();
            twice += payment.moved() > 1 ? 1 : 0;
        }
        return json.append("],\"totals\":{\"payments\":").append(payments.size()).append(",\"received\":").append(received)
                .append(",\"moved\":").append(moved).append(",\"moved_twice\":").append(twice).append("}}").toString();
    }

    /** Every behaviour: its word, whether one request moves money, and its meaning. */
    static String behaviours() {
        return Arrays.stream(Behaviour.values()).map(behaviour -> "{\"behaviour\":\"" + behaviour.word() + "\",\"moves\":"
                + behaviour.execution().moves() + ",\"meaning\":\"" + behaviour.meaning() + "\"}")
                .collect(Collectors.joining(",", "[", "]"));
    }

    /** One payment. */
    static String one(PaymentView payment) {
        String ids = payment.ids().isEmpty() ? "" : "\"" + String.join("\",\"", payment.ids()) + "\"";
        return "{\"reference\":\"" + payment.reference() + "\",\"behaviour\":\"" + payment.script() + "\",\"received\":"
                + payment.received() + ",\"moved\":" + payment.moved() + ",\"status\":\"" + payment.status() + "\",\"amount\":"
                + payment.amount() + ",\"currency\":\"" + payment.currency() + "\",\"refunded\":" + payment.refunded()
                + ",\"ids\":[" + ids + "]}";
    }
}
