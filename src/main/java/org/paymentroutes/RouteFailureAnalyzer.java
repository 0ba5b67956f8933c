package org.paymentroutes;

import org.paymentroutes.support.RouteFailure;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/** Says in a few lines why Camel does not start: the file and line of the YAML, or the route and the option, and what is wrong with it. */
class RouteFailureAnalyzer implements FailureAnalyzer {

    @Override
    public FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof StartRefusedException) {
                return null;
            }
        }
        return RouteFailure.of(failure).map(found -> new FailureAnalysis(text(found), null, failure)).orElse(null);
    }

    private static String text(RouteFailure failure) {
        StringBuilder text = new StringBuilder("The routes do not start.");
        if (failure.file() != null) {
            text.append("\n  file   ").append(failure.file());
        }
        if (failure.line() != null) {
            text.append("\n  line   ").append(failure.line());
        }
        if (failure.route() != null) {
            text.append("\n  route  ").append(failure.route());
        }
        return text.append("\n  found  ").append(bounded(failure.found())).toString();
    }

    private static String bounded(String message) {
        String text = message.replaceAll("\\s*\\R\\s*", "\n         ");
        return text.length() <= 1500 ? text : text.substring(0, 1497) + "...";
    }
}
