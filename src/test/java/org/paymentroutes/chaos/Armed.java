package org.paymentroutes.chaos;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The one failpoint that is armed in this process, and what happens when it is reached. */
final class Armed {

    private static final int KILLED = 137;
    private static final AtomicInteger PASSES = new AtomicInteger();
    private static volatile Failpoint failpoint;

    private Armed() {
    }

    /** @param next the failpoint from now on; null for none */
    static void arm(Failpoint next) {
        PASSES.set(0);
        failpoint = next;
    }

    static void step(Failpoint.When when, String id, Supplier<Object> body) {
        Failpoint armed = failpoint;
        if (armed != null && armed.kind() == Failpoint.Kind.STEP && armed.target().equals(id)) {
            pass(armed, when, body);
        }
    }

    static void statement(Failpoint.When when, String sql) {
        Failpoint armed = failpoint;
        if (armed != null && armed.kind() == Failpoint.Kind.SQL && sql.contains(armed.target().replace('~', ' '))) {
            pass(armed, when, () -> "");
        }
    }

    private static void pass(Failpoint armed, Failpoint.When when, Supplier<Object> body) {
        boolean begins = when == Failpoint.When.BEFORE;
        boolean here = armed.when() == when || armed.when() == Failpoint.When.DURING && begins;
        if (!here || !(armed.containing().equals("*") || String.valueOf(body.get()).contains(armed.containing()))
                || PASSES.incrementAndGet() != armed.nth()) {
            return;
        }
        if (armed.when() == Failpoint.When.DURING) {
            Thread thread = new Thread(() -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(armed.delayMs()));
                act(armed);
            });
            thread.start();
        }
        else {
            act(armed);
        }
    }

    private static void act(Failpoint armed) {
        System.out.println("chaos: reached " + armed);
        if (armed.act() == Failpoint.Act.HALT) {
            Runtime.getRuntime().halt(KILLED);
        }
        failpoint = null;
        try {
            new ProcessBuilder("kill", "-STOP", Long.toString(ProcessHandle.current().pid())).start().waitFor();
        }
        catch (IOException | InterruptedException e) {
            Runtime.getRuntime().halt(1);
        }
    }
}
