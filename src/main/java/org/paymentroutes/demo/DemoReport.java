package org.paymentroutes.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The demo's table by behaviour and its last line. */
final class DemoReport {

    private final List<DemoPayment> payments;

    DemoReport(List<DemoPayment> payments) {
        this.payments = payments;
    }

    /** @return payments whose money moved more than once */
    long movedTwice() {
        return payments.stream().filter(payment -> payment.moved() > 1).count();
    }

    /** @return payments that are lost, see {@link DemoPayment#lost()} */
    long lost() {
        return payments.stream().filter(DemoPayment::lost).count();
    }

    /** @return the table, a line for each behaviour of the provider */
    List<String> table() {
        Map<String, List<DemoPayment>> byBehaviour = payments.stream()
                .collect(Collectors.groupingBy(DemoPayment::behaviour, TreeMap::new, Collectors.toList()));
        List<String> lines = new ArrayList<>();
        String format = "  %-30s %5s  %-26s %8s  %10s  %11s";
        lines.add(String.format(format, "what the provider did", "sent", "state", "attempts", "by webhook", "money moved"));
        byBehaviour.forEach((behaviour, group) -> {
            String states = group.stream().collect(Collectors.groupingBy(payment -> String.valueOf(payment.state()), TreeMap::new,
                    Collectors.counting())).entrySet().stream().map(state -> state.getKey() + " " + state.getValue())
                    .collect(Collectors.joining(", "));
            lines.add(String.format(format, behaviour, group.size(), states,
                    group.stream().mapToInt(DemoPayment::attempts).sum(), group.stream().filter(DemoPayment::byWebhook).count(), group.stream().mapToInt(DemoPayment::moved).sum()));
        });
        return lines;
    }

    /** @return the one line that says it all */
    String line() {
        return "demo: payments=" + payments.size() + " succeeded=" + count("SUCCEEDED") + " failed=" + count("FAILED")
                + " unknown=" + payments.stream().filter(payment -> !payment.settled() && payment.state() != null).count()
                + " review=" + count("REVIEW") + " moved_twice=" + movedTwice() + " lost=" + lost();
    }

    private long count(String state) {
        return payments.stream().filter(payment -> state.equals(payment.state())).count();
    }
}
